"""A run becomes a matrix: which trials a cell has, and what is missing."""

import pytest
from msgspec.structs import replace

from tests.unit.matrix.planted import answer_of, machine, pairing
from threadping.analysis.analyse import analyse
from threadping.matrix.matrix import cases_of, matrix, spread_of
from threadping.model.cases import Home
from threadping.model.trials import Failure
from threadping.views.matrix import FORMATS, matrix_json

EIGHT = machine(8, 4, 8)


def test_a_cell_has_its_trials_their_median_interval_and_spread() -> None:
    of = matrix(answer_of(EIGHT, trials=6, noise=0.0))
    assert len(of.cells) == 28
    cell = of.leading()[(5, 0)]
    assert (cell.cpus, cell.home, cell.trials, cell.lines_spread) == ((0, 5), "first", 6, 0.13)
    assert (cell.latency.value, cell.latency.kind, cell.latency.ends) == (87.0, "ci95", (87.0, 87.0))
    assert cell.state and (cell.state.core_to_core_ns, cell.state.share) == (87.0, 1.0)


@pytest.mark.parametrize(("since", "missing"), [(1, 7), (2, 0)])
def test_pairs_that_failed_say_why_and_are_missing_unless_they_were_measured_before(since: int, missing: int) -> None:
    answer = answer_of(EIGHT)
    gone = Failure("pin-failed", "CPU 3 went offline.")
    trials = [
        replace(one.observation, figures={}, failure=gone)
        if 3 in one.observation.case.placement.used and one.observation.round >= since
        else one.observation
        for one in answer.trials
    ]
    of = matrix(analyse(answer.run, trials, answer.states.pings, {}))
    of_3 = sorted((min(3, other), max(3, other)) for other in range(8) if other != 3)
    assert of.missing == tuple(of_3[:missing])
    assert (len(of.cells), {why: len(pairs) for why, pairs in of.failures.items()}) == (
        28 - missing,
        {"CPU 3 went offline.": 7},
    )


def test_trials_that_had_others_beside_them_do_not_count_where_they_differ_from_those_alone() -> None:
    plain = answer_of(EIGHT, trials=4, noise=0.0)
    alone = [one.observation.round == 3 for one in plain.trials]
    trials = [
        replace(
            one.observation,
            beside=0 if by_itself else 3,
            figures={**one.observation.figures, "latency_ns.typical": 90.0 if by_itself else 100.0},
        )
        for one, by_itself in zip(plain.trials, alone, strict=True)
    ]
    of = matrix(analyse(plain.run, trials, plain.states.pings, {}))
    assert of.parallel and (of.parallel.is_used, round(of.parallel.ratio.value, 3)) == (False, 1.111)
    assert {(cell.latency.value, cell.trials) for cell in of.cells} == {(90.0, 1)}


@pytest.mark.parametrize(("paused_s", "changes"), [(29.0, 1), (31.0, 0)])
def test_while_it_was_interrupted_nobody_watched(paused_s: float, changes: int) -> None:
    answer = answer_of(EIGHT, noise=0.0)
    watched_s = answer.states.pings[-1].at - answer.states.pings[0].at
    far = [replace(one, at=one.at + watched_s + paused_s, ns=4 * one.ns) for one in answer.states.pings if one.ns]
    trials = len(answer.trials)
    later = [replace(one, trials=one.trials + trials) for one in far]
    both = analyse(
        answer.run,
        [*(one.observation for one in answer.trials), *(one.observation for one in answer.trials)],
        [*answer.states.pings, *later],
        {},
    )
    assert [state.share for state in both.states.found] == [pytest.approx(0.5)] * 56
    assert set(both.states.changes.values()) == {changes}


def test_cases_differ_in_nothing_but_cpus_and_home() -> None:
    made = cases_of(pairing((0, 4, 5), ("first", "second", "0"), directions=True), machine(8, 4, 4))
    assert [(case.placement.cpus, case.placement.name) for case in made[::3]] == [
        *(((0, 4), "cross-node"), ((0, 5), "cross-node"), ((4, 5), "same-l3")),
        *(((4, 0), "cross-node"), ((5, 0), "cross-node"), ((5, 4), "same-l3")),
    ]
    assert [case.home for case in made[:3]] == [None, Home("second", (4,)), Home("0", (0, 1, 2, 3))]


def test_the_spread_over_lines_leaves_out_those_that_were_disturbed() -> None:
    assert spread_of([20.0] * 10 + [22.0] * 10 + [900.0]) == pytest.approx(0.1)
    assert spread_of([900.0, *[22.0] * 10, *[20.0] * 10]) == pytest.approx(0.1)
    assert spread_of([20.0]) == 0.0


def test_json_and_csv_have_every_cell() -> None:
    answer = answer_of(EIGHT, noise=0.0)
    of = matrix(answer)
    text = matrix_json(answer, of)
    assert '"misnamed": []' in text and '"named": "same L3"' in text
    lines = FORMATS["csv"](answer, of).splitlines()
    assert len(lines) == 29
    assert lines[1].startswith("0,1,first,24.0,24.0,24.0,0.13,3,24.0,1")
    assert FORMATS["c2clat"](answer, of).splitlines()[1].split() == ["0", "0", "24", "24", "24", "87", "87", "87", "87"]
