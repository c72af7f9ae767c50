"""Published figures in JSON and CSV, and their schema. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

import json
from functools import partial

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.golden.test_exports import HERE, SCHEMA, expect
from tests.unit.studies.published.examples import answer
from threadping.analysis.declaration import RowState
from threadping.conduct.showing import written
from threadping.conduct.study import Output
from threadping.output.records import schema
from threadping.studies.published.articles import articles
from threadping.studies.published.sheets import PublishedEntry
from threadping.studies.published.study import STUDY, Repetition

PINNED = next(one for one in articles().figures if one.placement == "taskset -c 2,4")
FOREIGN = next(one for one in articles().figures if one.os == "macOS")
LAZY_SET, *_ = articles().claims
assert PINNED.case
FOUND = answer({PINNED.case: [4_046.0] * 4, **dict(zip(LAZY_SET.needs, (60.0, 90.0), strict=True))})
NEAR, FAR = (RowState(ns, (ns, ns), 0.5) for ns in (27.0, 128.0))
ONE, *OTHERS = FOUND.rows
STATES = replace(FOUND, rows=(replace(ONE, trials=ONE.trials[:3], state=NEAR), replace(ONE, state=FAR), *OTHERS))


def result_of(*experiments: str) -> Repetition:
    return STUDY.read(STATES, STUDY.ask(experiments=experiments))


@pytest.mark.parametrize("form", ["json", "csv"])
def test_each_figure_in_each_state_or_why_there_is_none_and_each_claim(form: str) -> None:
    found = result_of("inter-thread-latency", "locked-signalling")
    shown = [one for one in found.figures if one.published in (PINNED, FOREIGN)]
    expect(HERE / f"published.{form}", written(STUDY, STATES, Repetition(shown, found.claims[:1]), form, Output()))


def test_the_schema_in_docs_is_that_of_the_sheets_and_every_figure_and_claim_obeys_it() -> None:
    write = partial(written, STUDY, STATES, form="json", output=Output())
    made = schema(
        "What threadping published writes with --format json", PublishedEntry, *STUDY.sheets(STATES, result_of())
    )
    expect(SCHEMA.with_name("published.schema.json"), json.dumps(made, indent=1) + "\n")
    Draft202012Validator(made).validate(json.loads(write(result=result_of())))
