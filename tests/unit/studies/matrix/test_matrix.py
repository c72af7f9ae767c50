"""A run becomes a matrix: which trials a cell has, and what is missing."""

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.unit.output.printing import printed
from tests.unit.studies.matrix.planted import answer_of, machine, pairing
from threadping.analysis.analyse import analyse
from threadping.analysis.percentiles import Estimate
from threadping.conduct.environment import PACES
from threadping.conduct.pages import article_of, load_bundle
from threadping.conduct.study import written
from threadping.experiments import declared
from threadping.model.cases import Home, Runtime
from threadping.model.contract import Request
from threadping.model.run import Failure, Resumed
from threadping.output.records import as_csv, records_of
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.probes.process import Bounded, ProcessEnd
from threadping.probes.trial import Launch, run_trials
from threadping.studies.matrix.study import STUDY, c2clat, matrix_of, pair_of
from threadping.studies.matrix.tournament import cases_of

EIGHT = machine(8, 4, 8)


def test_a_cell_has_its_trials_their_median_interval_and_spread() -> None:
    of = matrix_of(answer_of(EIGHT, trials=6, noise=0.0))
    assert len(of.cells) == 28
    (cell,) = [one for one in of.cells if pair_of(one) == (0, 5)]
    assert (len(cell.trials), cell.value("lines_spread")) == (6, 0.13)
    assert cell.headline == Estimate(87.0, 87.0, 87.0, "ci95")
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
    of = matrix_of(analyse(answer.run, trials, answer.states.pings, declared()))
    of_3 = sorted((min(3, other), max(3, other)) for other in range(8) if other != 3)
    assert of.missing == tuple(of_3[:missing])
    failed = {why: len(pairs) for why, pairs in of.failures.items()}
    assert (len(of.cells), failed) == (28 - missing, {"CPU 3 went offline.": 7})


def test_simultaneous_trials_do_not_count_if_they_differ_from_single_ones() -> None:
    plain = answer_of(EIGHT, trials=4, noise=0.0)
    alone = [one.observation.round == 3 for one in plain.trials]
    trials = [
        replace(
            one.observation,
            concurrent=0 if by_itself else 3,
            figures={**one.observation.figures, "latency_ns.typical": 90.0 if by_itself else 100.0},
        )
        for one, by_itself in zip(plain.trials, alone, strict=True)
    ]
    answer = analyse(plain.run, trials, plain.states.pings, declared())
    assert answer.at_once and (answer.at_once.is_used, round(answer.at_once.ratio.value, 3)) == (False, 1.111)
    assert {(cell.headline, len(cell.trials)) for cell in matrix_of(answer).cells} == {(Estimate(90.0), 1)}


