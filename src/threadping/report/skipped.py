"""What is not there, and why: things with one reason together."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.model import Skipped
from threadping.report.heading import labelled
from threadping.report.names import plain


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[RenderableType]:
    """List them below a title; nothing if nothing is missing."""
    if not skipped:
        return
    things: dict[str, dict[str, None]] = {}
    for one in skipped:
        things.setdefault(plain(one.reason), {})[plain(one.what)] = None
    yield Text(title, "bold")
    told = [Text.assemble((", ".join(names), "bold"), f": {reason}") for reason, names in things.items()]
    yield labelled([("-", text) for text in told])
