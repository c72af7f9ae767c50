"""A run becomes a matrix: which trials a cell has, and what is missing."""

import csv
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.unit.output.printing import printed
from tests.unit.studies.matrix.planted import answer_of, machine, pairing
from threadping.analysis.analyse import analyse
from threadping.analysis.percentiles import Estimate
from threadping.conduct.environment import PACES
from threadping.conduct.pages import article_of
from threadping.experiments import declared
from threadping.model.cases import Home, Runtime
from threadping.model.contract import Request
from threadping.model.run import Failure, Resumed
from threadping.output.records import as_csv, records_of
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.probes.process import Bounded, ProcessEnd
from threadping.probes.trial import Launch, run_trials
from threadping.studies import survey
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
    trials = list(answer.observations)
    for at, one in enumerate(trials):
        if 3 in one.case.placement.used and one.round >= since:
            trials[at] = replace(one, figures={}, failure=gone)
    of = matrix_of(analyse(answer.run, trials, answer.states.pings, declared()))
    of_3 = sorted((min(3, other), max(3, other)) for other in range(8) if other != 3)
    assert of.missing == tuple(of_3[:missing])
    failed = {why: len(pairs) for why, pairs in of.failures.items()}
    assert (len(of.cells), failed) == (28 - missing, {"CPU 3 went offline.": 7})


def test_simultaneous_trials_do_not_count_if_they_differ_from_single_ones() -> None:
    plain = answer_of(EIGHT, trials=4, noise=0.0)
    trials = []
    for one in plain.observations:
        ns, others = (90.0, 0) if one.round == 3 else (100.0, 3)
        trials.append(replace(one, concurrent=others, figures={**one.figures, "latency_ns.typical": ns}))
    answer = analyse(plain.run, trials, plain.states.pings, declared())
    assert answer.at_once and (answer.at_once.is_used, round(answer.at_once.ratio.value, 3)) == (False, 1.111)
    assert {(cell.headline, len(cell.trials)) for cell in matrix_of(answer).cells} == {(Estimate(90.0), 1)}


def test_a_trial_whose_state_changed_meanwhile_is_not_compared_either() -> None:
    plain = answer_of(EIGHT, trials=5, noise=0.0)
    trials, pings = [], []
    for at, one in enumerate(plain.observations):
        ns, crossed = (500.0, 1.4) if one.round == 4 else (90.0, 1.0)
        trials.append(replace(one, concurrent=3 * (one.round >= 4), figures={"latency_ns.typical": ns}))
        before, after = plain.states.pings[2 * at : 2 * at + 2]
        pings += [before, replace(after, ns=crossed * (after.ns or 0.0))]
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
    assert [case.placement.cpus for case in made[::3]] == [(0, 4), (0, 5), (4, 5), (4, 0), (5, 0), (5, 4)]
    assert [case.placement.name for case in made[::3]] == ["cross-node", "cross-node", "same-l3"] * 2
    assert [case.home for case in made[:3]] == [None, Home("second", (4,)), Home("0", (0, 1, 2, 3))]


def test_records_have_every_cell_and_what_other_tools_write_the_leading_ones() -> None:
    answer = answer_of(EIGHT, noise=0.0)
    of = matrix_of(answer)
    cells, groups, states = STUDY.sheets(answer, of)
    assert [line.split(",")[0] for line in as_csv(groups).splitlines()] == ["named", "same L3", "other L3"]
    assert records_of(states)[0].items() >= {"cpus": (0, 1), "core_to_core_ns": 24.0, "share": 1.0}.items()
    written = as_csv(cells).splitlines()
    assert len(written) == 29
    first = next(csv.DictReader(written))
    figures = ("latency_ns.typical", "latency_ns.typical_range.lo", "state.core_to_core_ns", "lines_spread")
    assert [first[name] for name in ("cpus", "placement", "trials", "leads")] == ["0,1", "same-l3", "3", "True"]
    assert [first[name] for name in figures] == ["24.0", "24.0", "24.0", "0.13"]
    assert c2clat(of.map).splitlines()[1].split() == ["0", "0", "24", "24", "24", "87", "87", "87", "87"]


@pytest.mark.parametrize(("cpus", "said"), [(4, ""), (5, "The first 6 of 10 rows: CSV and JSON have all.")])
def test_a_page_has_the_first_rows_and_says_of_how_many(cpus: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert survey.MOST_ON_PAGE == 500
    monkeypatch.setattr(survey, "MOST_ON_PAGE", 6)
    (section,) = [one for one in article_of(answer_of(machine(cpus, 8, 8), trials=1)).sections if one.name == "signal"]
    table, *sentences = (printed(block, 200) for block in section.blocks)
    assert "".join(sentences).strip() == said
    assert len([line for line in table.splitlines() if "same-l3" in line]) == 6


def test_every_pair_has_lines_of_its_own_made_by_its_first_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[Request]()

    def start(wanted: list[Bounded]) -> list[ProcessEnd]:
        for one in wanted:
            given = dict(zip(one.command[2::2], one.command[3::2], strict=True))
            started.append(msgspec.json.decode(Path(given["--request"]).read_bytes(), type=Request))
        return [ProcessEnd(0, "", 1)] * len(wanted)

    monkeypatch.setattr("threadping.probes.process.run_together", start)
    cases = cases_of(pairing(range(4)), machine(4, 2, 4))
    plan = Plan(cases, (0.0,) * len(cases), (Length(0.02, 0.02),) * len(cases), (0.02,) * len(cases), 1, 7, PACES)
    program = Runtime("cpp", "cpp", ("/probe",), "")
    run_trials([Launch(program, plan.request(case, Length(0.02, 0.02), 0, 4), 1.0) for case in cases])
    assert len(started) == len(cases) == 6
    for one, pair in zip(started, combinations(range(4), 2), strict=True):
        assert ([thread.cpu for thread in one.threads], one.home, one.lines) == ([*pair], (pair[0],), 256)
