"""An advice in JSON and CSV, and its schema. `UPDATE_GOLDEN=1 pytest tests/golden` after a change that is meant."""

import json

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.golden.fixture import RUN
from tests.golden.test_exports import HERE, SCHEMA, expect
from tests.unit.studies.advise.examples import TEN_US, trials, way
from threadping.analysis.analyse import analyse
from threadping.conduct.showing import written
from threadping.conduct.study import Output
from threadping.experiments import declared
from threadping.model.studies import Requirement
from threadping.output.records import schema
from threadping.studies.advise.output import AdviceEntry
from threadping.studies.advise.study import STUDY

SEEN = [
    *trials(46, way("release-one-line"), 400, 100.0),
    *trials(46, way("spin-then-park", spins=1000), 8_000, 7.0),
    *trials(7, way("futex"), 40_000, 3.0),
    *trials(3, way("park", "java-17"), held=0.6),
]
CASES = tuple(dict.fromkeys(one.case for one in SEEN))


def exported(form: str, required: Requirement = TEN_US) -> str:
    answer = analyse(replace(RUN, cases=CASES, study=required), SEEN, (), declared())
    return written(STUDY, answer, STUDY.read(answer, None), form, Output())


@pytest.mark.parametrize("form", ["json", "csv"])
def test_every_way_with_its_99_percent_intervals(form: str) -> None:
    expect(HERE / f"advise.{form}", exported(form, replace(TEN_US, system="folly")))


def test_the_schema_in_docs_is_that_of_the_sheet_and_an_advice_that_names_none_obeys_it_too() -> None:
    answer = analyse(replace(RUN, cases=CASES, study=TEN_US), SEEN, (), declared())
    made = schema(
        "What threadping advise writes with --format json",
        AdviceEntry,
        *STUDY.sheets(answer, STUDY.read(answer, None)),
    )
    expect(SCHEMA.with_name("advise.schema.json"), json.dumps(made, indent=1) + "\n")
    for required in (TEN_US, replace(TEN_US, p99_ns=300.0), replace(TEN_US, p99_ns=19.0)):
        Draft202012Validator(made).validate(json.loads(exported("json", required)))