def test_a_trial_whose_state_changed_meanwhile_is_not_compared_either() -> None:
    plain = answer_of(EIGHT, trials=5, noise=0.0)
    crossed = [one.observation.round == 4 for one in plain.trials]
    simultaneous = [one.observation.round >= 4 for one in plain.trials]
    trials = [
        replace(one.observation, concurrent=3 * together, figures={"latency_ns.typical": 500.0 if moves else 90.0})
        for one, moves, together in zip(plain.trials, crossed, simultaneous, strict=True)
    ]
    pings = [
        replace(one, ns=1.4 * one.ns) if one.ns and place % 2 and crossed[place // 2] else one
        for place, one in enumerate(plain.states.pings)
    ]
    answer = analyse(plain.run, trials, pings, declared())
    assert answer.at_once and answer.at_once.ratio.value == 1.0


@pytest.mark.parametrize(("resumed", "changes"), [(False, 1), (True, 0)])
def test_while_it_was_interrupted_nobody_watched(resumed: bool, changes: int) -> None:
    answer = answer_of(EIGHT, noise=0.0)
    pings, trials = answer.states.pings, len(answer.trials)
    later_s = pings[-1].at - pings[0].at + 31
    far = [replace(one, at=one.at + later_s, ns=4 * one.ns, trials=one.trials + trials) for one in pings if one.ns]
    run = replace(answer.run, resumed=(Resumed("2026-01-01", trials, len(pings)),) if resumed else ())
    both = analyse(run, [*answer.observations, *answer.observations], [*pings, *far], declared())
    assert [state.share for state in both.states.found] == [pytest.approx(0.5)] * 56
    assert set(both.states.changes.values()) == {changes}


def test_cases_differ_in_nothing_but_cpus_and_home() -> None:
    made = cases_of(pairing((0, 4, 5), ("first", "second", "0"), directions=True), machine(8, 4, 4))
    assert [(case.placement.cpus, case.placement.name) for case in made[::3]] == [
        *(((0, 4), "cross-node"), ((0, 5), "cross-node"), ((4, 5), "same-l3")),
        *(((4, 0), "cross-node"), ((5, 0), "cross-node"), ((5, 4), "same-l3")),
    ]
    assert [case.home for case in made[:3]] == [None, Home("second", (4,)), Home("0", (0, 1, 2, 3))]


def test_records_have_every_cell_and_what_other_tools_write_the_leading_ones() -> None:
    answer = answer_of(EIGHT, noise=0.0)
    of = matrix_of(answer)
    cells, groups, states = STUDY.sheets(answer, of)
    assert [line.split(",")[0] for line in as_csv(groups).splitlines()] == ["named", "same L3", "other L3"]
    assert records_of(states)[0].items() >= {"cpus": (0, 1), "core_to_core_ns": 24.0, "share": 1.0}.items()
    written = as_csv(cells).splitlines()
    assert len(written) == 29
    assert (
        dict(zip(written[0].split(","), next(csv.reader(written[1:2])), strict=True)).items()
        >= {
            "cpus": "0,1",
            "placement": "same-l3",
            "latency_ns.typical": "24.0",
            "latency_ns.typical_range.lo": "24.0",
            "lines_spread": "0.13",
            "trials": "3",
            "state.core_to_core_ns": "24.0",
            "leads": "True",
        }.items()
    )
    assert c2clat(of.map).splitlines()[1].split() == ["0", "0", "24", "24", "24", "87", "87", "87", "87"]


@pytest.mark.parametrize(("cpus", "said"), [(32, ""), (33, "The first 500 of 528 rows: CSV and JSON have all.")])
def test_a_page_has_the_first_500_rows_and_says_of_how_many(cpus: int, said: str) -> None:
    answer = answer_of(machine(cpus, cpus, cpus), trials=1)
    (section,) = [one for one in article_of(answer).sections if one.name == "signal"]
    table, *sentences = (printed(block, 200) for block in section.blocks)
    assert "".join(sentences).strip() == said
    assert len([line for line in table.splitlines() if "same-l3" in line]) == min(500, len(answer.rows))


def test_a_large_machine_has_a_cell_for_every_pair() -> None:
    assert len(matrix_of(answer_of(machine(64, 16, 32, siblings=True))).cells) == 2016


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The request of each process that is started, in place of starting it."""
    seen: list[Request] = []

    def start(wanted: list[Bounded]) -> list[ProcessEnd]:
        for one in wanted:
            given = dict(zip(one.command[2::2], one.command[3::2], strict=True))
            seen.append(msgspec.json.decode(Path(given["--request"]).read_bytes(), type=Request))
        return [ProcessEnd(0, "", 1)] * len(wanted)

    monkeypatch.setattr("threadping.probes.process.run_together", start)
    return seen


def test_every_pair_has_lines_of_its_own_made_by_its_first_cpu(started: list[Request]) -> None:
    cases = cases_of(pairing(range(4)), machine(4, 2, 4))
    plan = Plan(cases, (0.0,) * len(cases), (Length(0.02, 0.02),) * len(cases), (0.02,) * len(cases), 1, 7, PACES)
    program = Runtime("cpp", "cpp", ("/probe",), "")
    run_trials([Launch(program, plan.request(case, Length(0.02, 0.02), 0, 4), 1.0) for case in cases])
    assert len(started) == len(cases) == 6
    for one, pair in zip(started, combinations(range(4), 2), strict=True):
        assert [thread.cpu for thread in one.threads] == [*pair]
        assert (one.home, one.lines) == ((pair[0],), 256)


HERE = Path(__file__).parent


def of_before(cell: dict[str, Any]) -> tuple[Any, ...]:
    """As it wrote a cell."""
    latency, state = cell["latency_ns"], cell["state"]
    figures = (latency["typical"], latency["ci95"] or latency["range"], cell["lines_spread"])
    return (cell["cpus"], cell["trials"], cell["leads"], *figures, *state.values())


def of_now(cell: dict[str, Any]) -> tuple[Any, ...]:
    """As a cell is a row."""
    latency, state = cell["latency_ns"], cell["state"]
    figures = (latency["typical"], latency.get("typical_ci95") or latency.get("typical_range"), cell["lines_spread"])
    of_state = (state["core_to_core_ns"], state["core_to_core_ns_range"], state["share"])
    return (cell["cpus"], cell["trials"], cell["leads"], *figures, *of_state)


def test_a_matrix_of_before_has_the_same_cells() -> None:
    (answer,) = load_bundle((HERE / "before.run").read_bytes(), "before.run")
    assert answer.observations[0].form == 6
    now = json.loads(written(STUDY, answer, STUDY.read(answer, None), "json"))
    before = json.loads((HERE / "before.json").read_text())
    assert len(before) == 6
    assert [of_now(cell) for cell in now["cells"]] == [of_before(cell) for cell in before]
