"""What is said of mechanisms: once for all languages, in a file that is built in beside the probes."""

from functools import cache

import msgspec

from threadping.contract import Words
from threadping.errors import ProbeUnusable
from threadping.probes.runtimes import PROBES


@cache
def words() -> Words:
    """Read it; ProbeUnusable, with the remedy, where it is not there or not what it should be."""
    try:
        return msgspec.json.decode((PROBES / "words.json").read_bytes(), type=Words)
    except (OSError, msgspec.DecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ProbeUnusable(
            f"What is said of the mechanisms cannot be read ('{PROBES / 'words.json'}': {why}). Run `make setup`, or "
            "reinstall threadping."
        ) from error
