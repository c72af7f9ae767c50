"""Threads, their windows, and the trial that holds them."""

from collections import Counter
from functools import partial

import pytest
from msgspec.structs import replace

from tests.unit.planning.examples import ask, call, every, layers, lock, mechanism, offer, queue, titles
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import DEFAULT_WARMUP, Skipped, WarmupPolicy
from threadping.model.contract import MILLISECOND, SECOND, ParamDescription, Policy, WindowsRequest
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.planning.cases import BY_NAME
from threadping.planning.defaults import (
    CaseDefaults,
    crowding,
    in_blocks,
    in_cells,
    in_long_periods,
    in_periods,
    on_schedule,
)
from threadping.planning.selection import usual_threads

MUTEX, TICKET = lock("mutex"), lock("ticket-lock", blocking=False)
LOCKS = offer("cpp", MUTEX, TICKET, experiment="lock")
SIGNALS = offer("cpp", mechanism("condition", blocking=True), mechanism("cas"), mechanism("add"))


def test_one_thread_and_one_for_each_cpu_are_asked_before_any_other_number() -> None:
    assert layers(ask(LOCKS)) == {
        "those measured first": "mutex cpp 1 thread same-cpu, mutex cpp same-l3",
        "other mechanisms and settings": "ticket-lock cpp 1 thread same-cpu, ticket-lock cpp same-l3",
        "further placements": "mutex cpp 1 thread unpinned, mutex cpp unpinned",
        "further numbers of threads": "mutex cpp 4 threads same-l3, mutex cpp 8 threads same-l3, "
        "ticket-lock cpp 4 threads same-l3, ticket-lock cpp 8 threads same-l3, "
        "mutex cpp 4 threads unpinned, mutex cpp 8 threads unpinned",
    }


def test_mechanisms_that_are_named_are_measured_with_every_number_and_nowhere_else() -> None:
    warmups = (DEFAULT_WARMUP, WarmupPolicy(1, 500_000_000))
    assert titles(ask(LOCKS, mechanisms=("ticket-lock",), warmups=warmups, threads=(1, 2))) == (
        "ticket-lock cpp 1 thread same-cpu, ticket-lock cpp 1 thread same-cpu 1x500M, "
        "ticket-lock cpp same-l3, ticket-lock cpp same-l3 1x500M"
    )
    several = ", ".join(f"mutex cpp{threads} same-l3" for threads in ("", " 4 threads", " 8 threads"))
    assert titles(ask(LOCKS, mechanisms=("mutex",))) == f"mutex cpp 1 thread same-cpu, {several}"


def test_placements_that_are_named_are_the_only_ones_in_every_layer_and_one_that_is_not_there_says_why() -> None:
    cases = ask(LOCKS, placements=("smt", "same-cpu", "unpinned"), threads=(2,))
    assert layers(cases) == {
        BY_NAME: "mutex cpp same-cpu, mutex cpp unpinned, ticket-lock cpp same-cpu, ticket-lock cpp unpinned"
    }
    no_core = Skipped("smt", "no two of the CPUs 0-1 that may be used share a core")
    assert cases.skipped == ask(SIGNALS, LOCKS, placements=("smt", "same-l3")).skipped == (no_core,)


def test_one_thread_is_measured_once_and_cpus_that_are_given_are_gone_round() -> None:
    cases = every(ask(LOCKS, mechanisms=("mutex",), placements=("same-l3", "same-cpu"), threads=(1, 2)))
    expected = [("same-cpu", (1,)), ("same-l3", (0, 1)), ("same-cpu", (1, 1))]
    assert [(case.placement.name, case.placement.cpus) for case in cases] == expected
    assert titles(ask(LOCKS, placements=("same-l3",), mechanisms=("mutex",), threads=(1,))).endswith(" same-cpu")
    gone_round = ask(LOCKS, cpus=(1, 0), threads=(1, 3)).layers[0].cases
    assert [case.placement.cpus for case in gone_round] == [(1,), (1, 0, 1)] * 2
    assert [case.placement.cpus for case in ask(LOCKS, cpus=(0, 0)).layers[0].cases] == [(0,)]


