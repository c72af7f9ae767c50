"""Figures and conclusions of `load` from a schedule simulated message by message."""

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import LOAD, MACHINE, observed, result, row
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import Estimate
from threadping.analysis.questions import curve_lines as lines
from threadping.analysis.questions import frontier, frontiers
from threadping.experiments.queues import LOAD as EXPERIMENT
from threadping.model.cases import Case
from threadping.model.contract import MeasuringPhase, Params

DECLARED = EXPERIMENT.figures
DUE, SENT, LATENCY = "due_to_sent_ns", "sent_to_received_ns", "latency_ns"
US, MS = 1_000, 1_000_000


def case(mechanism: str, rate: int = 10_000, **params: int | str) -> Case:
    given: Params = {"rate": rate, **params}
    sleeps = mechanism in ("condition", "spin-then-park")
    return replace(LOAD, mechanism=mechanism, params=given, varied=tuple(given), blocking=sleeps)


def of(mechanism: str, rate: int = 10_000, trials: int = 6, **params: int | str) -> Row:
    asked = case(mechanism, rate, **params)
    return row(asked, *[result(asked)] * trials)


def codes(found: Row) -> list[str]:
    return [one.code for one in found.findings]


def shares(found: Row, figure: str) -> dict[int, int]:
    timed = found.trials[0].distributions[figure]
    return dict(zip(timed.values, timed.counts, strict=True))


def test_jlbhs_example_has_the_queue_that_a_closed_loop_leaves_out() -> None:
    """At ten messages a second, 90% take 1 ms and 10% take 150: the next starts 50 ms late, so p80 to p90 are 51 ms.

    The example is that of Chronicle-Core's PR 30, from which JLBH came.
    """
    found = of("jlbh", rate=10)
    assert shares(found, LATENCY) == {1 * MS: 801, 51 * MS: 99, 150 * MS: 100}
    assert shares(found, DUE) == {0: 901, 50 * MS: 99}
    assert shares(found, SENT) == {1 * MS: 900, 150 * MS: 100}
    assert [found.value(f"{of_it}.p90") for of_it in (LATENCY, SENT)] == [51 * MS, 1 * MS]
    assert [found.value(f"{of_it}.mean") for of_it in (LATENCY,)] == [(801 * 1 + 99 * 51 + 100 * 150) * US]


def test_a_sender_that_stood_still_is_in_the_latency_and_not_in_what_was_sent() -> None:
    """For ten gaps of 100 us: the messages that were due meanwhile are late by what was left of it."""
    found = of("stalled")
    late = {100 * US * step: 1 for step in range(1, 10)}
    assert shares(found, DUE) == {0: 991, **late}
    assert shares(found, LATENCY) == {200: 991, **{ns + 200: 1 for ns in late}}
    assert shares(found, SENT) == {200: 1_000}
    assert [found.value(f"{of_it}.p99") for of_it in (LATENCY, SENT, DUE)] == [200, 200, 0]


def test_the_cpu_is_the_receivers() -> None:
    for mechanism, rate, params, percent, cpu, switches in (
        ("release-one-line", 10_000, {}, 100, 100 * US, 0),
        ("condition", 10_000, {}, 5, 5 * US, 1),
        ("spin-then-park", 10_000, {"spins": 1_000}, 15, 15 * US, 1),
        ("spin-then-park", 100_000, {"spins": 1_000}, 100, 10 * US, 0),
    ):
        found = of(mechanism, rate, **params)
        named = ("cpu_percent", "cpu_ns_per_op", "switches_per_op", "offered_per_s", "sustained_per_s")
        assert [found.value(name) for name in named] == [percent, cpu, switches, rate, rate]
        assert found.figures["cpu_percent"].kind == "ci95"


def test_a_rate_that_is_not_held_says_so_and_has_no_latency() -> None:
    found = of("drowning", rate=100_000)
    assert [(one.code, one.level, dict(one.facts)) for one in found.findings if one.code == "not-held"] == [
        ("not-held", "error", {"held": 61_200.0, "offered": 100_000.0})
    ]
    assert {name.partition(".")[0] for name in found.figures} & {LATENCY, SENT, DUE} == set()
    assert found.timed(LATENCY) == []
    assert found.value("sustained_per_s") == 61_200
    assert "not-held" not in codes(of("drowning", rate=50_000))


