"""Loops with nothing around them, one for each headline mechanism in each language; some are `lock`'s and `queue`'s."""

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import launcher, printed
from benchmarks.lock import bare as lock
from benchmarks.queue import bare as ring
from benchmarks.records import BARE, Contender, Subject
from threadping.model.cases import Runtime, with_params
from threadping.model.contract import Params

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "agreement"

REMEDY = "Give fewer --iterations."
"""For a program that does not end in time."""

LOCK, QUEUE, WAKEUP, BARRIER = "lock ", "queue ", "wakeup ", "barrier "
"""Before the names of mechanisms that are not of `signal`."""

MANY = 256
"""Lines, as ours: of single ones only one process in twenty has another's line, and their quartiles lie 10% apart."""

LISTED = " listed"
"""Behind the name of what is measured as its article lists it, where that is another loop than ours."""

PUBLISHED = (
    *("cas-one-line", "add-one-line", "xadd-one-line", "seqcst-one-line", "release-one-line"),
    *("seqcst-two-lines", "release-two-lines"),
)
REST = " rest="
RESTED = tuple(f"{name}{REST}{steps}" for name in ("release-one-line", "xadd-one-line") for steps in (1, 2, 4, 8))
"""Mechanisms whose sides take dependent steps before the first poll: a few instructions there change the latency."""

RESTED_STREAM = f"{ring.QUEUE} batch=100{REST}64"
"""A stream whose consumer takes 64 steps after each batch."""

SPINNING: dict[str, tuple[str, ...]] = {
    "cpp": (*PUBLISHED, *RESTED),
    "java": (*PUBLISHED, *RESTED, f"seqcst-one-line{LISTED}"),
    "rust": ("cas-one-line", "release-one-line", "release-two-lines"),
}
SLEEPING: dict[str, tuple[str, ...]] = {"cpp": ("condition",), "java": ("condition", "monitor"), "rust": ()}
LOCKS: dict[str, tuple[str, ...]] = {
    "cpp": ("mutex", "fetch-add"),
    "java": ("monitor", "reentrant-lock", "get-and-add"),
    "rust": ("mutex", "fetch-add"),
}
QUEUES: dict[str, tuple[str, ...]] = {"cpp": ("sequenced-ring",), "java": ("sequenced-ring", ring.QUEUE)}
FULL_SPEED: Params = {"batch": 1}
"""Unbatched at full speed: whether a consumer keeps up or is backlogged decides its pace (docs/reference/queue.md)."""

STREAMS: tuple[Params, ...] = (FULL_SPEED, {"batch": 1, "producer-work": 16}, {"batch": 100})
CALLED = "condition"
BARRIERS = {
    "cpp": ("spin-barrier", "futex-all"),
    "java": ("cyclic-barrier",),
    "rust": ("spin-barrier", "std-sync-barrier"),
}

BLOCKED = (*(name for of in SLEEPING.values() for name in of), f"{WAKEUP}{CALLED}")
"""Mechanisms whose threads block. The wake-up of an idle CPU dominates: the mean over 100 ms varies by 9-14% (sd)
from process to process, in a hand-written baseline too (two virtual CPUs of an Intel Xeon)."""

WIDE = (*BLOCKED, *(f"{BARRIER}{name}" for of in BARRIERS.values() for name in of))
"""Mechanisms whose limit is as wide as their noise."""

ITERATIONS_A_SLEEP = 100
"""Minimum ratio of a round trip between blocked threads to one between spinning threads."""

MESSAGES_AN_ITERATION, MANY_AT_ONCE = 15, 20
"""Messages per iteration, and the factor for batches of 100, in which a message takes 0.5 ns."""

CALLS = 500
MILLISECONDS = 400
"""Duration of the programs that are bounded by time."""

SHORTER = 4
"""Factor by which processes are shorter when many pairs of them run."""


