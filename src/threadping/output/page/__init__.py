"""Answers as a page that people send to each other: one file, which requests nothing and carries its runs."""
