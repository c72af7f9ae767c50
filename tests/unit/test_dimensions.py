"""Every dimension of a case distinguishes cases, has a name, is exported, and has a comparing option."""

import csv
from collections.abc import Mapping

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, CAS, DECLARED, RELEASE
from tests.golden.test_compare import FOUND, OF
from threadping.model.cases import DIMENSIONS, Busy, Case, Dimension, Home, Placement, WarmupPolicy, read_all
from threadping.output import names
from threadping.output.records import as_csv
from threadping.output.row_tables import pivot_lines
from threadping.output.run_records import case_of
from threadping.planning.selection import Selection
from threadping.studies.compare.output import sheet

PLACE = CAS.placement
OTHERS: Mapping[str, Case] = {
    "experiment": replace(CAS, experiment="lock"),
    "mechanism": replace(CAS, mechanism=RELEASE.mechanism),
    "runtime": replace(CAS, runtime="java-99"),
    "threads": replace(CAS, placement=replace(PLACE, cpus=(*PLACE.cpus, *PLACE.cpus))),
    "placement": replace(CAS, placement=Placement("smt", (2, 3))),
    "pin": replace(CAS, placement=replace(PLACE, pin="process")),
    "home": replace(CAS, home=Home("pong", (1,))),
    "warmup": replace(CAS, warmup=WarmupPolicy(10, 100_000)),
    "busy": replace(CAS, busy=Busy(2, 5)),
}
"""A case that differs from CAS in each of the dimensions."""

each = pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in DIMENSIONS])


@each
def test_a_case_that_differs_in_a_dimension_is_distinguished_and_equal_in_all_others(one: Dimension) -> None:
    other, follows = OTHERS[one.name], ["placement"] if one.name == "threads" else []
    assert read_all(other) != read_all(CAS)
    assert read_all(other, one.name, *follows) == read_all(CAS, one.name, *follows)
    unusual = [each.name for each in DIMENSIONS if each.is_unusual(other)]
    assert unusual == ([] if one.usual is UNSET else [one.name])


@each
def test_rows_side_by_side_are_of_nothing_else(one: Dimension) -> None:
    row = next(row for row in ANSWER.rows if row.case == CAS)
    lines = pivot_lines([row, replace(row, case=OTHERS[one.name])], "")
    # Numbers of threads are columns, each on CPUs of its own; an experiment has tables of its own.
    assert len(lines) == (1 if one.name == "threads" else 2)


@each
def test_titles_tables_and_exports_say_it(one: Dimension) -> None:
    other, declared = OTHERS[one.name], DECLARED[CAS.experiment]
    written, usual = case_of(other, None), case_of(CAS, None)
    assert getattr(written, one.name) != getattr(usual, one.name)
    if one.name != "experiment":  # the heading of its tables
        assert other.title != CAS.title
        fields = names.columns([CAS, other], declared, of=lambda case: case)
        assert any(field.of(CAS) != field.of(other) for field in fields)


@each
def test_of_two_sides_that_differ_in_it_only_the_rest_is_said(one: Dimension) -> None:
    assert names.parts(OTHERS[one.name], one.name) == names.parts(CAS, one.name)
    assert names.parts(OTHERS[one.name], "") != names.parts(CAS, "")
    assert not one.plural or hasattr(Selection(), one.plural)


def test_comparisons_in_csv_have_all_that_tells_their_cases_apart() -> None:
    cases = [replace(FOUND[0], a=replace(OTHERS[name], home=None)) for name in ("pin", "busy")]
    pinned, busy = csv.DictReader(as_csv(sheet(ANSWER, OF, cases)).splitlines())
    assert (pinned["pin"], busy["pin"], pinned["busy"], busy["busy_nice"]) == ("process", "thread", "0", "5")
    assert pinned["home"] == ""
