"""The command line: turn words into a call. The only package that composes the others."""