TEAM = mechanism("team", blocking=True, params=(ParamDescription("then", 0, None, (0, 4095), None),))
OF_TEAMS = {"barrier": CaseDefaults(threads=None, least=2, smaller="then", first=())}
team = partial(ask, offer("cpp", TEAM, experiment="barrier"), case_defaults=OF_TEAMS, mechanisms=("team",))


def test_a_team_that_changes_size_has_no_cpus_of_its_own_and_its_second_size_is_smaller() -> None:
    cases = team(threads=(2, 4), params={"then": ("0", "2")})
    assert titles(cases) == "team cpp same-l3, team cpp 4 threads same-l3, team then=2 cpp 4 threads same-l3 process"
    assert cases.skipped == (Skipped("barrier then=2", "needs more than 2 threads"),)
    assert titles(team(threads=(4,), params={"then": ("1",)}, placements=("unpinned",))).endswith("4 threads unpinned")
    for then in ("4", "1k"):
        with pytest.raises(UsageError, match=r"^then=\d+ must be less than the number of threads, 4\.$"):
            team(threads=(2, 4), params={"then": (then,)})


def test_a_case_holds_what_its_mechanism_says_and_the_lines_that_were_asked_for() -> None:
    cpp = offer("cpp", MUTEX, replace(TICKET, timed=("increment",)), experiment="lock")
    cases = every(ask(cpp, placements=("same-l3",), params={"critical": ("7",)}))
    expected = {("mutex", "wait for the lock"), ("ticket-lock", "increment")}
    assert {(case.mechanism, case.timed) for case in cases} == expected
    assert {(case.lines, case.params["critical"], case.varied) for case in cases} == {(8, 7, ("critical",))}
    assert {case.lines for case in every(ask(cpp, lines=3))} == {3}


def test_the_usual_numbers_are_powers_of_two_beyond_the_cpus_and_the_cpus_or_as_an_experiment_says() -> None:
    defaults = CaseDefaults(threads=None, first=())
    assert {usual_threads(cpus, defaults) for cpus in (1, 2, 4)} == {(1, 2, 4, 8)}
    assert [usual_threads(cpus, defaults) for cpus in (6, 12)] == [(1, 2, 4, 6, 8), (1, 2, 4, 8, 12, 16)]
    defaults = CaseDefaults(threads=None, least=2, of_cpus=(0.5, 1, 2), first=())
    found = {cpus: usual_threads(cpus, defaults) for cpus in (1, 2, 4, 64)}
    assert found == {1: (2,), 2: (2, 4), 4: (2, 4, 8), 64: (2, 32, 64, 128)}
    assert [usual_threads(cpus, EXPERIMENTS["jitter"].defaults) for cpus in (1, 8)] == [(1,), (1, 8)]


# ---- several experiments in one run ----
def test_a_run_of_all_experiments_measures_layers_of_one_name_together_the_most_wanted_of_each_first() -> None:
    both = ask(SIGNALS, LOCKS)
    assert [(layer.what, Counter(case.experiment for case in layer.cases)) for layer in both.layers] == [
        ("those measured first", {"signal": 3, "lock": 2}),
        ("other mechanisms and settings", {"signal": 1, "lock": 2}),
        ("further placements", {"signal": 1, "lock": 2}),
        ("further numbers of threads", {"lock": 6}),
    ]
    assert [case.mechanism for case in both.layers[0].cases] == ["cas", "condition", "condition", "mutex", "mutex"]


def test_each_experiment_measures_what_it_knows_of_what_was_named_and_at_the_homes_that_are_its_own() -> None:
    both = ask(SIGNALS, LOCKS, mechanisms=("ticket-lock", "add"), threads=(2,))
    assert titles(both) == "add cpp same-l3, ticket-lock cpp same-l3"
    assert both.skipped == ask(SIGNALS, LOCKS, mechanisms=("add",)).skipped
    assert titles(ask(SIGNALS, LOCKS, mechanisms=("ticket-lock",), cpus=(0, 1))).startswith("ticket-lock cpp 1 thread")
    at_pong = ask(SIGNALS, LOCKS, mechanisms=("mutex", "condition"), threads=(2,), homes=("pong",))
    assert titles(at_pong) == "condition cpp same-cpu, condition cpp same-l3 home pong"
    assert Skipped("lock", "its threads are contender: none is pong") in at_pong.skipped
    named = titles(ask(SIGNALS, LOCKS, mechanisms=("ticket-lock",), threads=(2,), homes=("0", "contender")))
    assert named == "ticket-lock cpp same-l3 home node 0, ticket-lock cpp same-l3"


