"""The selection under the name by which `cases` and `left_out` still import it."""

from threadping.selection.selection import Selection as Asked

__all__ = ["Asked"]
