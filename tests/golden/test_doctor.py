"""A check-up in CSV and on a screen. `UPDATE_GOLDEN=1 pytest tests/golden` after a change."""

import csv
import io

from msgspec.structs import replace

from tests.golden.test_exports import HERE, expect
from tests.unit.output.printing import printed
from tests.unit.studies.doctor.examples import ANSWER, checkup
from threadping.conduct.study import written
from threadping.output.layout import Blocks
from threadping.studies.doctor.study import STUDY


def test_csv_has_the_number_of_the_earlier_run_and_each_value_of_it() -> None:
    since = replace(ANSWER, run=replace(ANSWER.run, study=replace(ANSWER.run.study, before=5)))
    found = STUDY.read(since, None)
    lines = [*csv.DictReader(io.StringIO(written(STUDY, since, found, "csv")))]
    assert {(one["run"], one["earlier_run"]) for one in lines} == {("7", "5")}
    earlier = {one["effect"]: float(one["before"]) for one in lines}
    assert earlier == {name: change.before.value for name, change in found.changes.items()} and earlier["late"] > 1_000


def test_the_screen_of_a_quiet_machine() -> None:
    quiet = checkup()
    expect(HERE / "doctor-fit.txt", printed(Blocks.of(*STUDY.blocks(quiet, STUDY.read(quiet, None))), 80))
