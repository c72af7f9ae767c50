"""Which version of the contract a probe speaks."""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from threadping.contract import SCHEMA


class Spoken(Struct, frozen=True):
    """All of a message of any version that can be relied on."""

    schema: int | UnsetType = UNSET


def other_schema(raw: str | bytes) -> str | None:
    """Say that a message is of another version, with the remedy, to follow on who sent it; None if it is of ours.

    None also for what is no message at all, which whoever reads it finds out.
    """
    try:
        spoken = msgspec.json.decode(raw, type=Spoken).schema
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if spoken in (SCHEMA, UNSET):
        return None
    return (
        f"speaks schema {spoken} of the contract, threadping speaks {SCHEMA}: they come from different builds. "
        "Build it anew with `make setup`, or reinstall threadping."
    )
