"""Loops with nothing around them, one for each headline mechanism in each language; some are `lock`'s and `ring`'s."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import launcher, printed
from benchmarks.lock import bare as lock
from benchmarks.records import BARE, Contender, Subject
from benchmarks.ring import bare as ring
from threadping.model.cases import Runtime

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "agreement"

REMEDY = "Give fewer --iterations."
"""For a program that does not end in time."""

LOCK, RING, NOTIFY, CROWD = "lock ", "ring ", "notify ", "crowd "
"""Before the names of mechanisms that are not of `signal`."""

MANY = 256
"""Lines, as ours: of single ones only one process in twenty has another's line, and their quartiles lie 10% apart."""

PUBLISHED = (
    *("cas-one-line", "add-one-line", "xadd-one-line", "seqcst-one-line", "release-one-line"),
    *("seqcst-two-lines", "release-two-lines"),
)
SPINNING: dict[str, tuple[str, ...]] = {
    "cpp": PUBLISHED,
    "java": PUBLISHED,
    "rust": ("cas-one-line", "release-one-line", "release-two-lines"),
}
SLEEPING: dict[str, tuple[str, ...]] = {"cpp": ("condition",), "java": ("condition", "monitor"), "rust": ()}
LOCKS: dict[str, tuple[str, ...]] = {
    "cpp": ("mutex", "fetch-add"),
    "java": ("monitor", "reentrant-lock", "get-and-add"),
    "rust": ("mutex", "fetch-add"),
}
QUEUES: dict[str, tuple[str, ...]] = {"cpp": ("sequenced-ring",), "java": ("sequenced-ring", ring.RING)}
BATCHES = (1, 100)
CALLED = "condition"
CROWDS = {
    "cpp": ("spin-barrier", "futex-all"),
    "java": ("cyclic-barrier",),
    "rust": ("spin-barrier", "std-sync-barrier"),
}

SLEEPERS = (*(name for of in SLEEPING.values() for name in of), f"{NOTIFY}{CALLED}")
"""What is measured is the wake-up of an idle CPU: of 100 ms the mean differs by 9 to 14% (sd) from one time to the
next, also of a bare loop (two virtual CPUs of an Intel Xeon)."""

WIDE = (*SLEEPERS, *(f"{CROWD}{name}" for of in CROWDS.values() for name in of))
"""What has a limit as wide as its noise."""

ITERATIONS_A_SLEEP = 200
"""A round trip of threads that sleep takes as many times as long as one of threads that spin, or more."""

MESSAGES_AN_ITERATION = 15
CALLS = 500
MILLISECONDS, SHORT_MILLISECONDS = 400, 100
"""What is measured; the second of crowds, where many pairs of processes are made."""

JAVA_FLAGS = ("-XX:ObjectAlignmentInBytes=128",)
"""An array, or an object, that begins a line pair: what it holds may be laid out in lines."""


def cpp_contenders(ping: int, pong: int, iterations: int, *, short: bool = False) -> list[Contender]:
    """Compile the C++ programs; one for each mechanism."""
    cpus = (str(ping), str(pong))
    turns, stream, calls, rounds = (
        (str(bare.compile_cpp(SOURCES / f"{name}.cpp", BUILD)),) for name in ("ping_pong", "ring", "calls", "rounds")
    )
    waits = (str(bare.compile_cpp(lock.SOURCES / "waits.cpp", BUILD)),)
    return [
        *_turns("cpp", turns, cpus, iterations, "cpp"),
        *_each("cpp", waits, LOCKS["cpp"], (*cpus, "0", str(MILLISECONDS)), LOCK),
        *_each("cpp", stream, _batches(QUEUES["cpp"]), (*cpus, str(MESSAGES_AN_ITERATION * iterations)), RING),
        *_each("cpp", calls, (CALLED,), (*cpus, str(CALLS)), NOTIFY),
        *_each("cpp", rounds, CROWDS["cpp"], (*cpus, _milliseconds(short)), CROWD),
    ]


def rust_contenders(ping: int, pong: int, iterations: int, *, short: bool = False) -> list[Contender]:
    """Compile the Rust programs; one for each mechanism."""
    cpus = (str(ping), str(pong))
    turns, contended, rounds = ((str(bare.compile_rust(name)),) for name in ("ping_pong", "contended", "rounds"))
    return [
        *_turns("rust", turns, cpus, iterations, "rust"),
        *_each("rust", contended, LOCKS["rust"], (*cpus, str(MILLISECONDS)), LOCK),
        *_each("rust", rounds, CROWDS["rust"], (*cpus, _milliseconds(short)), CROWD),
    ]


def _milliseconds(short: bool) -> str:
    return str(SHORT_MILLISECONDS if short else MILLISECONDS)


def java_contenders(
    runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int, *, short: bool = False
) -> list[Contender]:
    """Compile the Java programs once, with the first compiler found; as above, for each of the virtual machines."""
    cpus = (str(ping), str(pong))
    jar = Path(runtimes[0].command[-1])
    for name in ("PingPong", "Contended", "Ring", "Calls", "Rounds"):
        classes = bare.compile_java(SOURCES / f"{name}.java", BUILD, runtimes)
    bare.compile_java(ring.SOURCES / "Stream.java", BUILD, runtimes, [jar])
    messages = str(MESSAGES_AN_ITERATION * iterations)
    own, library = QUEUES["java"]
    found: list[Contender] = []
    for runtime in runtimes:
        usual = (*launcher(runtime), "-cp", f"{classes}:{jar}")  # a lock stands where ours does
        start = (*launcher(runtime), *JAVA_FLAGS, "-cp", f"{classes}:{jar}")
        label = runtime.label
        found += [
            *_turns(label, (*start, "PingPong"), cpus, iterations, "java"),
            *_each(label, (*usual, "Contended"), LOCKS["java"], (*cpus, str(MILLISECONDS)), LOCK),
            *_each(label, (*start, "Ring"), _batches([own]), (*cpus, messages), RING),
            *_each(label, (*start, "Stream"), _batches([library]), (*cpus, messages), RING, more=" rest=0 pause=0"),
            *_each(label, (*start, "Calls"), (CALLED,), (*cpus, str(CALLS)), NOTIFY),
            *_each(label, (*usual, "Rounds"), CROWDS["java"], (*cpus, _milliseconds(short)), CROWD),
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


def _batches(queues: Iterable[str]) -> list[str]:
    return [f"{queue} batch={batch}" for queue in queues for batch in BATCHES]


def _each(
    runtime: str,
    program: Sequence[str],
    names: Iterable[str],
    settings: Sequence[str],
    prefix: str = "",
    *,
    more: str = "",
    lines: int = 1,
) -> list[Contender]:
    """One for each name, with which the program is started, and `more` behind it."""
    return [
        printed(
            Subject(BARE, runtime, f"{prefix}{name}", lines),
            (*program, f"{name}{more}", *settings),
            bare.FIGURE,
            REMEDY,
        )
        for name in names
    ]
