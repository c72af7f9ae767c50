"""Benchmarks of threadping itself, compared with peers: run them by hand on a quiet machine; no test runs them."""
