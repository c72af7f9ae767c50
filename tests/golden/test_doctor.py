"""A check-up in JSON, CSV and on a screen, and the schema. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

import csv
import io
import json

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.golden.test_exports import HERE, SCHEMA, expect
from tests.unit.output.printing import printed
from tests.unit.studies.doctor.examples import ANSWER, checkup
from tests.unit.studies.instrument.examples import ANSWER as CHECKED
from threadping.conduct.showing import written
from threadping.conduct.study import Output
from threadping.output.grid import Blocks
from threadping.output.records import schema
from threadping.studies.doctor.sheets import DoctorEntry
from threadping.studies.doctor.study import STUDY
from threadping.studies.instrument.study import STUDY as CHECKING
from threadping.studies.instrument.study import InstrumentEntry

EXAMINED = STUDY.read(ANSWER, None)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_every_effect_and_every_finding(form: str) -> None:
    expect(HERE / f"doctor.{form}", written(STUDY, ANSWER, EXAMINED, form, Output()))


def test_csv_has_the_number_of_the_earlier_run_and_each_value_of_it() -> None:
    since = replace(ANSWER, run=replace(ANSWER.run, study=replace(ANSWER.run.study, before=5)))
    found = STUDY.read(since, None)
    lines = [*csv.DictReader(io.StringIO(written(STUDY, since, found, "csv", Output())))]
    assert {(one["run"], one["earlier_run"]) for one in lines} == {("7", "5")}
    earlier = {one["effect"]: float(one["before"]) for one in lines}
    assert earlier == {name: change.before.value for name, change in found.changes.items()} and earlier["late"] > 1_000


def test_the_screen_of_80_columns() -> None:
    expect(HERE / "doctor-80.txt", printed(Blocks.of(*STUDY.blocks(ANSWER, EXAMINED)), 80))


def test_the_screen_of_a_quiet_machine() -> None:
    quiet = checkup()
    expect(HERE / "doctor-fit.txt", printed(Blocks.of(*STUDY.blocks(quiet, STUDY.read(quiet, None))), 80))


def test_the_schema_of_a_check_of_the_instrument_is_that_of_its_sheet() -> None:
    parts = CHECKING.read(CHECKED, None)
    made = schema(
        "What threadping doctor --instrument writes with --format json",
        InstrumentEntry,
        *CHECKING.sheets(CHECKED, parts),
    )
    expect(SCHEMA.with_name("instrument.schema.json"), json.dumps(made, indent=1) + "\n")
    Draft202012Validator(made).validate(json.loads(written(CHECKING, CHECKED, parts, "json", Output())))


def test_the_schema_in_docs_is_that_of_the_sheets_and_every_line_obeys_it() -> None:
    made = schema("What threadping doctor writes with --format json", DoctorEntry, *STUDY.sheets(ANSWER, EXAMINED))
    expect(SCHEMA.with_name("doctor.schema.json"), json.dumps(made, indent=1) + "\n")
    Draft202012Validator(made).validate(json.loads(written(STUDY, ANSWER, EXAMINED, "json", Output())))
