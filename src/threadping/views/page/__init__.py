"""Answers as a page that people send to each other: one file, which requests nothing and carries its runs."""

from threadping.views.page.carried import Carried, carried_by, carried_in, carry

__all__ = ["Carried", "carried_by", "carried_in", "carry"]
