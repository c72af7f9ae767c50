"""How an answer is given. It alone goes to stdout."""

from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct


class Output(Struct, frozen=True, kw_only=True):
    """Where an answer goes, and in which format.

    Attributes:
        form: how to write it to stdout: `table`, or one of its formats.
        file: where to write it too.
        chart: where to draw it.
        page: where to write the page of a run.
        location: of the store; None for the user's own.
        strict: whether a doubt about the answer is a failure too.
    """

    form: str = "table"
    file: Path | None = None
    chart: Path | None = None
    page: Path | None = None
    location: str | None = None
    strict: bool = False


Fields = TypeVar("Fields", bound=Struct)


def pop_fields(kind: type[Fields], options: dict[str, Any]) -> Fields:
    """Take the fields of a record out of the options of a command."""
    return kind(**{name: options.pop(name) for name in kind.__struct_fields__ if name in options})