def cpp_contenders(ping: int, pong: int, iterations: int, *, shorter: int = 1) -> list[Contender]:
    """Compile the C++ programs; one for each mechanism."""
    cpus = (str(ping), str(pong))
    turns, stream, calls, rounds = (
        (str(bare.compile_cpp(SOURCES / f"{name}.cpp", BUILD)),) for name in ("ping_pong", "queue", "calls", "rounds")
    )
    waits = (str(bare.compile_cpp(lock.SOURCES / "waits.cpp", BUILD)),)
    return [
        *_turns("cpp", turns, cpus, iterations, "cpp"),
        *_each("cpp", waits, LOCKS["cpp"], (*cpus, "0", str(MILLISECONDS // shorter)), LOCK),
        *_streams("cpp", stream, QUEUES["cpp"], cpus, iterations),
        *_each("cpp", calls, (CALLED,), (*cpus, str(CALLS // shorter)), WAKEUP),
        *_each("cpp", rounds, BARRIERS["cpp"], (*cpus, str(MILLISECONDS // shorter)), BARRIER),
    ]


def rust_contenders(ping: int, pong: int, iterations: int, *, shorter: int = 1) -> list[Contender]:
    """Compile the Rust programs; one for each mechanism."""
    cpus = (str(ping), str(pong))
    turns, contended, rounds = ((str(bare.compile_rust(name)),) for name in ("ping_pong", "contended", "rounds"))
    return [
        *_turns("rust", turns, cpus, iterations, "rust"),
        *_each("rust", contended, LOCKS["rust"], (*cpus, str(MILLISECONDS // shorter)), LOCK),
        *_each("rust", rounds, BARRIERS["rust"], (*cpus, str(MILLISECONDS // shorter)), BARRIER),
    ]


def java_contenders(
    runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int, *, shorter: int = 1
) -> list[Contender]:
    """Compile the Java programs once, with the first compiler found; as above, for each of the virtual machines."""
    cpus = (str(ping), str(pong))
    jar = Path(runtimes[0].command[-1])
    for name in ("PingPong", "Contended", "Ring", "Calls", "Rounds"):
        classes = bare.compile_java(SOURCES / f"{name}.java", BUILD, runtimes)
    bare.compile_java(ring.SOURCES / "Stream.java", BUILD, runtimes, [jar])
    own, library = QUEUES["java"]
    found: list[Contender] = []
    for runtime in runtimes:
        start = (*launcher(runtime), "-cp", f"{classes}:{jar}")
        label = runtime.label
        found += [
            *_turns(label, (*start, "PingPong"), cpus, iterations, "java"),
            *_each(label, (*start, "Contended"), LOCKS["java"], (*cpus, str(MILLISECONDS // shorter)), LOCK),
            *_streams(label, (*start, "Ring"), [own], cpus, iterations),
            *_streams(label, (*start, "Stream"), [library], cpus, iterations),
            *_each(label, (*start, "Stream"), [RESTED_STREAM], (*cpus, _messages(iterations, 100)), QUEUE),
            *_each(label, (*start, "Calls"), (CALLED,), (*cpus, str(CALLS // shorter)), WAKEUP),
            *_each(label, (*start, "Rounds"), BARRIERS["java"], (*cpus, str(MILLISECONDS // shorter)), BARRIER),
        ]
    return found


def _turns(
    runtime: str, program: Sequence[str], cpus: Sequence[str], iterations: int, language: str
) -> list[Contender]:
    spin, sleep = str(iterations), str(max(1, iterations // ITERATIONS_A_SLEEP))
    return [
        *_each(runtime, program, SPINNING[language], (*cpus, spin, str(MANY)), lines=MANY),
        *_each(runtime, program, SLEEPING[language], (*cpus, sleep, "1")),
    ]


def _streams(
    runtime: str, program: Sequence[str], queues: Iterable[str], cpus: Sequence[str], iterations: int
) -> list[Contender]:
    found: list[Contender] = []
    for queue, params in product(queues, STREAMS):
        settings = (*cpus, _messages(iterations, params["batch"]))
        found += _each(runtime, program, [with_params(queue, params, params)], settings, QUEUE)
    return found


def _messages(iterations: int, batch: int | str) -> str:
    return str(iterations * MESSAGES_AN_ITERATION * (MANY_AT_ONCE if batch != 1 else 1))


def _each(
    runtime: str,
    program: Sequence[str],
    names: Iterable[str],
    settings: Sequence[str],
    prefix: str = "",
    lines: int = 1,
) -> list[Contender]:
    """One for each name, with which the program is started."""
    return [
        printed(Subject(BARE, runtime, f"{prefix}{name}", lines), (*program, name, *settings), bare.FIGURE, REMEDY)
        for name in names
    ]