def test_a_rate_is_not_held_with_fewer_messages_than_by_chance() -> None:
    rows: list[tuple[Params, int, int]] = [
        ({"arrivals": "constant"}, 985, 991),
        ({"arrivals": "poisson"}, 900, 960),  # 6,000 messages: three times their spread is 3.9%
        ({"arrivals": "bursts", "burst": 10}, 960, 975),  # a burst more or less at either end
    ]
    for arrivals, lost, held in rows:
        asked = replace(LOAD, params={**LOAD.params, **arrivals})
        for messages, is_held in ((lost, False), (held, True)):
            measured = MeasuringPhase(messages, 100_000 * 1_000, cut=False)
            found = row(asked, *[result(asked, measured=measured)] * 6)
            assert ("not-held" in codes(found)) != is_held


def test_a_late_sender_is_a_warning_up_to_a_hundred_thousand_a_second() -> None:
    for rate, warned in ((100_000, True), (200_000, False)):
        exact = result(asked := case("release-one-line", rate))
        late = replace(exact.distributions["due-to-sent"], values=(0, 1_001), counts=(980, 20))
        found = row(asked, *[replace(exact, distributions={**exact.distributions, "due-to-sent": late})] * 6)
        assert ("late-sender" in codes(found)) == warned
        assert found.value("latency_ns.p99") == 200


def test_a_trial_that_measured_nothing_is_an_error_and_never_nan() -> None:
    asked = case("condition")
    given = result(asked)
    nothing = replace(given.windows, ops=((0, 0), (0, 0)))
    assert observed(asked, replace(given, windows=nothing, measured=MeasuringPhase(0, 1_000, cut=False))).figures == {}


def test_the_frontier_is_what_nothing_beats_in_both() -> None:
    spins = [of("spin-then-park", spins=count) for count in (0, 100, 1_000, 10_000)]
    rows = [of("release-one-line"), of("condition"), *spins]
    assert DECLARED.tradeoff
    leading = [
        (one.case.mechanism, one.value("latency_ns.p99"), one.value("cpu_percent"))
        for one in frontier(rows, DECLARED.tradeoff)
    ]
    # A candidate that is significantly better in nothing beats nobody: two equal ones both lead.
    assert leading == [
        *(("release-one-line", 200, 100), ("spin-then-park", 200, 100)),
        *(("condition", 20 * US, 5), ("spin-then-park", 20 * US, 5)),
    ]
    loaded = [replace(one, findings=(Finding("other-load", "warning", {"share": 0.4}),)) for one in rows]
    assert frontier([loaded[0], *rows[1:]], DECLARED.tradeoff)[0].case.mechanism == "spin-then-park"
    assert not frontier(loaded, DECLARED.tradeoff) and not frontiers(loaded, DECLARED)
    (some,) = frontiers([*loaded[:3], *rows[3:]], DECLARED)
    assert len(some.beaten) == 1, "what may not be ranked is not beaten"


def test_a_significant_advantage_in_one_figure_beats_an_insignificant_one_in_the_other() -> None:
    of_what = DECLARED.tradeoff
    assert of_what
    quick, slow = (
        replace(of("release-one-line"), figures={of_what.quick: latency, of_what.cheap: cpu})
        for latency, cpu in (
            (Estimate(10, 9, 11, "ci95"), Estimate(50, 40, 62, "ci95")),
            (Estimate(20, 19, 21, "ci95"), Estimate(50, 41, 60, "ci95")),
        )
    )
    assert frontier([slow, quick], of_what) == [quick]


def test_pareto_frontiers_are_in_the_order_of_their_rates() -> None:
    found = frontiers([of("condition", rate) for rate in (50_000, 10_000, 100_000)], DECLARED)
    assert [one.leading[0].case.params["rate"] for one in found] == [10_000, 50_000, 100_000]


