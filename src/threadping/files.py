"""Files that somebody asked for: whether they can be written, asked before anything is measured, and writing them."""

import os
from collections.abc import Iterable
from pathlib import Path

from threadping.errors import OutputUnwritable, UsageError


def check(path: Path, endings: Iterable[str], what: str) -> None:
    """See that a file with one of these endings can be written there; `what` it is begins the sentence if not.

    Raises:
        UsageError: another ending, which says in which format it is.
        OutputUnwritable: it is a folder, there is no folder for it, or it may not be written.
    """
    if path.suffix.lower() not in endings:
        named = f"{what[:1].upper()}{what[1:]}'s file"
        raise UsageError(f"{named} must end in the name of a format ({', '.join(endings)}): {path} does not.")
    where = path if path.exists() else path.parent
    if path.is_dir():
        raise _unwritable(path, what, "it is a folder")
    if not where.exists():
        raise _unwritable(path, what, f"there is no folder {where}")
    if not os.access(where, os.W_OK):
        raise _unwritable(path, what, f"{where} may not be written")


def write(path: Path, content: bytes, what: str) -> None:
    """Write it; raises OutputUnwritable if that fails."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _unwritable(path, what, str(error.strerror or error)) from error


def _unwritable(path: Path, what: str, why: str) -> OutputUnwritable:
    return OutputUnwritable(f"{what[:1].upper()}{what[1:]} could not be written to {path}: {why}.")
