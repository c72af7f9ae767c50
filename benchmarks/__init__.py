"""Our own cost and quality beside peers: run by hand on a quiet machine, never by the tests."""
