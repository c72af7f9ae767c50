"""Blocks as they are read from a run, with their metrics."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden import calls, fixture, minute
from tests.golden.fixture import APART, DECLARED, MACHINE, RUN, make_case
from tests.unit.analysis import examples
from threadping.analysis.analyse import analyse, analyse_headlines
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Check, Finding, finding
from threadping.analysis.runs import beside_each_other
from threadping.conduct.presenting import Output
from threadping.conduct.stored import observations_of
from threadping.model.cases import Side
from threadping.model.errors import UsageError
from threadping.model.run import Comparing, Failure, Observation, ReferencePing, Run, is_same
from threadping.store.store import Store, open_store
from threadping.studies.compare import output, permutation
from threadping.studies.compare import study as compare
from threadping.studies.compare.output import among
from threadping.studies.compare.study import STUDY, Pairs, having
from threadping.studies.compare.verdict import compared, measured_pairs

A, B = make_case("cas-one-line", "java-17", APART), make_case("cas-one-line", "java-25", APART)
OF = Comparing("runtime", "java-17", "java-25", ((0, 1),), "headline", 0.03)
COMPARING = replace(RUN, cases=(A, B), study=OF, rounds=4, skipped=())
ORDERS: tuple[tuple[Side, ...], ...] = (("a", "b", "b", "a"), ("b", "b", "a", "a"), ("a", "a", "b", "b"))


def observed(side: Side, block: int, ns: float | None, case: Any = None) -> Observation:
    failure = Failure("crashed", "It crashed.") if ns is None else None
    figures = {} if ns is None else {"latency_ns.typical": ns, "ops_per_s": 1e9 / ns, "cpu_ns_per_op": 2 * ns}
    of = case or (A if side == "a" else B)
    return Observation(block, 0, of, failure, 100_000_000, figures, side=side)


def trials(blocks: int, ratio: float = 1.1) -> list[Observation]:
    """Return trials: A takes 25 ns with small differences, B `ratio` times as long."""
    found = []
    for block in range(blocks):
        for place, side in enumerate(ORDERS[block % 3]):
            ns = 25 + (7 * block + 3 * place) % 5 / 100
            found.append(observed(side, block, ns * (ratio if side == "b" else 1)))
    return found


def pings(levels: Sequence[float]) -> list[ReferencePing]:
    """One before the first trial, and one after each."""
    return [ReferencePing((0, 1), float(at), at, ns, wall_ns=10_000_000) for at, ns in enumerate(levels)]


def test_a_block_has_its_trials_in_order_with_the_pings_around_each_and_the_first_one_is_thrown_away() -> None:
    given = trials(2)
    (only,) = measured_pairs(analyse(COMPARING, given, pings([20.0 + at for at in range(9)]), DECLARED), OF)
    values = [one.figures["latency_ns.typical"] for one in given[4:]]
    (block,) = only.blocks
    assert [(one.side, one.value) for one in block.trials] == [*zip(ORDERS[1], values, strict=True)]
    assert [one.before_ns for one in block.trials] == pytest.approx([24.0, 25.0, 26.0, 27.0])
    assert [one.after_ns for one in block.trials] == pytest.approx([25.0, 26.0, 27.0, 28.0])


def test_a_block_that_was_cut_off_counts_for_nothing_and_a_trial_that_failed_has_no_value() -> None:
    given = trials(3)[:-1]
    given[5] = observed("b", 1, None)
    (only,) = measured_pairs(analyse(COMPARING, given, (), DECLARED), OF)
    blocks = only.blocks
    assert len(blocks) == 1
    assert [one.value is None for one in blocks[0].trials] == [False, True, False, False]
    assert {(one.before_ns, one.after_ns) for one in blocks[0].trials} == {(None, None)}


def test_two_comparisons_and_one_of_a_thing_with_itself_have_each_their_own_blocks() -> None:
    run = replace(COMPARING, cases=(A, B, make_case("condition", "java-17", APART)))
    of = replace(OF, pairs=((0, 1), (2, 2)))
    itself = [observed(side, block, 9.0, run.cases[2]) for block in (0, 1) for side in ORDERS[0]]
    given = trials(2)
    mixed = given[:4] + itself[:4] + given[4:] + itself[4:]
    one, other = (pair.blocks for pair in measured_pairs(analyse(run, mixed, (), DECLARED), of))
    assert [trial.side for trial in one[0].trials] == [*ORDERS[1]]
    assert [(trial.side, trial.value) for trial in other[0].trials] == [(side, 9.0) for side in ORDERS[0]]


def test_a_block_takes_as_long_as_its_trials_and_their_pings() -> None:
    answer = analyse(COMPARING, trials(3), pings([25.0] * 13), DECLARED)
    assert [one.seconds_per_block for one in measured_pairs(answer, OF)] == pytest.approx([0.4 + 0.04 * 13 / 12])


def test_a_run_is_compared_by_its_metric_and_a_rate_the_other_way_round() -> None:
    answer = analyse(COMPARING, trials(10), pings([25.0] * 41), DECLARED)
    (one,) = compared(answer, OF)
    assert (one.test.answer, one.test.blocks) == ("slower", 9)
    assert [one.test.ratio, one.values[0]] == pytest.approx([1.1, 25.02], rel=1e-3)
    (rate,) = compared(answer, replace(OF, metric="rate"))
    assert rate.test.answer == "slower"
    assert rate.test.ratio == pytest.approx(1 / 1.1, rel=1e-3)
    (p99,) = compared(answer, replace(OF, metric="p99"))
    assert (p99.test.answer, p99.test.reasons[0]) == ("cannot-tell", "metric-absent")


def test_a_thing_and_itself_have_no_chart() -> None:
    run = replace(COMPARING, study=replace(OF, what="", a="", b=""))
    answer = analyse(run, trials(10, ratio=1.0), pings([25.0] * 41), DECLARED)
    assert (result := STUDY.read(answer, None)).found and not STUDY.charts(answer, result)


def test_what_was_judged_once_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = analyse(COMPARING, trials(10, ratio=1.07), pings([25.0] * 41), DECLARED)
    first = compared(answer, OF)
    monkeypatch.setattr(permutation, "shift", None)
    assert compared(answer, OF) == first


def test_a_side_that_never_succeeded_is_a_reason_to_doubt() -> None:
    given = [observed("a", 0, 25.0), observed("b", 0, None), observed("b", 0, None)]
    (one,) = compared(analyse(COMPARING, given, (), DECLARED), OF)
    assert (one.test.answer, "failures" in one.test.reasons) == ("cannot-tell", True)


def test_the_figures_next_to_a_ratio_come_from_its_trials() -> None:
    """The machine moved during 10% of the run, and with it the trials of A: those are masked."""
    given, levels = trials(10), [25.0] * 41
    for at in range(8, 16):
        given[at] = observed(given[at].side or "a", at // 4, 300.0)
        levels[at] = 25.0 if at % 2 else 130.0
    (one,) = compared(analyse(COMPARING, given, pings(levels), DECLARED), OF)
    assert one.test.masked >= 8
    assert one.values == pytest.approx((25.02, 27.52), rel=2e-3)
    assert one.test.ratio == pytest.approx(1.1, rel=1e-3)


def test_another_metric_of_a_run_is_read_as_a_look_at_it_and_not_as_its_end() -> None:
    """Nine blocks are a look of thirty: what ended there by another figure has no more level than that look."""
    run = replace(COMPARING, rounds=30)
    answer = analyse(run, trials(10, ratio=1.0), pings([25.0] * 41), DECLARED)
    (own,), (cpu,) = compared(answer, OF), compared(answer, replace(OF, metric="cpu"))
    (narrow,) = compared(answer, replace(OF, margin=0.0001))
    assert own.test.answer == "same" and cpu.metric.figure == "cpu_ns_per_op"
    assert cpu.test.decides and cpu.test.decides == pytest.approx(own.test.decides)
    assert narrow.test.decides == own.test.decides


def test_a_figure_that_its_row_hides_is_never_gated() -> None:
    """B does not sustain the rate, so its latency means nothing: `show` hides it."""
    hiding = Check[Any](lambda row: [finding("not-held")] * (row.case == B), ("not-held",), hides=("latency_ns",))
    declared = {**DECLARED, "signal": replace(DECLARED["signal"], checks=(hiding,))}
    answer = analyse(COMPARING, trials(10), pings([25.0] * 41), declared)
    (one,) = compared(answer, OF)
    assert (one.test.answer, one.test.decides, one.test.slower) == ("cannot-tell", None, None)
    assert one.test.reasons[0] == "not-held" and one.test.direction is None
    (rate,) = compared(answer, replace(OF, metric="rate"))
    assert rate.test.answer == "slower"


def night(number: int, ns: float, apart: float = 25.0, run: Run = RUN) -> Any:
    """A run of six trials of A, all in one state."""
    given = [replace(observed("a", trial, ns), side=None) for trial in range(6)]
    of = replace(run, id=number, cases=(A,))
    return analyse(of, given, [replace(one, at=one.at + 100 * number) for one in pings([apart] * 7)], DECLARED)


def test_runs_are_compared_by_the_state_that_they_were_in() -> None:
    (pair,) = beside_each_other(night(1, 25.0), night(2, 30.0, apart=26.0))
    assert pair.key.case == A
    assert [pair.ratio(1), pair.key.core_to_core_ns] == pytest.approx([1.2, 25.5])
    assert beside_each_other(night(1, 25.0), night(2, 120.0, apart=127.0)) == []


def test_a_run_next_to_other_programs_has_no_ratio_to_another() -> None:
    loaded = night(2, 30.0)
    rows = (replace(row, findings=(Finding("other-load", "warning", {"share": 0.4}),)) for row in loaded.rows)
    (pair,) = beside_each_other(night(1, 25.0), replace(loaded, rows=tuple(rows)))
    assert pair.ratio(1) is None


def test_tonight_is_outside_only_if_it_is_odder_than_every_night_before() -> None:
    before = [night(at, 25 + at % 4 / 10) for at in range(1, 12)]
    assert among(night(12, 25.2), before).outside is False
    odd = among(night(12, 31.0), before)
    assert (odd.outside, odd.nights, odd.false_alarms) == (True, 11, 1 / 12)
    (standing,) = odd.figures.values()
    assert (standing.below, standing.low, standing.high) == (11, 25.0, 25.3)
    far = among(night(12, 125.0, apart=127.0), before)
    assert (far.figures, far.outside) == ({}, False)


def test_a_machine_is_known_by_what_does_not_drift() -> None:
    rows: list[tuple[dict[str, Any], bool]] = [
        ({"hostname": "elsewhere", "memory_bytes": 1, "governor": "performance", "clock_source": "hpet"}, True),
        ({"cpu_model": "Intel"}, False),
        ({"kernel": "Linux 6.2"}, False),
        ({"hypervisor": None}, False),
        ({"topology": replace(MACHINE.topology, cpus=MACHINE.topology.cpus[:1])}, False),
    ]
    for other, same in rows:
        assert is_same(MACHINE, replace(MACHINE, **other)) is same


def test_what_other_programs_ran_next_to_is_in_neither_the_ratio_nor_the_figures() -> None:
    """Half of the blocks had other programs on their CPUs, and B took three times as long there."""
    given = [replace(one, others=0.3 * (one.round % 2)) for one in trials(13, ratio=1.0)]
    for at, trial in enumerate(given):
        if trial.others and trial.side == "b":
            given[at] = replace(trial, figures={name: 3 * ns for name, ns in trial.figures.items()})
    (one,) = compared(analyse(COMPARING, given, pings([25.0] * 53), DECLARED), OF)
    assert (one.test.answer, one.test.blocks, one.test.disturbed) == ("same", 6, 6)
    assert one.values == pytest.approx((25.02, 25.02), rel=1e-3)
    every = [replace(other, others=0.3) for other in given]
    (none,) = compared(analyse(COMPARING, every, pings([25.0] * 53), DECLARED), OF)
    assert (none.test.answer, none.values, none.test.slower) == ("cannot-tell", (None, None), None)
    assert none.test.why == "other programs used 30% of the CPU time during its trials (other-load)"


RINGS = [replace(make_case(name, "cpp", APART), experiment="queue") for name in ("sequenced-ring", "disruptor")]
SIGNALS = [make_case(name, "cpp", APART) for name in ("cas-one-line", "release-one-line")]


@pytest.mark.parametrize("asked", ["p99", "mean"])
def test_time_in_a_full_queue_is_refused_before_it_is_measured(asked: str) -> None:
    """It was compared as latency: "B is slower: 7.590x", with exit code 3."""
    rings = (RINGS[0], RINGS[1])
    with pytest.raises(UsageError, match=rf"--metric {asked}. Time in a full queue is no latency: give --depth 1"):
        having(Pairs((rings,), ()), asked)
    both = having(Pairs((rings, (SIGNALS[0], SIGNALS[1])), ()), asked)
    assert both.found == ((SIGNALS[0], SIGNALS[1]),)
    assert [one.what for one in both.skipped] == ["queue sequenced-ring cpp same-l3"]
    in_flight = tuple(replace(case, params={"depth": "1"}) for case in rings)
    assert len(having(Pairs(((in_flight[0], in_flight[1]),), ()), asked).found) == 1
    assert having(Pairs((rings,), ()), "headline").found == (rings,)


def test_a_figure_that_an_experiment_does_not_have_is_refused() -> None:
    paced = replace(SIGNALS[0], experiment="load")
    with pytest.raises(UsageError, match=r"--metric rate\. load has no such figure"):
        having(Pairs(((paced, paced),), ()), "rate")


def test_an_experiment_that_is_known_no_more_keeps_its_places_since_pings_are_counted_by_trials() -> None:
    """The observations in the store are of an older form."""
    cases = [replace(examples.SIGNAL, experiment=name) for name in ("signal", "gone", "signal")]
    trial, made = (of(examples.SIGNAL, examples.result()) for of in (examples.trial, examples.observed))
    shelf: Any = SimpleNamespace(
        trials=lambda _: [replace(trial, case=case) for case in cases],
        observations=lambda _: [replace(made, case=case, figures={}, form=0) for case in cases],
    )
    known = [(one.case.experiment, bool(one.figures)) for one in observations_of(shelf, fixture.RUN)]
    assert known == [("signal", True), ("gone", False), ("signal", True)]


@pytest.mark.parametrize("whole", [fixture.ANSWER, fixture.MOVED, minute.ANSWER, calls.ANSWER])
def test_headlines_alone_are_those_of_the_whole_analysis(whole: Answer) -> None:
    of = whole.stored
    few = analyse_headlines(of.run, of.observations, of.pings, whole.declared)
    of_few, of_whole = ([(one.case, one.state, one.headline, one.leads) for one in of.rows] for of in (few, whole))
    assert of_few == of_whole
    assert not few.trials and not any(row.trials or row.ended for row in few.rows)
    assert any(one.headline for one in few.rows)


def test_a_history_reads_the_requested_number_of_runs_and_keeps_none_of_their_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, read = fixture.ANSWER.stored, list[int]()
    kept = list[Answer]()
    with open_store(location := str(tmp_path / "runs.sqlite3")) as store:
        for _ in range(12):
            store.take(of)
        store.take(replace(of, run=replace(of.run, machine=replace(of.run.machine, cpu_model="another"))))
        last = store.take(of)
    observations = Store.observations

    def counted(store: Store, run: Run) -> list[Observation]:
        read.append(run.id)
        return observations(store, run)

    def among(_: Answer, others: list[Answer]) -> None:
        kept.extend(others)
        raise UsageError("It is read.")

    monkeypatch.setattr(Store, "observations", counted)
    monkeypatch.setattr(output, "among", among)
    with pytest.raises(UsageError, match="It is read"):
        compare._history(str(last.id), 4, Output(location=location))
    assert read == [14, 12, 11, 10, 9]
    assert [one.run.id for one in kept] == [9, 10, 11, 12]
    assert [len(one.rows) for one in kept] == [len(fixture.ANSWER.rows)] * 4
    assert not any(one.trials or one.run.cases for one in kept)
