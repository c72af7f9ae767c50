"""What a page is made of: sections with charts, blocks, and details that are one click away."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.sheets.grid import Block
from threadping.views.charts.style import Chart


class Details(Struct, frozen=True):
    """What is one click away; `mark` stands before its summary."""

    summary: str
    blocks: Sequence[Block]
    mark: str = ""


class Section(Struct, frozen=True):
    """A heading with what stands below it; `name` is its anchor."""

    name: str
    title: str
    charts: Sequence[Chart] = ()
    blocks: Sequence[Block] = ()
    details: Sequence[Details] = ()
