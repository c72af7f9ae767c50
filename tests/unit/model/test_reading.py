"""Parsing of stored or foreign records, kinds of runs, and flags."""

from functools import partial
from itertools import cycle, islice
from math import log

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_request, make_windows
from tests.recorded import RK3588, ULTRA_155H, ULTRA_225U
from tests.unit.analysis.examples import LOCK, QUEUE, SIGNAL, WAKEUP, result
from threadping.analysis.latency_map import ordered, system_says
from threadping.analysis.percentiles import percentiles
from threadping.experiments import declared
from threadping.model import reading
from threadping.model.cases import Placement
from threadping.model.contract import Cpu, MeasuringPhase, Result, Skew, Topology, WindowKind
from threadping.model.text import added, text_without_secrets, variables_in, variables_that_count, without_secrets
from threadping.probes.placements import cores_by_kind, kinds_of, rank

WILD = 9_999_999
"""The nanoseconds of a window that must not count."""


def window(ns: int, ops: int = 10, kind: WindowKind = "throughput", *, warmup: bool = False) -> Window:
    return Window(0, kind, ns, (ops // 2, ops // 2), warmup)


def trial(*windows: Window) -> Result:
    return result(LOCK, windows=make_windows(*windows, every=8))


def paced(*ns: int) -> Result:
    return trial(*map(window, ns))


# ---- drift ----
def test_a_drift_is_how_much_longer_an_operation_takes_in_the_last_third() -> None:
    rows: list[tuple[list[int], float]] = [
        ([1_000] * 6, 0.0),
        ([1_000, 1_000, 1_050, 1_050, 1_100, 1_100], log(1.1)),
        ([1_000, 1_000, 900, 900, 800, 800], log(0.8)),
        ([1_000, 1_000, WILD, WILD, WILD, WILD, 1_100, 1_100], log(1.1)),  # of eight a third is two
        ([1_000, 1_000, 1_000, WILD, WILD, WILD, 1_100, 1_100, 1_400], log(1.2)),
        ([500, 1_500, WILD, WILD, 1_000, 1_000], 0.0),  # a third is one pace
    ]
    for ns, drift in rows:
        assert reading.drift(paced(*ns)) == pytest.approx(drift)


def test_a_third_is_paced_by_all_its_operations() -> None:
    """The first third has 40 operations in 4,000 ns, the last 10 in 3,000 ns."""
    first, last = (window(1_000, 30), window(3_000, 10)), (window(1_500, 4), window(1_500, 6))
    assert reading.drift(trial(*first, *last * 2)) == pytest.approx(log(3))


def test_fewer_than_six_windows_and_a_third_without_an_operation_tell_no_drift() -> None:
    assert reading.drift(paced(*[1_000] * 5)) is None
    assert reading.drift(paced()) is None
    still = [window(1_000, 0)] * 2
    assert reading.drift(trial(*still, *[window(1_000)] * 4)) is None
    assert reading.drift(trial(*[window(1_000)] * 4, *still)) is None


def test_neither_the_warm_up_nor_what_was_sampled_is_in_a_drift() -> None:
    early = [window(WILD, warmup=True)] * 3
    sampled = window(WILD, kind="sampling")
    measured = [one for ns in (1_000, 1_000, 1_050, 1_050, 1_100, 1_100) for one in (window(ns), sampled)]
    assert reading.drift(trial(*early, *measured)) == pytest.approx(log(1.1))
    assert reading.drift(trial(*early, *measured[:10])) is None


# ---- kinds of window ----
def test_the_warm_up_is_in_no_figure_and_can_be_asked_for() -> None:
    early, late = window(2_000, 20, warmup=True), window(1_000, 10)
    sampled = [window(3_000, 10, "sampling", warmup=True), window(1_300, 10, "sampling")]
    found = trial(early, sampled[0], late, sampled[1])
    assert found.windows.of("throughput") == make_windows(late)
    assert found.windows.of("throughput", warmup=True) == make_windows(early)
    assert found.windows.of("sampling", warmup=True) == make_windows(sampled[0], every=8)
    assert found.windows.measured == make_windows(late, sampled[1], every=8)
    assert (reading.rate(found), reading.ns_per_op(found)) == (1e7, 100.0)
    assert reading.everywhere(found)["counters.sampling_window_ns"] == 1_300


def test_switches_and_what_was_compiled_stay_with_their_windows() -> None:
    both = make_windows(window(1_000, warmup=True), window(2_000), window(3_000, kind="sampling"))
    windows = replace(both, switches=(5, 7, 11), compile_ms=(13, 17, 19))
    assert (windows.measured.switches, windows.measured.compile_ms) == ((7, 11), (17, 19))
    assert windows.of("sampling").switches == (11,)
    assert windows.of("throughput", warmup=True).compile_ms == (13,)


def test_a_sampling_pace_is_how_many_times_as_long_an_operation_takes_that_may_be_timed() -> None:
    two = [window(1_000), window(3_000, 30), window(WILD, kind="sampling", warmup=True)]
    assert reading.sampling_pace(trial(*two, window(3_000, 20, "sampling"))) == 1.5
    assert reading.sampling_pace(trial(*two, window(800, 10, "sampling"))) == 0.8
    assert reading.sampling_pace(trial(*two)) is None
    assert reading.sampling_pace(trial(*two, window(1_000, 0, "sampling"))) is None
    assert reading.sampling_pace(trial(window(1_000, 0), window(1_000, 10, "sampling"))) is None


def test_one_operation_in_how_many_was_timed_is_the_median_of_the_sampling_windows() -> None:
    windows = make_windows(window(1, warmup=True), window(1), *[window(1, kind="sampling")] * 3)
    some = result(LOCK, windows=replace(windows, every=(0, 0, 4, 64, 8)))
    assert [reading.everywhere(one)["sampling_every"] for one in (some, paced(1_000))] == [8, None]


# ---- what was timed one by one ----
def test_a_trials_median_lies_where_it_would_within_a_step_of_the_clock() -> None:
    rows: list[tuple[tuple[int, ...], tuple[int, ...], float, float | None]] = [
        ((10, 20, 30), (1, 1, 2), 1, 20),  # the lower of two
        ((160, 170, 180), (20, 60, 20), 10, 170.0),  # in the middle of the step of 165 to 175
        ((160, 170, 180), (35, 60, 5), 10, 167.5),  # a quarter of the way through it
        ((160, 169, 171, 180), (20, 30, 30, 20), 10, 170.0),  # readings are whole: both are of one step
        ((172, 180), (99, 1), 10, 172.0),  # no further than what was read
        ((), (), 10, None),
    ]
    for values, counts, step, found in rows:
        timed = make_distribution(values, counts)
        assert reading.median_of(timed, step) == found
        pooled = percentiles([timed], step).get("p50")
        assert pooled is None or pooled == pytest.approx(found)


def test_a_figure_that_is_a_median_is_read_by_the_steps_of_its_trials_clock() -> None:
    """Else trials of 174 and 176 ns would be 170 and 180, two groups of trials where there is one."""
    each = [make_distribution((170, 180), (40 + more, 60 - more)) for more in (8, 12)]
    trials = [result(WAKEUP, distributions={**result(WAKEUP).distributions, "wake": one}) for one in each]
    stepping = [replace(one, clock=replace(one.clock, resolution_ns=10)) for one in trials]
    wakeup, request = declared()["wakeup"], make_request()
    read = partial(wakeup.read, wakeup.figure("wake_ns.typical"), request=request)
    assert [[*read(one).values()] for one in trials] == [[180], [170]]
    assert [round(read(one)["wake_ns.typical"] or 0, 1) for one in stepping] == [175.4, 174.6]


# ---- whose operations count ----
def streamed(producers: int, consumers: int) -> Result:
    """100,000 messages in a throughput window of 10 ms, 50,000 in a sampling one of 6: each consumer sees them all."""
    roles = ["producer"] * producers + ["consumer"] * consumers
    cpus = tuple(islice(cycle((0, 1)), len(roles)))
    exact = result(replace(QUEUE, placement=Placement("same-l3", cpus)))

    def windows(kind: WindowKind, ns: int, sent: int) -> Window:
        return Window(0, kind, ns, (*[sent // producers] * producers, *[sent] * consumers))

    both = windows("throughput", 10_000_000, 100_000), windows("sampling", 6_000_000, 50_000)
    return replace(
        exact,
        threads=tuple(replace(thread, role=role) for thread, role in zip(exact.threads, roles, strict=True)),
        windows=make_windows(*both, threads=len(roles)),
        measured=MeasuringPhase(150_000 * consumers, 16_000_000, cut=False),
    )


@pytest.mark.parametrize(("producers", "consumers"), [(1, 1), (4, 1), (1, 4), (2, 3)])
def test_messages_count_where_they_arrive_and_each_of_them_once(producers: int, consumers: int) -> None:
    found = streamed(producers, consumers)
    assert reading.receivers(found) == consumers
    assert reading.counted(found, "throughput").ops == ((100_000,),) * consumers
    assert reading.counted(found, "sampling").ops == ((50_000,),) * consumers
    assert (reading.rate(found), reading.ns_per_op(found)) == (1e7, 100.0)
    assert reading.sampling_pace(found) == pytest.approx(1.2)


def test_what_every_consumer_costs_is_given_for_each_message() -> None:
    """Each of five threads took 15 ms of CPU for 150,000 messages: 100 ns for each."""
    found = streamed(1, 4)
    assert reading.per_op(found, "cpu_ns", "producer") == 100
    assert reading.per_op(found, "cpu_ns", "consumer") == 400
    assert reading.per_op(found, "cpu_ns") == 500
    assert reading.per_op(replace(found, measured=MeasuringPhase(0, 1, cut=False)), "cpu_ns", "consumer") is None
    assert reading.per_op(streamed(4, 1), "cpu_ns", "producer") == 400


def test_what_follows_is_not_counted_and_everything_else_is() -> None:
    windows = make_windows(Window(0, "throughput", 1_000_000, (10, 7)))
    assert reading.counted(result(WAKEUP, windows=windows), "throughput").ops == ((10,),)
    for case in (SIGNAL, LOCK):
        found = result(case, windows=windows)
        assert (reading.counted(found, "throughput").ops, reading.receivers(found)) == (((10,), (7,)), 1)


# ---- clocks ----
def test_clocks_are_as_far_apart_as_is_certain_and_at_most_as_far_as_their_bounds() -> None:
    exact = result(QUEUE)
    bounds = {(-40, 10): (0, 40), (-10, 40): (0, 40), (15, 40): (15, 40), (-40, -15): (15, 40), (0, 0): (0, 0)}
    skews = [(Skew(*ends), [*expected]) for ends, expected in bounds.items()]
    for skew, expected in (*skews, (None, [None, None])):
        found = reading.everywhere(replace(exact, clock=replace(exact.clock, skew=skew)))
        assert [found[f"counters.skew{of}_ns"] for of in ("", "_bound")] == expected


def cpus_of(machine: Topology, *numbers: int) -> list[Cpu]:
    known = {cpu.cpu: cpu for cpu in machine.cpus}
    return [known[number] for number in numbers]


def test_cores_are_counted_by_kind_and_cpus_are_named_by_theirs() -> None:
    said = ["6 P + 8 E + 2 LP-E", "2 P + 8 E + 2 LP-E", "4 big + 4 little"]
    assert [*map(cores_by_kind, (ULTRA_155H, ULTRA_225U, RK3588))] == said
    named: dict[tuple[int, ...], str] = {
        (1, 10): "P-P", (2, 1): "E-P", (1, 20): "P-LP-E", (1,): "P", (1, 10, 12): "P", (): "",
        (2, 1, 3, 20): "1 P + 2 E + 1 LP-E",
    }  # fmt: skip
    assert {numbers: kinds_of(cpus_of(ULTRA_155H, *numbers)) for numbers in named} == named
    alike = [Cpu(number, number, number, 0, 0, 0) for number in range(2)]
    assert kinds_of(alike) == cores_by_kind(Topology("alike", tuple(alike), (0, 1), 4)) == ""


def test_a_missing_or_unknown_kind_comes_last() -> None:
    kinds = ("little", None, "medium2", "P", "medium1", "big", "E", "LP-E")
    of_each = [Cpu(number, number, None, None, 0, 0, kind) for number, kind in enumerate(kinds)]
    assert [cpu.kind for cpu in sorted(of_each, key=rank)] == [
        "P", "big", "E", "medium1", "medium2", "LP-E", "little", None
    ]  # fmt: skip
    assert kinds_of(of_each[1:4:2]) == "?-P"


def test_cpus_of_a_kind_are_adjacent_in_a_matrix_and_its_pairs_say_their_kinds() -> None:
    assert ordered(ULTRA_155H, range(22)) == (0, 1, *range(10, 20), *range(2, 10), 20, 21)
    assert ordered(RK3588, range(8)) == (4, 5, 6, 7, 0, 1, 2, 3)
    pairs = [(0, 1), (1, 10), (2, 3), (2, 9), (2, 1), (20, 1), (20, 21)]
    assert [system_says(*cpus_of(ULTRA_155H, *pair)) for pair in pairs] == [
        "same core P-P",
        "same L3 P-P",
        "same L2 E-E",
        "same L3 E-E",
        "same L3 P-E",
        "same node P-LP-E",
        "same L2 LP-E-LP-E",
    ]


def test_a_flag_is_shown_without_what_may_be_secret() -> None:
    plain = ("-Djava.awt.headless", "-Xint", "-XX:MaxHeapSize=1g", "-march=native", "-javaagent:/opt/agent.jar")
    shown = {flag: flag for flag in (*plain, "-Djdk.virtualThreadScheduler.parallelism=1")} | {
        **dict.fromkeys(("-Ddb.password=hunter2", "-Ddb.password=a b = c", "-Ddb.password="), "-Ddb.password=…"),
        **dict.fromkeys(("-Djdk.token=1x", "-Djdk.token=1-2"), "-Djdk.token=…"),
        "-Djdkx.pin=1234": "-Djdkx.pin=…",
        "-javaagent:/opt/agent.jar=key=123,x": "-javaagent:/opt/agent.jar=…",
        "-agentlib:jdwp=transport=dt_socket": "-agentlib:jdwp=…",
        "-agentpath:/opt/yjp.so=port=1": "-agentpath:/opt/yjp.so=…",
        "-Xrunjdwp:server=y": "-Xrunjdwp:…",
        "-XX:OnOutOfMemoryError=curl -H token": "-XX:OnOutOfMemoryError=…",
        "-XX:OnError=mail me": "-XX:OnError=…",
    }
    assert {flag: without_secrets(flag) for flag in shown} == shown
    for flag, safe in shown.items():
        assert text_without_secrets(f"Picked up X: -Xint '{flag}' -Xss1m") == f"Picked up X: -Xint '{safe}' -Xss1m"
        if " " not in flag:
            assert text_without_secrets(f"java-17 {flag} -Xss1m") == f"java-17 {safe} -Xss1m"


def test_a_value_in_a_text_ends_where_its_quotes_do() -> None:
    for quoted in ('"a b"', "'a b'", "a\\ b", 'a" b "c'):
        assert text_without_secrets(f"java-17 -Dx={quoted} -Xint it's") == "java-17 -Dx=… -Xint it's"
    assert text_without_secrets(r'["-Dx=a \"b\" c","-Xint"]') == '["-Dx=…","-Xint"]'
    assert text_without_secrets("cmake -DX=1 JVM's own -Dy=2") == "cmake -DX=… JVM's own -Dy=…"


def test_what_the_environment_sets_below_a_probe_is_found_again_in_a_version() -> None:
    environment = {
        **{"LD_PRELOAD": "/opt/acme/lib/libjemalloc.so.2:libx.so /y/libz.so", "LD_LIBRARY_PATH": "/opt/z"},
        **{"GLIBC_TUNABLES": "glibc.pthread.mutex_spin_count=1000", "LD_AUDIT": "/opt/audit.so"},
        **{"MALLOC_ARENA_MAX": "2", "MALLOC_": " "},
    }
    found = variables_that_count(environment)
    assert found == [
        *("GLIBC_TUNABLES=glibc.pthread.mutex_spin_count=1000", "LD_AUDIT=audit.so", "LD_LIBRARY_PATH=z"),
        *("LD_PRELOAD=libjemalloc.so.2:libx.so,libz.so", "MALLOC_ARENA_MAX=2"),
    ]
    assert variables_in(" ".join(["g++ 12.2.0 -O3", *found])) == found
    assert variables_in("g++ 12.2.0 -DX_LD_PRELOAD=1") == []


def test_what_the_environment_adds_is_what_the_command_does_not_have() -> None:
    command = ("/usr/bin/java", "-Xss1m", "-Dx=secret of mine", "-jar", "probe.jar")
    assert added("java-17 -Xint -Dx=… -Xss1m", command) == ("-Xint",)
    assert added("java-17 -Dx=… -Xss1m", command) == ()


@pytest.mark.parametrize("chatter", ["-D", "-D'", "'-Dx=", "-javaagent:", '"-Dx=\\', "-Djdk.x-"])
def test_no_chatter_takes_long(chatter: str) -> None:
    """In quadratic time this would outlast the test's own bound."""
    text_without_secrets(chatter * ((1 << 18) // len(chatter)))


def test_what_the_environment_sets_for_other_languages_counts_for_custom_probes_alone() -> None:
    environment = {
        **{"COMPlus_TieredPGO": "0", "DOTNET_TieredPGO": "0", "GODEBUG": "asyncpreemptoff=1", "GOGC": "off"},
        **{"GOMAXPROCS": "1", "NODE_OPTIONS": "--single-threaded --require /home/me/x.js"},
        **{"PYTHONGIL": "0", "PYTHON_JIT": "1", "UV_THREADPOOL_SIZE": "1"},
    }
    found = variables_that_count(environment | {"DOTNET_ROOT": "/usr/share/dotnet"}, own_probe=True)
    shown = environment | {"NODE_OPTIONS": "--single-threaded,--require,x.js"}
    assert found == [f"{name}={value}" for name, value in shown.items()]
    assert variables_in(" ".join(["go 1.26", *found])) == found
    assert variables_that_count(environment) == []
