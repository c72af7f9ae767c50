"""The command `ping`: its lines, its JSON, and its metrics for Prometheus."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families
from rich.text import Text

from tests.unit.analysis.examples import MACHINE
from tests.unit.output.printing import flat, printed
from threadping.model.contract import Cpu
from threadping.model.quantities import ABSENT, TO
from threadping.model.run import PingLine, ReferencePing
from threadping.studies.ping import PingTally, crosses, exposition, heading, line, line_json, notes, summary


def test_a_ping_crosses_where_the_one_before_was_on_the_other_side() -> None:
    pings = [0.0, 26.0, 30.0, 127.0, 126.0, 60.0, 26.0]  # 60 is not above 60
    assert [now for before, now in pairwise(pings) if crosses(before, now, 60)] == [127.0, 60.0]
    assert not crosses(127, None, 60), "it failed"


NEAR, APART = (0, 1), (0, 12)


def pinged(at: float, ns: float | None, cpus: tuple[int, int] = NEAR, failure: str | None = None) -> ReferencePing:
    return ReferencePing(cpus, at, 0, ns, ns and 2 * ns, ns and 100 * ns, failure=failure)


def lines(*values: float | None, cpus: tuple[int, int] = NEAR) -> list[PingLine]:
    """One a second; None failed."""
    return [PingLine(pinged(second, ns, cpus), second + 1, second) for second, ns in enumerate(values)]


def tallied(lines: Iterable[PingLine]) -> PingTally:
    tally = PingTally()
    for one in lines:
        tally.add(one)
    return tally


def text(renderable: Text, width: int = 160) -> str:
    return printed(renderable, width).removesuffix("\n")


def test_the_first_line_says_what_is_measured_and_how_the_system_calls_it() -> None:
    placed = {(0, 1): "same-l3", (0, 12): "cross-node", (2, 3): "same-l3"}
    assert text(heading(placed, 0.2, "cas-one-line, C++"), 200) == (
        "Ping between CPUs 0,1 2,3 (the system calls them same-l3); 0,12 (cross-node) every 0.2 s: cas-one-line, C++. "
        "One way is half a round trip. Ctrl-C ends it."
    )


def test_what_pings_suffer_from_is_said_below_the_first_line() -> None:
    machine = replace(MACHINE, cpu_quota=0.5, topology=replace(MACHINE.topology, allowed=(0, 1)))
    unlisted = replace(machine.topology, cpus=(Cpu(0, 0, 0, 0, 0, 0), Cpu(1, None, None, None, None, None)))
    assert [*map(text, notes(replace(machine, topology=unlisted)))] == [
        "i cpu-quota: 0.5 CPUs, 2 needed (threadping explain cpu-quota)",
        "i cpus-unlisted: the system lists 1 of the 2 CPUs that may be used (threadping explain cpus-unlisted)",
    ]
    assert [*notes(replace(machine, cpu_quota=None))] == []


def test_a_line_tells_its_figures_by_name_in_columns() -> None:
    rows: list[tuple[PingLine, float, str]] = [
        (PingLine(pinged(7, 63.21), 1, 0.0), 1.0, "   0 s  0,1  63.2 ns one way  round trip p99  126 ns  max 6.32 µs"),
        (
            PingLine(pinged(7, 26.4, APART), 6, 1.0, pinged(7, 26.3), 127.44),
            0.2,
            "   1.0 s  0,12  26.4 ns one way  round trip p99 52.8 ns  max 2.64 \N{MICRO SIGN}s  changed from 127 ns",
        ),
        (
            PingLine(ReferencePing(NEAR, 7, 0, 26.4), 6, 1.25),
            0.125,
            f"   1.25 s  0,1  26.4 ns one way  round trip p99       {ABSENT}  max       {ABSENT}",
        ),
        (PingLine(pinged(7, None, failure="It\n[is] \x1b."), 3601, 3600.0), 1.0, "3600 s  0,1  failed: It [is] \\x1b."),
        (PingLine(pinged(7, None), 2, 1.0), 1.0, "   1 s  0,1  failed: no reason is known"),
    ]
    for pinged_line, interval_s, expected in rows:
        assert text(line(pinged_line, interval_s)) == expected


def test_the_summary_tells_how_often_how_long_and_in_which_states() -> None:
    taken = lines(26, 28, 27, 130, 127, 125, 126, 27, None, 27.5)
    taken[3] = PingLine(taken[3].ping, 4, 3.0, pinged(2.9, 131), 27)
    taken[6] = PingLine(taken[6].ping, 7, 6.0, pinged(5.9, 400))
    taken[2:2] = lines(60, cpus=APART)
    assert printed(summary(tallied(taken), {NEAR: "same-l3", APART: "cross-node"})).splitlines() == [
        "",
        "CPUs 0,1 (same-l3): 12 pings in 9.0 s (2 taken again, 1 failed, 2 in no state); the state changed 2 times.",
        "CPUs 0,12 (cross-node): 1 ping in 0.0 s; the state did not change.",
        "",
        "CPUs  one way         range  of the time  pings  times held  dwell median  longest",
        "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 82,
        f"0,1   27.0 ns  26.0{TO}28.0 ns          61%      5           2         2.7 s    3.0 s",
        f"0,1    128 ns    125{TO}131 ns          39%      4           1         3.5 s    3.5 s",
        f"0,12  60.0 ns       60.0 ns         100%      1           1             {ABSENT}        {ABSENT}",
    ]


def test_of_pings_without_end_all_are_counted_and_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.studies.ping.MAX_RECENT", 4)
    tally = tallied(lines(127, 127, None, 26, 26, 26, 26))
    assert [one.seq for one in tally.recent] == [4, 5, 6, 7]
    said = printed(summary(tally, {NEAR: "same-l3"}))
    assert "\nCPUs 0,1 (same-l3): 7 pings in 6.0 s (1 failed); the state did not change in the last 4.\n" in said
    assert (tally.known_ns[NEAR], tally.highest_ns) == (26, 127)


@pytest.mark.parametrize(("width", "gone"), [(80, False), (50, True)])
def test_a_narrow_summary_loses_columns_and_no_figure(width: int, gone: bool) -> None:
    said = flat(printed(summary(tallied(lines(26, 28, 27)), {NEAR: "same-l3"}), width))
    assert "27.0 ns" in said and ("Not shown at this width: dwell median, longest." in said) == gone


def test_nothing_was_pinged_before_it_was_stopped() -> None:
    said = printed(summary(PingTally(), {NEAR: "same-l3"}))
    assert said == "\nCPUs 0,1 (same-l3): 0 pings in 0.0 s; the state did not change.\n"


def test_a_line_is_one_object_with_every_key() -> None:
    failed = PingLine(ReferencePing((0, 1), 7.5, 0, None, failure="CPU 1\nis gone."), 3, 2.0)
    changed = PingLine(ReferencePing((0, 1), 8.5, 0, 127.5, 200, 300), 4, 3.0, None, 26.5)
    assert [line_json(line) for line in (failed, changed)] == [
        '{"at":7.5,"seq":3,"cpus":[0,1],"one_way_ns":null,"round_trip_p99_ns":null,"round_trip_max_ns":null,"changed":false,'
        '"failure":"CPU 1\\nis gone."}',
        '{"at":8.5,"seq":4,"cpus":[0,1],"one_way_ns":127.5,"round_trip_p99_ns":200,"round_trip_max_ns":300,"changed":true,"failure":null}',
    ]


PLACED = {NEAR: "same-l3", APART: 'cross "node"\\\n'}
NEAR_LABELS = {"cpu_a": "0", "cpu_b": "1", "placement": "same-l3"}
APART_LABELS = {"cpu_a": "0", "cpu_b": "12", "placement": 'cross "node"\\\n'}


def read(taken: list[PingLine]) -> dict[str, list[tuple[dict[str, str], float]]]:
    families = text_string_to_metric_families(exposition(tallied(taken), PLACED))
    of = {one.samples[0].name: one.samples for one in families if one.samples}
    return {name: [(one.labels, one.value) for one in samples] for name, samples in of.items()}


def test_the_last_ping_of_each_pair_is_in_seconds_and_every_one_is_counted() -> None:
    found = read([*lines(26, 30, None, 25), *lines(127, cpus=APART)])
    assert found["threadping_one_way_seconds"] == [(NEAR_LABELS, 25e-9), (APART_LABELS, 127e-9)]
    assert found["threadping_round_trip_p99_seconds"] == [(NEAR_LABELS, 50e-9), (APART_LABELS, 254e-9)]
    assert found["threadping_round_trip_max_seconds"] == [(NEAR_LABELS, 2.5e-6), (APART_LABELS, 12.7e-6)]
    assert found["threadping_ping_timestamp_seconds"] == [(NEAR_LABELS, 3), (APART_LABELS, 0)]
    assert found["threadping_pings_total"] == [(NEAR_LABELS, 4), (APART_LABELS, 1)]
    assert found["threadping_ping_failures_total"] == [(NEAR_LABELS, 1), (APART_LABELS, 0)]


def test_a_pair_whose_last_ping_failed_has_no_latency_rather_than_an_old_one() -> None:
    found = read(lines(26, None))
    assert "threadping_one_way_seconds" not in found
    assert found["threadping_ping_timestamp_seconds"] == [(NEAR_LABELS, 1)]


def test_states_are_numbered_from_the_nearest_and_changes_are_counted() -> None:
    taken = lines(127, 127, 127, 26, 26, 26, 26)
    taken[4] = PingLine(pinged(4, 26), 5, 4.0, None, 127)
    found = read(taken)
    near, far = ({**NEAR_LABELS, "state": state} for state in "12")
    assert found["threadping_state_one_way_seconds"] == [(near, 26e-9), (far, 127e-9)]
    (_, often), (_, seldom) = found["threadping_state_ratio"]
    assert often + seldom == 1 and 0 < seldom < often
    assert found["threadping_state_changes_total"] == [(NEAR_LABELS, 1), (APART_LABELS, 0)]


def test_every_metric_says_its_meaning_and_kind() -> None:
    families = [*text_string_to_metric_families(exposition(tallied(lines(26)), PLACED))]
    assert all(family.documentation and family.type in ("gauge", "counter") for family in families)
    assert {family.type == "counter" for family in families if family.samples[0].name.endswith("_total")} == {True}
