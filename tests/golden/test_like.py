"""A tool's numbers for a person, in CSV. `UPDATE_GOLDEN=1 pytest tests/golden` updates."""

from tests.golden.test_exports import SCHEMA, expect, with_rows
from threadping.studies.reproduce.stated import Number, Tool, tools

PAGE = SCHEMA.parents[2] / "like.md"
NUMBERS = (
    "| number | times | divides by | creation | placement | samples | repeated by |\n|---|---|---|---|---|---|---|\n"
)
READ = "| tool | read |\n|---|---|\n"


def _row(tool: Tool, one: Number) -> str:
    near = "\N{ALMOST EQUAL TO} " if one.nearest else ""
    made = f"{one.over}, in {one.unit}", f"{near}`{one.case.title}`"
    return " | ".join((f"`{tool.name}` {one.name}", one.times, one.divides, one.creation, one.placement, *made))


def test_the_tables_in_docs_are_those_of_the_data() -> None:
    page = PAGE.read_text()
    rows = [_row(tool, one) for tool in tools().values() for one in tool.numbers]
    page = with_rows(page, NUMBERS, rows)
    expect(PAGE, with_rows(page, READ, [f"[`{one.name}`]({one.url}) | {one.source}" for one in tools().values()]))
