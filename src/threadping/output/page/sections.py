"""The parts of a page: sections with charts, blocks, and details that are one click away."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.output.charts.style import Chart
from threadping.output.layout import Block


class Details(Struct, frozen=True):
    """Blocks that are one click away; `mark` precedes their summary."""

    summary: str
    blocks: Sequence[Block]
    mark: str = ""


class Section(Struct, frozen=True):
    """A heading with what stands below it."""

    name: str  # its anchor
    title: str  # the heading
    charts: Sequence[Chart] = ()  # what stands first
    blocks: Sequence[Block] = ()  # what stands below them
    details: Sequence[Details] = ()  # and below these
    # sections of a lower one stand before it: what the run was to answer has 0, the machine 1, experiments 2, warnings
    # 4
    place: int = 3
    digest: bool = False  # whether its blocks, and the summaries of its details, stand in a digest of the page


class Article(Struct, frozen=True):
    """An answer as a page shows it: `letter` tells it from others, `lead` stands first, `command` repeats its run."""

    letter: str
    title: str
    started: str
    lead: Sequence[Block]
    sections: Sequence[Section]
    command: str
