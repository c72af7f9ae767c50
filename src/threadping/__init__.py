"""threadping: what it costs one thread to tell another something."""

VERSION = "0.1.0"  # as in pyproject.toml: to ask importlib.metadata takes 30 ms of a start
