"""The command line: words to a call. The only room that composes the others."""