def test_a_runtime_without_the_experiment_is_said_to_be() -> None:
    assert (
        Skipped("lock cpp", "this runtime's probe does not measure it") in ask(SIGNALS, of=("signal", "lock")).skipped
    )
    with pytest.raises(NothingToMeasure, match="lock cpp: this runtime's probe does not measure it"):
        ask(SIGNALS, of=("lock",))


def test_pairs_that_are_published_are_asked_before_any_other_number_of_them() -> None:
    calls = offer("cpp", call("futex"), call("pipe"), experiment="wakeup")
    assert layers(ask(calls)) == {
        "those measured first": "futex cpp 16 pairs same-l3",
        "other mechanisms and settings": "pipe cpp 16 pairs same-l3",
        "further placements": "futex cpp 16 pairs unpinned, pipe cpp 16 pairs unpinned",
        "further numbers of threads": "futex cpp 1 pair same-l3, futex cpp 256 pairs same-l3, "
        "futex cpp 1 pair unpinned, futex cpp 256 pairs unpinned, pipe cpp 1 pair same-l3, "
        "pipe cpp 1 pair unpinned, pipe cpp 256 pairs same-l3, pipe cpp 256 pairs unpinned",
    }
    named = every(ask(calls, mechanisms=("pipe",), pairs=(2, 3)))
    assert [(case.title, case.placement.cpus) for case in named] == [
        ("pipe cpp 2 pairs same-l3", (0, 1, 0, 1)),
        ("pipe cpp 3 pairs same-l3", (0, 1, 0, 1, 0, 1)),
    ]


def test_numbers_of_threads_and_of_pairs_are_each_asked_of_their_own_experiments() -> None:
    cases = every(ask(LOCKS, offer("cpp", call("futex"), experiment="wakeup"), threads=(3,), pairs=(4,)))
    assert {(case.experiment, case.groups) for case in cases} == {("lock", 3), ("wakeup", 4)}


# ---- roles with several threads ----
RINGS = offer(
    "cpp",
    queue("queue", "batch", "consumers"),
    queue("mpsc", "producers", blocking=True),
    queue("spsc"),
    experiment="queue",
)


def test_of_each_role_there_is_one_and_numbers_that_are_asked_first_are_asked() -> None:
    assert layers(ask(RINGS)) == {
        "those measured first": "queue cpp same-l3, queue batch=10 cpp same-l3",
        "other mechanisms and settings": "spsc cpp same-l3, mpsc cpp same-l3",
        "further placements": "mpsc cpp same-cpu, mpsc cpp unpinned",
    }


def test_who_takes_several_of_a_role_is_measured_with_them_on_as_many_threads() -> None:
    assert titles(ask(RINGS, params={"producers": ("1", "3")}, placements=("same-l3",))) == (
        "mpsc cpp same-l3, mpsc producers=3 cpp 4 threads same-l3"
    )
    asked = ask(RINGS, mechanisms=("queue", "spsc"), params={"consumers": ("2",)})
    assert titles(asked) == "queue consumers=2 cpp 3 threads same-l3"
    assert [item.reason for item in asked.skipped if "spsc" in item.what] == ["it has no parameter consumers"]
    assert titles(ask(RINGS, cpus=(1, 0), params={"producers": ("2",)})) == "mpsc producers=2 cpp 3 threads same-l3"


MS = MILLISECOND


def test_blocks_are_the_same_for_every_trial() -> None:
    windows = WindowsRequest("ops", throughput=1000, sampling=300, visits=5, chunk_ns=20_000, clock_share=0.02)
    for trial in ((150 * MS, 50 * MS, 1), (MS, 0, 9)):
        assert in_blocks(*trial) == Policy(windows, look_ns=MS, patience_ns=SECOND)
        asleep = WindowsRequest("ops", throughput=100, sampling=100, visits=1, chunk_ns=20_000, clock_share=0.02)
        assert in_blocks(*trial, blocking=True).windows == asleep
        short = WindowsRequest("ops", throughput=300, sampling=30, visits=3, chunk_ns=20_000, clock_share=0.02)
        assert in_cells(*trial) == Policy(short, look_ns=MS, patience_ns=SECOND)


