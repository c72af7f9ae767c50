"""The ladder: what it says, at every width; what it looks like stands in tests/golden."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden.fixture import (
    ADD,
    APART,
    CAS,
    DECLARED,
    LOCKS,
    MUTEX,
    OBSERVATIONS,
    PAUSING,
    RACE,
    ROWS,
    RUN,
    SIGNALS,
    SLICED,
    locks,
    make_case,
    signals,
)
from tests.unit.report.printing import flat, printed
from threadping.figures.declaration import Column, Declaration, Figure
from threadping.figures.rows import rows_of
from threadping.model import Observation, Run, Skipped, WarmupPolicy
from threadping.report.ladder import ladder

TAIL = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)


def shown(observations: Sequence[Observation] = OBSERVATIONS, width: int = 160, **changes: object) -> str:
    run = replace(RUN, cases=tuple(dict.fromkeys(one.case for one in observations)), **changes)
    return printed(ladder(run, rows_of(run, observations, DECLARED), DECLARED), width)


def rungs(text: str) -> list[str]:
    return [flat(line) for line in text.splitlines() if re.match(r" ?\d+ ", line)]


def head(text: str) -> str:
    return next(flat(line) for line in text.splitlines() if line.startswith("#"))


# ---- order ----


def test_the_best_is_first_and_what_has_no_figure_is_last_with_its_reason() -> None:
    lines = rungs(shown(SIGNALS))
    assert [re.findall(r"\d+\.\d+ [n\u00b5m]s|no figure.*", line)[0] for line in lines] == [
        "20.4 ns",
        "59.3 ns",
        "64.9 ns",
        "28.3 \u00b5s",
        "6.00 ms",
        "no figure: trial-failed",
    ]


def test_threads_go_up_and_among_as_many_the_most_operations_come_first() -> None:
    lines = [line.replace(" ! ", " ").replace(" \N{BALLOT X} ", " ").split()[1:4] for line in rungs(shown(LOCKS))]
    assert [(of, int(threads)) for of, _, threads in lines] == [
        ("unprotected", 1),
        ("fetch-add", 1),
        ("mutex", 1),
        ("reentrant-lock", 1),
        ("unprotected", 2),
        ("fetch-add", 2),
        ("reentrant-lock", 2),
        ("mutex", 2),
        ("fetch-add", 8),
        ("mutex", 8),
        ("ticket-lock", 8),
    ]


# ---- columns ----


def test_columns_that_tell_nothing_are_left_out() -> None:
    alike = locks(MUTEX[2], 1e6, TAIL, 10.0)
    assert " threads " not in head(shown(alike))
    assert " lost " not in head(shown(alike))
    assert " warm-up " not in head(shown(alike))
    assert " threads " in head(shown([*alike, *locks(MUTEX[1], 1e6, TAIL, 10.0)]))
    assert " lost " in head(shown([*alike, *locks(RACE[2], 1e6, TAIL, 10.0, lost=0.001)]))
    assert " Jain " not in head(shown(locks(MUTEX[1], 1e6, TAIL, 10.0)))  # a lone thread shares with nobody
    long = replace(MUTEX[2], warmup=WarmupPolicy(1, 500_000_000))
    assert [line.split()[3:6] for line in rungs(shown([*alike, *locks(long, 1e5, TAIL, 10.0)]))] == [
        ["same-l3", "0,1", "10x100k"],
        ["same-l3", "0,1", "1x500M"],
    ]


def test_a_range_is_never_called_an_interval() -> None:
    six, three = signals(CAS, 50.0, TAIL, 100.0), signals(PAUSING, 60.0, TAIL, 100.0)[:3]
    assert "typical 95% CI p50" in head(shown(six))
    assert "typical range p50" in head(shown(three))
    assert " 58.8\u201361.2 " in shown(three)
    mixed = shown([*six, *three])
    assert "typical 95% CI p50" in head(mixed)
    assert " 49.2\u201350.8 " in mixed
    assert " (58.8\u201361.2) " in mixed
    for text, said in ((shown(six), False), (shown(three), False), (mixed, True)):
        assert ("In brackets is the range of fewer than six trials." in text) == said


def test_the_pin_and_another_home_are_told_with_the_placement() -> None:
    pinned = replace(CAS, placement=replace(APART, pin="process"))
    assert "1 cas-one-line cpp same-l3 0,1 process 50.0 ns" in flat(shown(signals(pinned, 50.0, TAIL, 9.0)))


# ---- the pivot ----


def test_threads_stand_side_by_side_and_the_best_that_loses_nothing_stands_out() -> None:
    text = printed(ladder(RUN, ROWS, DECLARED), colour=True)
    pivot = text.partition("lock: ")[2].partition("#")[0]
    assert [flat(best) for best in re.findall(r"\x1b\[1;32m([^\x1b]+)\x1b", pivot)] == ["204 M", "41.9 M", "42.0 M"]


def test_one_number_of_threads_needs_no_pivot() -> None:
    one = [*locks(MUTEX[2], 1e6, TAIL, 10.0), *locks(ADD[2], 2e6, TAIL, 10.0)]
    assert "1 thread" not in shown(one)
    assert shown(one).count("mechanism") == 1


def test_placements_that_differ_stand_in_the_pivot() -> None:
    unpinned = replace(MUTEX[2], placement=replace(APART, name="unpinned", cpus=(None, None)))
    cases = [MUTEX[1], MUTEX[2], unpinned]
    text = shown([one for case in cases for one in locks(case, 1e6, TAIL, 10.0)])
    assert "mechanism runtime placement 1 thread 2" in flat(text)


def test_numbers_of_threads_that_do_not_fit_are_named_and_both_ends_stay() -> None:
    cases = [replace(MUTEX[2], placement=replace(APART, cpus=(0, 1) * 2**power)) for power in range(12)]
    seen = [one for case in cases for one in locks(case, 53e6, TAIL, 10.0)]
    text = shown(seen, 60)
    pivot = [flat(line) for line in text.partition("lock: ")[2].splitlines()]
    assert pivot[1] == "mechanism runtime 2 threads 128 512 2048 4096"
    assert pivot[4] == "Not shown at this width: 4, 8, 16, 32, 64, 256, 1024."
    assert re.search(r" 2 threads +4096\n", shown(seen, 30))


# ---- heading and verdicts ----


def test_what_is_true_of_the_machine_is_said_once_and_marks_nothing() -> None:
    text = shown(SIGNALS)
    assert text.count("powersave") == 1
    assert "! governor-not-performance  powersave\n" in text.partition("signal: ")[0]
    assert rungs(text)[4].startswith("5 cas-one-line")  # nothing else is said of it from a warning up


def test_a_mark_is_not_for_what_is_said_of_all() -> None:
    both = [*signals(CAS, 50.0, TAIL, 9.0, steal=0.1), *signals(PAUSING, 60.0, TAIL, 9.0, steal=0.2)]
    assert [line[:3] for line in rungs(shown(both))] == ["1 c", "2 r"]
    assert "! steal  all: 10% to 20% of the time\n" in shown(both)
    three = [*both, *signals(SLICED, 70.0, TAIL, 9.0)]
    assert [line[:3] for line in rungs(shown(three))] == ["1 !", "2 !", "3 c"]
    moved = [replace(one, figures=one.figures | {"counters.moved": 1.0}) for one in three[:1]]
    assert [line[:3] for line in rungs(shown([*moved, *three[1:]]))] == ["1 \N{BALLOT X}", "2 !", "3 c"]


def test_verdicts_are_a_line_each_the_gravest_and_the_most_said_first() -> None:
    below = shown().partition("is in it.\n\n")[2].partition("`threadping")[0]
    assert below.splitlines() == [
        "\N{BALLOT X} trial-failed     6, 17: 2 of 2 trials: hung / stalled",
        "! steal            2, 3: 1.9% to 2.4% of the time",
        "! trial-failed     4, 13: 1 of 6 trials: crashed",
        "! trials-disagree  1: 3.3x",
        "! wide-interval    1: known to 106%",
        "i few-samples      5, 16: 738 to 8,196 single round trips / timed operations; p99.9 needs 10,000",
        "i few-trials       4, 13: 5; an interval needs 6",
        "i oversubscribed   15, 16: 8 threads on 2 CPUs",
        "i lost-updates     11: 36%",
    ]


def test_the_heading_says_what_the_figures_come_from() -> None:
    text = flat(shown(note="Stopped by [hand].", status="interrupted", ended=None))
    assert re.match(r"run 7, 2026-03-01 \S+ \S+, interrupted, 6 rounds of 17 cases, 94 trials \(6 failed\), seed", text)
    assert "note Stopped by [hand]. machine bench-7, AMD EPYC 9B45, 2 CPUs, 16 GiB, Linux" in text
    assert "runtimes cpp: g++ 12.2.0 -O3, clock reading 20.4 ns java-17: OpenJDK" in text
    assert "java-17:" not in shown(signals(CAS, 50.0, TAIL, 9.0))  # a runtime that measured nothing says nothing


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
    for column, figure in (
        ("p99.9", "1.20 \u00b5s"),
        ("95% CI", "58.3\u201360.2"),
        ("Jain", "0.87"),
        ("lost", " 36% "),
    ):
        table = text.partition("\n\N{BALLOT X}")[0]
        assert (figure in table) != (column in flat(gone)), column


def test_in_80_columns_long_names_leave_room_for_the_interval_and_p99() -> None:
    text = shown(SIGNALS, 80)
    assert re.search(r"release-one-line +cpp +same-l3 0,1 20\.4 ns +19\.5\u201362\.9 61\.0 ns\n +wait=pause\n", text)
    assert re.search(r"\n +spin=100 +-XX:\+UseParallelGC\n", text)


NAMES = st.text("abc-[] ", min_size=1, max_size=40).filter(str.strip)


@given(NAMES, NAMES, st.floats(1, 1e10), st.integers(60, 200))
def test_any_names_fit_any_width(mechanism: str, runtime: str, one_way: float, width: int) -> None:
    case = make_case(mechanism, runtime, APART, {"size": 10**20})
    shown([*signals(case, one_way, TAIL, 9.0), *SIGNALS], width)


# ---- colour, foreign strings, other experiments ----


def test_colour_comes_on_a_terminal_only_and_words_do_without() -> None:
    coloured = printed(ladder(RUN, ROWS, DECLARED), colour=True)
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert "\x1b[33m\u00b5s" in coloured
    assert [line.rstrip() for line in plain.splitlines()] == shown().splitlines()


def test_foreign_strings_are_shown_as_they_are_and_steer_nothing() -> None:
    evil = make_case("a\x1b[2Jb", "[red]java[/]", APART)
    text = shown(signals(evil, 50.0, TAIL, 9.0))
    assert "a\\x1b[2Jb" in text
    assert "[red]java[/]" in text
    assert "\x1b" not in text


def test_another_experiment_needs_its_declaration_only() -> None:
    depth = Figure(
        name="ring.depth", unit="count", read=lambda _: 1, better="more", interval=True, column=Column("depth")
    )
    share = Figure(name="ring.full", unit="share", read=lambda _: 1, column=Column("full", rank=1))
    ring = Declaration(title="how deep", headline="ring.depth", figures=(depth, share), distributions=(), op="message")
    cases = [
        replace(CAS, experiment="ring", mechanism=name, placement=replace(APART, cpus=(0, 1) * pairs))
        for name, pairs in (("shallow", 1), ("deep", 2))
    ]
    seen = [
        Observation(number, 0, case, None, 1, {"ring.depth": 100.0 * at + number, "ring.full": 0.25})
        for number in range(6)
        for at, case in enumerate(cases)
    ]
    run: Run = replace(RUN, cases=tuple(cases))
    declared = {**DECLARED, "ring": ring}
    lines = printed(ladder(run, rows_of(run, seen, declared), declared)).partition("\n\n")[2].splitlines()
    assert lines[0] == "ring: how deep"
    assert [flat(line) for line in lines[1:2]] == [
        "# mechanism runtime threads placement depth 95% CI full log 1 \u2026 1,000"
    ]
    assert flat(lines[3]).startswith("1 deep cpp 4 same-l3 0,1 102 100\u2013105 25% ")
    assert flat(lines[4]).startswith("2 shallow cpp 2 same-l3 0,1 2 0.36\u20134.64 25% ")
