"""States over time: the table, the strip, and the runs."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from tests.golden.fixture import ANYWHERE, CAS, MACHINE, RUN
from tests.unit.output.printing import flat, printed
from threadping.analysis.states import PairHistory, PingSample
from threadping.model.run import State
from threadping.output.layout import WidthDependent
from threadping.studies.states import MOST_RUNS, states_of_machine, states_of_run, strip_of

BEGUN = 1_772_357_400.0
NEAR = State((0, 1), 27.2, (25.7, 28.5), 0.7, 7, (3.5, 3.5))
FAR = State((0, 1), 128.0, (120.0, 139.0), 0.3, 3, (0.25,))
SEEN: dict[str, tuple[float | None, int | None]] = {"n": (27.2, 0), "f": (128, 1), "?": (60, None), "!": (None, None)}

TABLE = """
CPUs 0,1 (same-l3): 12 pings, 2 states, 2 changes
1 in no state (disturbed, or taken while it changed)
1 failed: hung: it was [killed]
the state changed during 2 trials
one way        range of the time pings times held dwell median longest
──────────────────────────────────────────────────────────────────────
27.2 ns 25.7~28.5 ns         70%     7          2        3.5 s   3.5 s
 128 ns   120~139 ns         30%     3          1        0.2 s   0.2 s

27.2 ns  ██████████████████                     ████████████████████████████████
 128 ns                           ██████████████                                ███████
                                     ^                                                ^
         0 s                                                                       11 s

CPUs 0,2: 1 ping, 0 states, 0 changes
1 in no state (disturbed, or taken while it changed)

█ this state alone in that moment, ▒ others too; ^ changed in a trial
""".replace("~", "\N{EN DASH}")


def taken(kinds: str, run: int = 7, begun: float = 0.0, every: float = 1.0) -> list[PingSample]:
    """Pings of a run: near, far, in no state (?), failed (!), none (-)."""
    return [
        PingSample(run, BEGUN + begun + every * place, *SEEN[kind], "hung: it was [killed]" if kind == "!" else None)
        for place, kind in enumerate(kinds)
        if kind != "-"
    ]


def watched(series: Sequence[PingSample], states: Sequence[State] = (NEAR, FAR), **changes: Any) -> PairHistory:
    between = sum(one.ns is not None and one.state is None for one in series)
    failed = sum(one.ns is None for one in series)
    return replace(PairHistory((0, 1), "same-l3", 2, len(series), between, failed, states, series), **changes)


def test_a_run_has_a_table_and_a_strip_for_each_pair() -> None:
    moved = watched(taken("nnn?ffnnnn!f"), state_changed=[BEGUN + 4, BEGUN + 11])
    unknown = watched(taken("-----?"), (), cpus=(0, 2), placement=None, changes=0)
    first, rest = printed(states_of_run(RUN, [moved, unknown]), 87).split("\n", 1)
    assert re.fullmatch(r"run 7, 2026-03-01 \S+ \S+, complete after 1 min 2 s", first)
    assert rest == TABLE


def test_a_strip_has_a_line_for_each_state_and_marks_where_a_trial_that_crossed_ended() -> None:
    rows: list[tuple[str, int, Sequence[float], list[str]]] = [
        ("nnnnfffnn???", 6, (), ["██ ▒█", "  █▒"]),  # a moment with several states is half in each
        ("-n-----f--", 10, (), [" ███", "    ████"]),  # without a ping it is as the nearest, but for those at the ends
        ("n---?---n-", 10, (), ["██     ██", ""]),
        ("nnff", 4, (2, 3), ["██", "  ██", "  ^^"]),
    ]
    for kinds, columns, crossed, lines in rows:
        pair = watched(taken(kinds), state_changed=[BEGUN + at for at in crossed])
        drawn = WidthDependent(partial(strip_of, pair, BEGUN, BEGUN + len(kinds) - 1))
        shown = printed(drawn, columns + len("27.2 ns  ")).splitlines()
        assert [line[9:] for line in shown[1:-1]] == lines


def test_where_no_time_passed_there_is_no_strip() -> None:
    text = printed(states_of_run(RUN, [watched(taken("n"), [replace(NEAR, dwell_s=(0.0,))])]))
    assert text.count("27.2 ns") == 1
    assert re.search(r" 1 +\N{EN DASH} +\N{EN DASH}\n", text)  # nor does a state dwell that was seen once


def test_a_run_without_pings_says_why() -> None:
    assert "it ended before its first one" in printed(states_of_run(RUN, []))
    unpinned = replace(RUN, cases=(replace(CAS, placement=ANYWHERE),))
    assert printed(states_of_run(unpinned, [])) == (
        "Run 7 has no pings: only threads that are pinned to two or more CPUs have a state.\n"
    )


def test_the_machine_has_its_states_over_all_runs_and_their_share_of_each_run() -> None:
    series = [*taken("nnnnf", 3), *taken("??", 5, 60), *taken("f", 12, 120)]
    lines = [flat(line) for line in printed(states_of_machine(MACHINE, [watched(series)])).splitlines()]
    assert lines[0] == "bench-7, AMD EPYC 9B45, 3 runs"
    assert lines[2] == "CPUs 0,1 (same-l3): 8 pings, 2 states, 2 changes"
    assert lines[9] == "run first ping pings 27.2 ns 128 ns"
    newest, dark, oldest = lines[11:]
    assert re.fullmatch(r"12 2026-03-01 \d\d:\d\d \S+ 1 \N{EN DASH} 100%", newest)
    assert re.fullmatch(r"5 2026-03-01 \d\d:\d\d \S+ 2 \N{EN DASH} \N{EN DASH}", dark)
    assert re.fullmatch(r"3 2026-03-01 \d\d:\d\d \S+ 5 88% 12%", oldest)  # 3.5 of 4 seconds


def test_of_many_runs_the_newest_are_listed() -> None:
    series = [one for run in range(1, MOST_RUNS + 3) for one in taken("nf", run, 60 * run)]
    lines = printed(states_of_machine(MACHINE, [watched(series)])).splitlines()
    assert [lines[place].split()[0] for place in (-MOST_RUNS - 1, -2)] == [str(MOST_RUNS + 2), "3"]
    assert lines[-1] == "Not shown: 2 older runs."


def test_a_machine_that_was_never_pinged_says_how_it_may_be() -> None:
    assert flat(printed(states_of_machine(MACHINE, []))) == (
        "No ping of this machine (bench-7, AMD EPYC 9B45) is stored. `threadping run` takes some between its "
        "trials; `threadping ping` shows how far CPUs are from each other now."
    )
