"""threadping: what it costs one thread to tell another something."""
