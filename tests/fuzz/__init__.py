"""Fuzzers of what parses foreign bytes: a few inputs in the suite, many by hand."""
