"""What there is to measure with."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import Runtime, Skipped
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import Column, FittingTable


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> RenderableType:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    table = FittingTable(
        [
            Column("runtime", [Text(plain(one.label), "bold") for one in found], names=True),
            Column("version", [Text(plain(one.version)) for one in found], names=True),
        ],
        below={place: Text(plain(" ".join(one.command)), "dim") for place, one in enumerate(found)},
    )
    return Group(table if found else Text("No runtime answers.", "bold red"), *reasons("\nNot usable", unusable))
