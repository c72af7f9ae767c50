"""The ladder: what it says, at every width; what it looks like stands in tests/golden."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden.fixture import CAS, DECLARED, MUTEX, OBSERVATIONS, PAUSING, RACE, ROWS, RUN, SIGNALS, locks, signals
from tests.unit.analysis.examples import RING, observed, result
from tests.unit.views.terminal.printing import flat, printed
from threadping.analysis.declaration import Column, Declaration, Figure
from threadping.analysis.rows import rows_of
from threadping.model import Observation, Placement, Skipped, WarmupPolicy
from threadping.views.terminal.ladder import ladder


def shown(observations: Sequence[Observation] = OBSERVATIONS, width: int = 160, **changes: object) -> str:
    run = replace(RUN, cases=tuple(dict.fromkeys(one.case for one in observations)), **changes)
    return printed(ladder(run, rows_of(run, observations, DECLARED), DECLARED), width)


def rungs(text: str) -> list[str]:
    return [flat(line) for line in text.splitlines() if re.match(r" ?\d+ ", line)]


def head(text: str) -> str:
    return next(flat(line) for line in text.splitlines() if line.startswith("#"))


# ---- columns ----


def test_columns_that_tell_nothing_are_left_out() -> None:
    alike = locks(MUTEX[2], 1e6)
    assert " threads " not in head(shown(alike))
    assert " lost " not in head(shown(alike))
    assert " warm-up " not in head(shown(alike))
    assert " threads " in head(shown([*alike, *locks(MUTEX[1], 1e6)]))
    assert " lost " in head(shown([*alike, *locks(RACE[2], 1e6, lost=0.001)]))
    assert " Jain " not in head(shown(locks(MUTEX[1], 1e6)))  # a lone thread shares with nobody
    long = replace(MUTEX[2], warmup=WarmupPolicy(1, 500_000_000))
    assert [line.split()[3:6] for line in rungs(shown([*alike, *locks(long, 1e5)]))] == [
        ["same-l3", "0,1", "steady"],
        ["same-l3", "0,1", "1x500M"],
    ]


def test_a_range_is_never_called_an_interval() -> None:
    six, three = signals(CAS, 50.0), signals(PAUSING, 60.0)[:3]
    for seen, said, reach in ((six, "95% CI", " 49.2\u201350.8 "), (three, "range", " 58.8\u201361.2 ")):
        assert f"typical {said} p50" in head(shown(seen))
        assert reach in shown(seen)
        assert "In brackets" not in shown(seen)


# ---- the pivot ----


def test_threads_stand_side_by_side_and_the_best_that_loses_nothing_stands_out() -> None:
    text = printed(ladder(RUN, ROWS, DECLARED), colour=True)
    pivot = text.partition("lock: ")[2].partition("#")[0]
    assert [flat(best) for best in re.findall(r"\x1b\[1;32m([^\x1b]+)\x1b", pivot)] == ["204 M", "41.9 M", "42.0 M"]


def test_one_number_of_threads_needs_no_pivot() -> None:
    one = [*locks(MUTEX[2], 1e6), *locks(RACE[2], 2e6)]
    assert "1 thread" not in shown(one)
    assert shown(one).count("mechanism") == 1


def test_placements_that_differ_stand_in_the_pivot() -> None:
    unpinned = replace(MUTEX[2], placement=replace(CAS.placement, name="unpinned", cpus=(None, None)))
    cases = [MUTEX[1], MUTEX[2], unpinned]
    text = shown([one for case in cases for one in locks(case, 1e6)])
    assert "mechanism runtime placement 1 thread 2" in flat(text)


def test_what_differs_in_one_parameter_only_stands_side_by_side_at_each_placement() -> None:
    apart = [
        replace(RING, params={"batch": batch}, varied=("batch",) if batch > 1 else (), placement=placement)
        for placement in (RING.placement, Placement("same-cpu", (1, 1)))
        for batch in (1, 10)
    ]
    other = replace(RING, mechanism="queue", params={})
    seen = [
        replace(observed(case, result(case)), case=case, round=number)
        for case in (*apart, other)
        for number in range(1, 7)
    ]
    pivot = shown(seen).partition("ring: ")[2].partition("#")[0]
    assert [flat(line) for line in pivot.splitlines()[1:]] == [
        "mechanism runtime placement batch 1 10",
        "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * len(pivot.splitlines()[2]),
        "disruptor cpp same-l3 0,1 10.0 M 10.0 M",
        "disruptor cpp same-cpu 1 10.0 M 10.0 M",
        "",
    ]


def test_numbers_of_threads_that_do_not_fit_are_named_and_both_ends_stay() -> None:
    cases = [replace(MUTEX[2], placement=replace(CAS.placement, cpus=(0, 1) * 2**power)) for power in range(12)]
    seen = [one for case in cases for one in locks(case, 53e6)]
    text = shown(seen, 60)
    pivot = [flat(line) for line in text.partition("lock: ")[2].splitlines()]
    assert pivot[1] == "mechanism runtime 2 threads 128 512 2048 4096"
    assert pivot[4] == "Not shown at this width: 4, 8, 16, 32, 64, 256, 1024."
    assert re.search(r" 2 threads +4096\n", shown(seen, 30))


# ---- heading and verdicts ----


def test_a_mark_is_not_for_what_is_said_of_all() -> None:
    both = [*signals(CAS, 50.0, steal=0.1), *signals(PAUSING, 60.0, steal=0.2)]
    assert [line[:3] for line in rungs(shown(both))] == ["1 c", "2 r"]
    assert "! steal  all: 10% to 20% of the time\n" in shown(both)
    three = [*both, *signals(replace(CAS, mechanism="cas"), 70.0)]
    assert [line[:3] for line in rungs(shown(three))] == ["1 !", "2 !", "3 c"]
    moved = [replace(one, figures=one.figures | {"counters.moved": 1.0}) for one in three[:1]]
    assert [line[:3] for line in rungs(shown([*moved, *three[1:]]))] == ["1 \N{BALLOT X}", "2 !", "3 c"]


def test_the_heading_says_what_the_figures_come_from() -> None:
    text = flat(shown(note="Stopped by [hand].", status="interrupted", ended=None))
    assert re.match(r"run 7, 2026-03-01 \S+ \S+, interrupted, 6 rounds of 17 cases, 94 trials \(6 failed\), seed", text)
    assert "note Stopped by [hand]. machine bench-7, AMD EPYC 9B45, 2 CPUs, 16 GiB, Linux" in text
    assert "runtimes cpp: g++ 12.2.0 -O3, clock reading 20.4 ns java-17: OpenJDK" in text
    assert "java-17:" not in shown(signals(CAS, 50.0))  # a runtime that measured nothing says nothing


def test_the_machine_says_what_it_knows() -> None:
    topology = replace(RUN.machine.topology, allowed=(1,))
    known = replace(RUN.machine, governor="performance", cpu_quota=1.5, os=None, topology=topology, cpu_model=None)
    text = flat(shown(machine=replace(known, cpu_quota=0.5)))
    assert "bench-7, CPU model not told, 1 of 2 CPUs, 16 GiB, Linux 6.1.0-13-amd64, clock source tsc, governor" in text
    assert "! cpu-quota 0.5 CPUs, 1 needed" in text
    assert "CPU quota" not in text  # the verdict says it
    assert "governor performance, CPU quota 1.5" in flat(shown(machine=known))


def test_what_was_not_measured_is_named_and_its_reasons_are_told_elsewhere() -> None:
    assert shown().endswith(
        "\nNot measured: smt, same-l2, numa-near, java-8. `threadping explain not-measured 7` tells why.\n"
    )
    assert shown(id=0).startswith("run       not stored, ")
    assert shown(id=0).endswith("\nNot measured: smt, same-l2, numa-near, java-8.\n")
    assert "Not measured" not in shown(skipped=())
    many = tuple(Skipped(f"thing-{number}", "too many") for number in range(10))
    assert "thing-6, thing-7 and 2 more. `threadping" in shown(skipped=many)


# ---- widths ----


@pytest.mark.parametrize("width", range(44, 200, 4))
def test_at_every_width_headlines_are_whole_and_what_is_not_shown_is_named(width: int) -> None:
    text = shown(width=width)
    for figure in ("20.4 ns", "28.3 \u00b5s", "6.00 ms", "53.3 M", "9.87 M"):
        assert figure in text
    gone = " ".join(re.findall(r"Not shown at this width: ([^:]*?)\.\n", text.replace(",\n", ", ")))
    table = text.partition("\n\N{BALLOT X}")[0]
    whole = {"p99.9": "1.20 \u00b5s", "95% CI": "58.3\u201360.2", "Jain": "0.87", "lost": " 36% "}
    for column, figure in whole.items():
        assert (figure in table) != (column in flat(gone)), column


def test_in_80_columns_long_names_leave_room_for_the_interval_and_p99() -> None:
    text = shown(SIGNALS, 80)
    assert re.search(r"release-one-line +cpp +same-l3 0,1 20\.4 ns +19\.5\u201362\.9 61\.0 ns\n +wait=pause\n", text)
    assert re.search(r"\n +spin=100 +-XX:\+UseParallelGC\n", text)


NAMES = st.text("abc-[] ", min_size=1, max_size=40).filter(str.strip)


@given(NAMES, NAMES, st.floats(1, 1e10), st.integers(60, 200))
def test_any_names_fit_any_width(mechanism: str, runtime: str, one_way: float, width: int) -> None:
    case = replace(CAS, mechanism=mechanism, runtime=runtime, params={"size": 10**20}, varied=("size",))
    shown([*signals(case, one_way), *SIGNALS], width)


# ---- colour, foreign strings, other experiments ----


def test_colour_comes_on_a_terminal_only_and_words_do_without() -> None:
    coloured = printed(ladder(RUN, ROWS, DECLARED), colour=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert "\x1b[33m\u00b5s" in coloured
    assert [line.rstrip() for line in plain.splitlines()] == shown().splitlines()


def test_foreign_strings_are_shown_as_they_are_and_steer_nothing() -> None:
    evil = replace(CAS, mechanism="a\x1b[2Jb", runtime="[red]java[/]")
    text = shown(signals(evil, 50.0))
    assert "a\\x1b[2Jb" in text
    assert "[red]java[/]" in text
    assert "\x1b" not in text


def test_another_experiment_needs_its_declaration_only() -> None:
    depth = Figure(name="depth", unit="count", read=lambda _: 1, better="more", interval=True, column=Column("depth"))
    share = Figure(name="full", unit="share", read=lambda _: 1, column=Column("full", rank=1))
    ring = Declaration(title="how deep", headline="depth", figures=(depth, share), distributions=(), op="message")
    shallow = replace(CAS, experiment="ring", mechanism="shallow")
    cases = (shallow, replace(shallow, mechanism="deep", placement=replace(CAS.placement, cpus=(0, 1, 0, 1))))
    seen = [
        Observation(number, 0, case, None, 1, {"depth": 100.0 * at + number, "full": 0.25})
        for number in range(6)
        for at, case in enumerate(cases)
    ]
    run, declared = replace(RUN, cases=cases), {**DECLARED, "ring": ring}
    lines = printed(ladder(run, rows_of(run, seen, declared), declared)).partition("\n\n")[2].splitlines()
    assert lines[0] == "ring: how deep"
    assert flat(lines[1]) == "# mechanism runtime threads placement depth 95% CI full log 1 \u2026 1,000"
    assert flat(lines[3]).startswith("1 deep cpp 4 same-l3 0,1 102 100\u2013105 25% ")
    assert flat(lines[4]).startswith("2 shallow cpp 2 same-l3 0,1 2 0.36\u20134.64 25% ")
