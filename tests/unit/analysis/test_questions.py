"""The questions of the first screen, and what is compared over several rows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.crowded import answers
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, RUN, SIGNAL, Given, codes
from tests.unit.studies.matrix.planted import machine
from threadping.analysis.answer import Answer, PairTrial, checked, parallel
from threadping.analysis.declaration import Question, Row
from threadping.analysis.latency_map import groups, ordered, system_says
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.questions import QuestionLine
from threadping.analysis.questions import question_lines as lines
from threadping.model.cases import Busy, Case, Home, Placement, WarmupPolicy
from threadping.model.contract import SCHEMA, Cpu, Topology


def row(*, of: Mapping[str, float] | None = None, trials: int = 6, **changes: Any) -> Row:
    """Return a row of a lock, by default with two threads and the usual settings."""
    return Given(of or {}, replace(LOCK, **changes), trials).row


def answered(rows: Sequence[Row], mechanism: str = "ticket-lock", **asked: Any) -> list[QuestionLine]:
    question = Question("take it, {groups}", mechanism, **asked)
    declared = replace(DECLARED["lock"], questions=(question, question))  # what shows the same twice is shown once
    return lines(Answer(RUN, (), tuple(rows), {"lock": declared}))


def on(name: str, *cpus: int | None) -> dict[str, Any]:
    return {"placement": Placement(name, cpus or (0, 1))}


def threads(number: int) -> dict[str, Any]:
    return on("same-l3", *range(number))


def test_the_row_whose_condition_is_nearest_answers() -> None:
    rows: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {"placement": Placement("same-l3", (0, 1), "process")}),
        ({}, {"home": Home("contender", (1,))}),
        ({}, {"warmup": WarmupPolicy(1, 5)}),
        ({}, {"busy": Busy(1)}),
        ({"busy": Busy(1)}, {"busy": Busy(1), "home": Home("contender", (1,))}),
        (on("smt"), on("cross-node")),
        ({**on("smt"), "busy": Busy(9)}, {}),  # the closest CPUs first
        (on("cross-node"), on("same-cpu", 0, 0)),
        (on("same-cpu", 0, 0), on("unpinned", None, None)),
        (threads(8), threads(1)),  # of four
        (threads(3), threads(6)),
        (threads(1), {**threads(4), "trials": 0}),  # nothing is known about it
        ({"busy": Busy(1)}, {"trials": 0}),
    ]
    for nearer, further in rows:
        wanted, other = row(**nearer), row(**further)
        for both in ((wanted, other), (other, wanted)):
            (found,) = answered(both, groups=4)
            assert found.rows == {"cpp": (wanted,)}


def test_where_it_scales_the_fewest_threads_and_the_most_with_a_cpu_each_answer_and_a_missing_end_stays_open() -> None:
    alone, two, three = (row(**threads(number)) for number in (1, 2, 3))
    crowded = row(**on("same-l3", 0, 1, 0, 1))
    (found,) = answered([two, crowded, three, alone], scales=True)
    assert (found.operation, found.rows) == ("take it, 1 \N{RIGHTWARDS ARROW} 3 threads", {"cpp": (alone, three)})
    assert answered([crowded], scales=True) == []
    both = [row(**threads(number)) for number in (1, 2)]
    java = row(runtime="java-17", **threads(2))
    (found,) = answered([*both, java], scales=True)
    assert (found.counts, found.rows) == ((1, 2), {"cpp": tuple(both), "java-17": (java,)})


def test_a_line_holds_rows_of_one_mechanism_though_a_language_lacks_it() -> None:
    cpp, java = row(mechanism="std-barrier"), row(mechanism="cyclic-barrier", runtime="java-17")
    (found,) = answered([java, cpp], "std-barrier")
    assert found.rows == {"cpp": (cpp,)}
    assert answered([java], "std-barrier") == []


@pytest.mark.parametrize("place", [0, 1])
def test_the_rows_of_a_line_are_of_one_condition_and_a_runtime_without_it_has_none(place: int) -> None:
    """One runtime lacks the nearest condition: its other figure would contradict the words above it."""
    conditions = [({}, on("unpinned", None, None)), (on("smt"), on("same-l3", 0, 1))][place]
    near, far = (row(**of) for of in conditions)
    java = row(runtime="java-17", **conditions[1])
    (found,) = answered([near, far, java])
    assert found.rows == {"cpp": (near,)}
    (both,) = answered([far, java])
    assert both.rows == {"cpp": (far,), "java-17": (java,)}


def test_a_pinned_case_that_was_not_reached_is_not_answered_by_an_unpinned_one() -> None:
    missing, anywhere = row(trials=0), row(**on("unpinned", None, None))
    (found,) = answered([missing, anywhere])
    assert (found.operation, found.rows) == ("take it, 2 threads", {"cpp": (missing,)})


def test_unpinned_threads_answer_only_where_they_are_asked_for_and_elsewhere_are_named() -> None:
    pinned, anywhere = row(), row(**on("unpinned", None, None))
    assert [one.rows["cpp"] for one in answered([pinned, anywhere], unpinned=True)] == [(anywhere,)]
    (found,) = answered([anywhere])
    assert (found.label, found.rows["cpp"]) == ("ticket-lock, unpinned", (anywhere,))


def test_rows_of_unlike_regimes_have_no_ratio() -> None:
    questions = tuple(Question(name, name) for name in ("mutex", "ticket-lock"))
    declared = {"signal": replace(DECLARED["signal"], questions=questions)}
    base = Given({"latency_ns.typical": 20.0}, replace(SIGNAL, mechanism="mutex")).row
    other = replace(base, case=replace(base.case, mechanism="ticket-lock"))
    for regime, ratio in (("", 1.0), ("keeps up", None)):
        found = lines(Answer(RUN, (), (base, replace(other, regime=regime)), declared))
        assert [line.ratio for line in found] == [1.0, ratio]


CHANCE = Random(2)


def trials(crowded: float, pairs: int = 12, noise: float = 0.0, level: float | None = 26.0) -> list[list[PairTrial]]:
    """Each pair once in the first pass, once in the second, and three times alone."""

    def ns(of: float) -> float:
        return of * exp(CHANCE.gauss(0, noise))

    return [
        [
            PairTrial(ns(base * crowded), level, concurrent=True, is_first=True),
            *(PairTrial(ns(base), level, concurrent=False) for _ in range(3)),
            PairTrial(ns(base * crowded), level, concurrent=True),
        ]
        for base in (20.0 + place for place in range(pairs))
    ]


def test_beyond_two_percent_they_are_not_used() -> None:
    for crowded, alike in ((1.0, "yes"), (1.019, "yes"), (1.03, "no"), (0.97, "no")):
        found = parallel(trials(crowded))
        assert found is not None
        assert found.ratio.value == pytest.approx(crowded)
        assert (found.ratio.kind, found.pairs, found.alike, found.is_used) == ("ci95", 12, alike, alike == "yes")


def test_an_interval_that_is_not_whole_on_one_side_tells_nothing_and_few_pairs_do_not_either() -> None:
    for few in ([*trials(0.99, 6), *trials(1.035, 6)], trials(1.0, 5)):
        found = parallel(few)
        assert found and (found.alike, found.is_used) == ("cannot tell", False)


@pytest.mark.parametrize(("crowded", "noise", "wrong", "most"), [(1.0, 0.03, "no", 0.02), (1.05, 0.03, "yes", 0.01)])
def test_what_is_said_is_rarely_wrong(crowded: float, noise: float, wrong: str, most: float) -> None:
    shares, _ = answers(crowded, noise, machines=60)
    assert shares[wrong] <= most


def test_the_slowest_decide_too_but_not_who_was_slow_by_chance_in_the_first_pass() -> None:
    slow = [[replace(one, ns=9 * one.ns) for one in of_it] for of_it in trials(1.1, 3)]
    found = parallel([*trials(1.0), *slow])
    assert found is not None and found.slowest is not None
    assert found.slowest.value == pytest.approx(1.1)
    assert (found.ratio.value, found.is_used) == (1.0, False)
    refused = sum(found.alike == "no" for _ in range(25) if (found := parallel(trials(1.0, 120, noise=0.01))))
    assert refused == 0


def test_trials_of_another_state_are_not_compared() -> None:
    moved = [[*of_it[:4], PairTrial(5 * of_it[4].ns, 130.0, concurrent=True), of_it[4]] for of_it in trials(1.0)]
    found = parallel(moved)
    assert found is not None and found.ratio.value == 1.0
    assert parallel([of_it[:4] for of_it in trials(1.0)]) is None
    assert parallel([of_it[:1] for of_it in trials(1.0)]) is None


def test_of_a_pair_in_two_states_those_of_one_are_compared_whether_both_were_seen_as_often_or_not() -> None:
    def moved(alone: list[float], beside: float) -> float | None:
        levels = [*((level, False) for level in alone), (beside, True)]
        found = parallel([[PairTrial(level - 4, level, concurrent=of) for level, of in levels]])
        return found.ratio.value if found else None

    assert moved([24.0, 24.0, 120.0, 120.0], 24.0) == 1.0
    assert moved([24.0, 120.0, 121.0], 120.0) == pytest.approx(116 / 116.5)
    assert moved([24.0, 24.0, 120.0, 120.0], 72.0) is None  # which is far from both
    assert moved([24.0, 120.0, 120.0], 24.0) is None


def test_who_is_measured_alone() -> None:
    chosen = checked(range(2000), [*range(1999, -1, -1)])
    assert chosen == [*range(20), *range(1999, 1899, -1)]
    assert sorted(checked(range(6), range(6))) == [0, 1, 2, 3, 4, 5]


CLOCK = 20.0
FAIR = replace(LOCK, mechanism="reentrant-lock-fair", runtime="java-17", blocking=True)
ALONE = replace(LOCK, placement=Placement("same-cpu", (1,)))
TEN, TEN_EACH = replace(QUEUE, params={"depth": 10, "producers": 2}), 20
FULL = replace(QUEUE, params={"depth": 0})

BY_PACE = "operations were 1.4 times as slow while some of them were timed"
BY_TRIALS = "trials differ: each by itself keeps to it"
OF_TWO_KINDS = "they are of two kinds, and the short ones keep the mean within it"
UNKNOWN = "why is not known"


def loop(takes: float, waits: float | Sequence[float], case: Case = FAIR, pace: float = 1.0, half: int = 1) -> Row:
    """Trials in which an operation takes its thread so long by the rate, and so long on average where it is timed."""
    under_way = TEN_EACH if case == TEN else case.threads
    rate = under_way * 1e9 / takes
    figures = {"ops_per_s": rate, "latency_ns.mean": waits, "sampling_pace": pace, "clock_cost_ns": CLOCK}
    return Given(figures, case, timed=make_distribution((half,), (12_000,))).row


def missed(row: Row) -> tuple[str, float, str] | None:
    """Return the figure, the factor and the reason."""
    found = [one.facts for one in row.findings if one.code == "closed-loop"]
    return next(((str(one["which"]), float(one["factor"]), str(one["why"])) for one in found), None)


def test_a_missed_identity_is_reported_with_figure_and_reason() -> None:
    rows: list[tuple[Row, str, float, str]] = [
        (loop(17_200, 23_300, pace=1.4), "mean", 23_300 / 17_220, BY_PACE),
        (loop(17_200, 23_300), "mean", 23_300 / 17_220, UNKNOWN),
        (loop(17_200, [17_000] * 5 + [55_000]), "mean", 140_000 / 6 / 17_220, BY_TRIALS),
        (loop(17_200, 17_000, half=23_300), "median", 23_300 / 17_220, OF_TWO_KINDS),
        (loop(400, 1_000, TEN), "mean", 1_000 / 420, UNKNOWN),
        (loop(160, 340, LOCK), "mean", 340 / 180, "the clock readings around an operation are more than 10% of that"),
    ]
    for row, which, factor, why in rows:
        found = missed(row)
        assert found is not None
        assert (found[0], found[2][: len(why)]) == (which, why)
        assert found[1] == pytest.approx(factor, rel=0.02)


def test_nothing_is_said_where_the_identity_is_kept_or_there_is_none() -> None:
    """Nobody knows how many are on their way to a full queue, and alone nobody else is there."""
    kept = loop(17_200, 18_900), loop(17_200, 17_000, half=18_900), loop(100, 1_000, FULL), loop(100, 1_000, ALONE)
    assert [missed(row) for row in kept] == [None] * 4


@pytest.mark.parametrize(("spread", "most"), [(0.1, 0.02), (0.3, 0.35)])
def test_trials_that_keep_the_identity_are_seldom_said_to_miss_it(spread: float, most: float) -> None:
    """Waits of each trial are what its own rate allows, within 2%; trials differ by so much."""
    rng = np.random.default_rng(41)
    alarms = 0
    for _ in range(rows := 50):
        takes = 17_200 * rng.lognormal(0, spread, 6)
        waits = takes * rng.normal(1, 0.02, 6)
        figures = {"ops_per_s": (2e9 / takes).tolist(), "latency_ns.mean": waits.tolist()}
        alarms += missed(Given(figures, FAIR).row) is not None
    assert alarms / rows <= most


@pytest.mark.parametrize("ns", [0.3, 19.9])
def test_what_is_cheaper_than_a_reading_of_the_clock_has_a_rate_and_no_percentiles_and_no_regime(ns: float) -> None:
    """Whatever the two kinds of window say of each other."""
    row = loop(ns, 40, ALONE, pace=3.0, half=40)
    assert codes(row) == [("cheaper-than-clock", "note")]
    assert {"takes": pytest.approx(ns), "cost": CLOCK, "op": "increment"} == row.findings[0].facts
    assert row.headline and row.headline.value == pytest.approx(1e9 / ns)
    shown = {f"latency_ns.{name}" for name in (*PERCENTILE_NAMES, "mean", "samples")} & row.figures.keys()
    assert not shown | {name for name in row.figures if name.startswith(("outliers.", "lock.wait"))}


def test_what_takes_as_long_as_a_reading_is_timed() -> None:
    for row in (loop(20.1, 30, ALONE), loop(20.1, 30, LOCK), loop(20.1, 30, TEN)):
        assert "cheaper-than-clock" not in dict(codes(row))
        assert "latency_ns.p50" in row.figures


def test_of_messages_in_flight_and_of_round_trips_the_rate_stays_too_and_a_slow_clock_has_its_own_warning() -> None:
    quick = loop(19, 30, TEN)
    assert quick.headline and "latency_ns.typical" not in quick.figures
    tripping = Given({"ops_per_s": 2e9 / 19, "latency_ns.typical": 9.5, "clock_cost_ns": CLOCK}, SIGNAL).row
    assert dict(codes(tripping))["cheaper-than-clock"] == "note"
    assert (tripping.value("latency_ns.typical"), tripping.value("latency_ns.p50")) == (9.5, None)
    slow = Given({"ops_per_s": 66e6, "clock_cost_ns": 500.0}, ALONE, timed=make_distribution((515,), (12_000,)))
    assert codes(slow.row) == [("slow-clock", "warning")]


SIBLINGS = machine(16, 4, 8, siblings=True)
"""Two packages of two L3s of two cores of two CPUs; siblings are eight apart."""

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
"""Output of `threadping-probe topology` for the machines in the tests of hwloc 2.9.0 (THIRD-PARTY.md), by columns;
CPUs are in the order of hwloc."""

BLANK = Topology("blank", tuple(Cpu(number, None, None, None, None, None) for number in range(4)), (0, 1, 2, 3), SCHEMA)


def recorded(name: str) -> Topology:
    rows = zip(*RECORDED[name].values(), strict=True)
    cpus = sorted((Cpu(*row) for row in rows), key=lambda cpu: cpu.cpu)
    return Topology("hwloc 2.9.0", tuple(cpus), tuple(cpu.cpu for cpu in cpus), SCHEMA)


IN_EPYC = {"same core": 48, "same L3": 192, "other L3": 288, "other node": 1_728, "other package": 2_304}
IN_BOTH = {"same node": 84, "other node": 98, "other package": 196}
IN_KNL = {"same core": 96, "same L2": 128, "same node": 256, "other node": 1_536}


def test_recorded_machines_are_ordered_as_by_hwloc() -> None:
    rows: list[tuple[str, Sequence[int], Mapping[str, int]]] = [
        # 24 nodes of 8 cores, 384 CPUs
        ("192em64t-24n8c2t", (0, 192, 1, 193, 2), {"same core": 192, "same L3": 2_688, "other package": 70_656}),
        # packages of four nodes of two L3s of three cores
        ("AMD-17h-Zen-2xEpyc-7451", (0, 48, 1, 49, 2), IN_EPYC),
        # four CPUs to a core, two cores to an L2, no L3
        ("64intel64-fakeKNL-SNC4-hybrid", (0, 16, 32, 48, 1), IN_KNL),
        # packages without nodes of their own, numbered alternately
        ("16em64t-4s2c2t", (0, 8, 4, 12, 1), {"same core": 8, "same L3": 16, "other package": 96}),
        # four packages to a node, two cores to an L2
        ("96em64t-4n4d3ca2co", (0, 4, 8, 12, 16), {"same L2": 48, "same L3": 192, "other package": 4_320}),
        # packages of two nodes, nothing known of caches
        ("28intel64-2p2g7c-CoDgroups.v1tov2", (0, 1, 2, 3, 4), IN_BOTH),
        ("128arm-2pa2n8cluster4co", (0, 1, 2, 3, 4), {"same L3": 1_984, "other node": 2_048, "other package": 4_096}),
    ]
    for name, begins, kinds in rows:
        topology, of_hwloc = recorded(name), tuple(RECORDED[name]["cpu"])
        assert ordered(topology, [cpu.cpu for cpu in topology.cpus]) == of_hwloc
        assert of_hwloc[:5] == begins
        assert Counter(system_says(one, other) for one, other in combinations(topology.cpus, 2)) == kinds


def test_a_large_core_comes_before_the_small_ones_of_a_recorded_machine() -> None:
    topology = recorded("5intel64-hybrid-lakefield")
    assert ordered(topology, range(5)) == (4, 0, 1, 2, 3)
    said = Counter(system_says(one, other) for one, other in combinations(topology.cpus, 2))
    assert said == {"same L2 E-E": 6, "same L3 P-E": 4}


@given(st.integers(2, 40), st.sampled_from([2, 4, 8]), st.data())
def test_every_cpu_is_in_one_group_and_groups_are_never_too_many(cpus: int, of_l3: int, data: st.DataObject) -> None:
    topology = machine(cpus * 2, of_l3, 2 * of_l3, siblings=True)
    order, at_most = ordered(topology, range(cpus * 2)), data.draw(st.integers(1, 100))
    found = groups(topology, order, at_most)
    assert [cpu for group in found for cpu in group] == list(order)
    assert len(found) <= at_most


def test_groups_are_the_smallest_that_fit_and_equal_parts_where_nothing_is_known() -> None:
    order = ordered(SIBLINGS, range(16))
    assert [len(groups(SIBLINGS, order, at_most)) for at_most in (16, 15, 8, 7, 4, 3, 1)] == [16, 8, 8, 4, 4, 2, 1]
    assert groups(SIBLINGS, order, 4)[1] == (2, 10, 3, 11)
    assert [len(group) for group in groups(machine(64, 2, 32), range(64), 8)] == [8] * 8  # not two packages
    assert groups(BLANK, (0, 1, 2, 3), 2) == groups(None, (0, 1, 2, 3), 2) == [(0, 1), (2, 3)]
    assert ordered(BLANK, [3, 1, 0, 2]) == (0, 1, 2, 3)


def test_what_the_system_says_of_two_cpus() -> None:
    cpus = {cpu.cpu: cpu for cpu in SIBLINGS.cpus}
    said = [system_says(cpus[0], cpus[other]) for other in (8, 1, 2, 4)]
    assert said == ["same core", "same L3", "other L3", "other package"]
    assert system_says(Cpu(0, 0, None, None, None, 0), Cpu(1, 1, None, None, None, 0)) == "same node"
    assert system_says(BLANK.cpus[0], BLANK.cpus[1]) == system_says(cpus[0], BLANK.cpus[1]) == ""
    assert system_says(Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 1, 1, 0)) == "other node"
