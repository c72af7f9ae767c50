"""A tool's numbers for a person, in JSON and CSV, and their schema. `UPDATE_GOLDEN=1 pytest tests/golden` updates."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.golden.test_exports import HERE, SCHEMA, expect, with_rows
from tests.unit.output.printing import printed
from tests.unit.studies.like.examples import ANSWER
from threadping.conduct.showing import written
from threadping.conduct.study import Output
from threadping.output.grid import Blocks
from threadping.output.records import schema
from threadping.studies.like.sheets import LikeEntry
from threadping.studies.like.study import STUDY
from threadping.studies.like.tools import Number, Tool, tools

FOUND = STUDY.read(ANSWER, None)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_each_number_by_its_rules_by_ours_and_beside_the_tool(form: str) -> None:
    expect(HERE / f"like.{form}", written(STUDY, ANSWER, FOUND, form, Output()))


def test_what_a_person_sees() -> None:
    expect(HERE / "like-80.txt", printed(Blocks.of(*STUDY.blocks(ANSWER, FOUND)), 80))


def test_the_schema_in_docs_is_that_of_the_sheets() -> None:
    made = schema("What threadping like TOOL writes with --format json", LikeEntry, *STUDY.sheets(ANSWER, FOUND))
    expect(SCHEMA.with_name("like.schema.json"), json.dumps(made, indent=1) + "\n")
    Draft202012Validator(made).validate(json.loads(written(STUDY, ANSWER, FOUND, "json", Output())))


PAGE = SCHEMA.with_name("like.md")
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
