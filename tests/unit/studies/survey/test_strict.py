"""Objections of `--strict`: a failed case could not be measured; anything else is a doubt."""

import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Row
from threadping.model.run import Failure
from threadping.studies.survey import STUDY

ROW = replace(ANSWER.rows[0], findings=(), ended=ANSWER.rows[0].trials)
NOTED = replace(ROW, findings=(Finding("drift", "note", {}),))
DOUBTED = replace(ROW, findings=(Finding("wide", "warning", {}),))
FAILED = replace(
    ROW, ended=(*ROW.trials, replace(ROW.trials[0], failure=Failure("stalled", "It stalled."), figures={}))
)


@pytest.mark.parametrize(
    ("rows", "code"), [([ROW], None), ([NOTED], None), ([ROW, DOUBTED], 4), ([DOUBTED, FAILED], 1), ([FAILED], 1)]
)
def test_a_failed_case_is_not_measured_and_all_else_is_undecided(rows: list[Row], code: int | None) -> None:
    answer = replace(ANSWER, rows=tuple(rows))
    fault = STUDY.fault(answer, STUDY.read(answer, None))
    assert (fault and fault.exit_code) == code
