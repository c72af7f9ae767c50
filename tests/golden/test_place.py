"""A placement in JSON, CSV and on a screen, and the schema. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.golden.test_exports import HERE, SCHEMA, expect
from tests.unit.output.printing import printed
from tests.unit.studies.place.examples import ANSWER
from threadping.conduct.showing import written
from threadping.conduct.study import Output
from threadping.output.grid import Blocks
from threadping.output.records import schema
from threadping.studies.place.output import PlaceEntry
from threadping.studies.place.study import STUDY

PLACED = STUDY.read(ANSWER, None)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_threads_lines_and_gain(form: str) -> None:
    expect(HERE / f"place.{form}", written(STUDY, ANSWER, PLACED, form, Output()))


def test_the_screen_of_80_columns() -> None:
    expect(HERE / "place-80.txt", printed(Blocks.of(*STUDY.blocks(ANSWER, PLACED)), 80))


def test_the_schema_in_docs_is_that_of_the_sheets_and_every_line_obeys_it() -> None:
    made = schema("What threadping place writes with --format json", PlaceEntry, *STUDY.sheets(ANSWER, PLACED))
    expect(SCHEMA.with_name("place.schema.json"), json.dumps(made, indent=1) + "\n")
    Draft202012Validator(made).validate(json.loads(written(STUDY, ANSWER, PLACED, "json", Output())))