def test_periods_are_as_many_as_fill_the_trial() -> None:
    sizes = {
        **{(90, 1): (6 * MS, 3 * MS), (94, 1): (6_266_666, 3_133_333)},  # ten visits of 9 ms, and of 9.4 ms
        (95, 1): (5_757_575, 2_878_787),  # eleven of 8.64 ms
        **{(5, 1): (3_333_333, 1_666_666), (1, 1): (666_666, 333_333)},  # one, as long as there is time
        **{(240, 2): (40 * MS, 20 * MS), (240, 4): (80 * MS, 40 * MS)},  # 30 ms for each of the threads of a CPU
        **{(179, 4): (119_333_333, 59_666_666), (180, 4): (60 * MS, 30 * MS)},  # 1.49 visits are one, 1.5 are two
    }
    for (measure_ms, crowded), size in sizes.items():
        windows = WindowsRequest("ns", *size, visits=1, chunk_ns=20_000, clock_share=0.02)
        assert in_periods(measure_ms * MS, 50 * MS, crowded).windows == windows


def test_long_periods_are_mostly_sampled_and_all_timed() -> None:
    halves = {100: (10 * MS, 40 * MS), 124: (12_400_000, 49_600_000), 125: (8_333_333, 33_333_332), 5: (MS, 4 * MS)}
    for measure_ms, size in halves.items():  # visits of 50 ms: 2.48 are two, 2.5 are three
        windows = WindowsRequest("ns", *size, visits=1, chunk_ns=20_000, clock_share=1.0)
        assert [in_long_periods(measure_ms * MS, 50 * MS, rounds).windows for rounds in (1, 4)] == [windows] * 2


def test_on_a_schedule_visits_are_few_and_patience_grows() -> None:
    for measure_ms, half, patience in ((40, 20, 1), (149, 37.25, 1), (2000, 200, 2), (5000, 500, 3)):
        windows = WindowsRequest("ns", int(half * MS), int(half * MS), visits=1, chunk_ns=20_000, clock_share=0.02)
        expected = Policy(windows, look_ns=MS, patience_ns=patience * SECOND)
        assert on_schedule(measure_ms * MS, 50 * MS, 1) == expected


def test_a_look_lasts_until_each_thread_had_a_slice_but_bounded_and_patience_grows_up_to_two_seconds() -> None:
    """At most a sixteenth of the warm-up, and never less than a millisecond."""
    looks = {(1000, 1): MS, (1000, 2): 8 * MS, (1000, 4): 16 * MS, (100, 4): 6_250_000, (10, 4): MS, (0, 2): MS}
    assert {each: in_periods(150 * MS, each[0] * MS, each[1]).look_ns for each in looks} == looks
    patience = {1: 1000, 2: 1000, 3: 1500, 4: 2000, 9: 2000}
    assert {crowded: in_periods(150 * MS, 50 * MS, crowded).patience_ns // MS for crowded in patience} == patience


def test_crowding_is_how_many_rounds_it_takes_until_all_had_a_cpu() -> None:
    """By the CPUs of the threads, the number that may be used, and that of busy threads, which go where one is free."""
    rounds: dict[tuple[tuple[int | None, ...], int, int], int] = {
        ((0, 1), 64, 0): 1, ((1, 1), 64, 0): 2, ((0, 1, 0), 64, 0): 2, ((0, 1, 0, 1, 0), 2, 0): 3,
        ((None,) * 8, 8, 0): 1, ((None,) * 9, 8, 0): 2, ((3,), 1, 0): 1,
        ((0, 1), 4, 2): 1, ((0, 1), 4, 3): 2, ((0, 1), 2, 1): 2, ((0, 0), 2, 4): 4,
    }  # fmt: skip
    assert {of: crowding(*of) for of in rounds} == rounds
