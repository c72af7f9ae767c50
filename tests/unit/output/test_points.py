"""Rows as points of series: names that stay, and what is no point."""

from msgspec.structs import replace

from tests.golden.fixture import ANSWER, BRACKETS, CAS, MOVED, MUTEX, RACE, ROW, TICKET
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.model.cases import Case
from threadping.output.export import comparable_points, left_out, points_of


def of(*rows: Row) -> Answer:
    return replace(ANSWER, rows=rows)


def names(answer: Answer) -> list[str]:
    return [one.name for one in points_of(answer)]


def elsewhere(case: Case) -> Case:
    return replace(case, placement=replace(case.placement, cpus=(2, None)))


def test_a_point_is_named_by_what_was_measured_and_by_no_number_of_its_row() -> None:
    named = replace(ROW[MUTEX[8]], place=31)
    assert names(of(ROW[CAS], named)) == ["signal cas-one-line cpp same-l3", "lock mutex cpp 8 threads same-l3"]
    assert names(of(named, ROW[CAS])) == names(of(ROW[CAS], named))[::-1]


def test_states_of_a_case_are_near_and_far_or_numbered_from_the_nearest() -> None:
    two = [row for row in MOVED.rows if row.case == CAS]
    assert [one.state for one in points_of(of(*two))] == ["near", "far"]
    assert [one.state for one in points_of(of(*two, two[1]))] == ["state 1 of 3", "state 2 of 3", "state 3 of 3"]
    assert [one.state for one in points_of(of(two[1]))] == [""]


def test_cases_that_differ_in_their_cpus_alone_are_named_with_them() -> None:
    other = replace(ROW[CAS], case=elsewhere(CAS))
    assert names(of(ROW[CAS], other, ROW[MUTEX[1]])) == [
        "signal cas-one-line cpp same-l3 on 0,1",
        "signal cas-one-line cpp same-l3 on 2,any",
        "lock mutex cpp 1 thread same-cpu",
    ]


def test_what_has_no_figure_is_no_point_and_what_must_not_be_compared_is_told() -> None:
    answer = of(ROW[CAS], ROW[BRACKETS], ROW[TICKET], ROW[RACE[2]])
    assert [one.row.case for one in points_of(answer)] == [CAS, RACE[2]]
    assert [one.row.case for one in comparable_points(answer)] == [CAS]
    assert left_out(answer, "jmh") == (
        "The format jmh leaves out 2 cases without a figure, and 1 row that must not be compared (lost-updates)."
    )
    assert left_out(of(ROW[CAS]), "jmh") == ""
