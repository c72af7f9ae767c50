"""What is said of mechanisms: once for all languages, in a file that is built in beside the probes."""

from functools import cache
from pathlib import Path

import msgspec

from threadping.contract import Words
from threadping.errors import ProbeUnusable
from threadping.probes.language import probes_folder


def words() -> Words:
    """Read it; ProbeUnusable, with the remedy, where it is not there or not what it should be."""
    return _read(probes_folder() / "words.json")


@cache
def _read(file: Path) -> Words:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Words)
    except (OSError, msgspec.DecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ProbeUnusable(
            f"What is said of the mechanisms cannot be read ('{file}': {why}). Run `make setup`, or reinstall "
            "threadping."
        ) from error
