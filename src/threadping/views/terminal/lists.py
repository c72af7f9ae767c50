"""Labels with what they are the labels of, and what is not there by reason."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

from threadping.model import Skipped
from threadping.views.terminal.names import plain


def labelled(told: Sequence[tuple[str, Text]]) -> Table:
    """Labels, dim, and beside each what it is the label of."""
    grid = Table.grid(Column(style="dim", no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    for label, text in told:
        grid.add_row(label, text)
    return grid


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[RenderableType]:
    """List what is not there below a title, things with one reason together; nothing if nothing is missing."""
    things: dict[str, dict[str, None]] = {}
    for one in skipped:
        things.setdefault(plain(one.reason), {})[plain(one.what)] = None
    if things:
        yield Text(title, "bold")
        told = [Text.assemble((", ".join(names), "bold"), f": {reason}") for reason, names in things.items()]
        yield labelled([("-", text) for text in told])