def test_a_curve_over_spins_marks_where_spinning_costs_as_much_as_the_sleep() -> None:
    """A sleep costs 5 us of CPU, and a look 10 ns."""
    gaps, over_spins = DECLARED.curves
    rows = [of("spin-then-park", rate, spins=count) for count in (0, 100, 900, 1_000) for rate in (10_000, 50_000)]
    rows.append(of("condition"))
    slow, quick = sorted(lines(over_spins, rows), key=lambda line: line.row.case.params["rate"])
    assert list(slow.points) == [0, 100, 900, 1_000]
    assert slow.points[100]["cpu_percent"].value == pytest.approx(6)
    assert slow.doubled == quick.doubled == 500
    assert lines(over_spins, rows[:1]) == []
    assert lines(gaps, rows) == []


def test_the_gap_axis_has_the_latency_after_each_gap() -> None:
    (line,) = lines(DECLARED.curves[0], [of("condition", arrivals="idle", idle="drawn"), of("condition")])
    assert [(gap, of_it["p50"].value) for gap, of_it in line.points.items()] == [
        (gap, 20_000 + 5_000 * place) for place, gap in enumerate((1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7))
    ]
    assert line.points[1e4]["p90"].value == 20_000
    assert line.row.value("offered_per_s") is None
    assert [of_it["deepest_idle"].value for of_it in line.points.values()] == [12.5 * place for place in range(8)]


def test_gaps_of_one_length_are_rows_of_one_line_each_with_a_p99_of_its_own() -> None:
    rows = [of("condition", arrivals="idle", idle=gap) for gap in ("100ms", "1ms", "10ms")]
    drawn = of("condition", arrivals="idle", idle="drawn")
    line, other = lines(DECLARED.curves[0], [*rows, drawn])
    names = "p50", "p99", "deepest_idle"
    assert [(gap, *(of_it[name].value for name in names)) for gap, of_it in line.points.items()] == [
        (1e6, 40_000, 60_000, 50.0),
        (1e7, 50_000, 70_000, 75.0),
        (1e8, 60_000, 80_000, 100.0),
    ]
    assert [row.value("offered_per_s") for row in (*rows, drawn)] == [10, 1_000, 100, None]
    assert len(other.points) == 8
    assert lines(DECLARED.curves[0], rows[:1]) == []


def test_a_trial_of_gaps_has_ten_messages_however_long_they_are() -> None:
    seconds = {
        "drawn": (250 / 92, 3.0),
        "1ms": (0.25, 1.25),
        "10ms": (2.5, 3.0),
        "100ms": (3.0, 3.0),
        "1s": (10.0, 10.0),
    }
    lasts = EXPERIMENT.pace.lasts
    assert lasts
    for idle, expected in seconds.items():
        assert lasts(case("condition", arrivals="idle", idle=idle)) == pytest.approx(expected)


def test_the_deepest_idle_state_is_named_where_the_machine_names_it() -> None:
    beneath = DECLARED.curves[0].beneath
    named = beneath(replace(MACHINE, idle_states=("POLL", "C1")))
    assert (named, beneath(MACHINE)) == ("The deepest idle state is C1; the lighter ones are POLL.", "")


def test_energy_is_of_the_whole_machine_for_each_message() -> None:
    given = result(asked := case("condition"))
    assert row(asked, *[given] * 6).value("energy_uj_per_op") is None
    spent = replace(given, machine=replace(given.machine, energy_uj=5_000))
    assert row(asked, *[spent] * 6).value("energy_uj_per_op") == 5_000 / given.measured.ops


def test_a_sleeping_case_has_a_note_where_its_cpu_never_idles_deeply_or_nothing_is_known() -> None:
    exact = result(asked := case("condition", arrivals="idle"))
    deep = {name: one for name, one in exact.distributions.items() if name.startswith("idle")}
    shallow, nothing = (
        {name: replace(one, values=of, counts=(80,) * len(of)) for name, one in deep.items()} for of in ((1,), ())
    )
    awake = replace(asked, mechanism="release-one-line", blocking=False)  # which is not looked at
    for asked_of, idle, code in (
        *((asked, shallow, {"never-deep"}), (asked, nothing, {"idle-unknown"})),
        *((asked, deep, set[str]()), (awake, nothing, set[str]())),
    ):
        found = row(asked_of, *[replace(exact, distributions={**exact.distributions, **idle})] * 6)
        assert {"never-deep", "idle-unknown"} & {*codes(found)} == code
