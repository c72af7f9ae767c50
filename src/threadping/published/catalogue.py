"""What repeats each published figure here: the same protocol, layout, pinning and number of threads.

The warm-up is ours, until the pace is steady: the articles' figures are of warm code. Whoever adds a figure adds its
words to one of the tables below, which are looked up as the articles wrote them.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import Pin, Topology
from threadping.model import DEFAULT_WARMUP, Case, WarmupPolicy
from threadping.published.records import Published
from threadping.relation import CPUS_APART, relation, usable

FORMER_WARMUP = WarmupPolicy(10, 100_000)
"""The default until 0.2: stored runs of what was published have it."""

Where = Literal["two-cpus", "two-cores", "smt", "cross-node", "same-cpu", "unpinned"]
"""`two-cores` are the closest two CPUs of different cores; `two-cpus` the same, or siblings where there is one core."""


class Build(Struct, frozen=True):
    """A runtime by what matters of it: the language of its probe, and those of its flags that a figure depends on."""

    probe: str
    flags: tuple[str, ...] = ()


NOT_BIASED, IS_BIASED, DELAY = "-XX:-UseBiasedLocking", "-XX:+UseBiasedLocking", "-XX:BiasedLockingStartupDelay="
NATIVE_FLAG = "-march=native"

CPP, NATIVE, JAVA = Build("cpp"), Build("cpp", (NATIVE_FLAG,)), Build("java")
UNBIASED, BIASED = Build("java", (NOT_BIASED,)), Build("java", (IS_BIASED, f"{DELAY}0"))
DELAY_NS = 4_000_000_000
"""What the delay was by default when the article was written; in Java 17 it is 0."""

LATE = Build("java", (IS_BIASED, f"{DELAY}{DELAY_NS // 1_000_000}"))

NEVER_BIASED_FROM = 15
"""From this Java version on monitors are not biased unless a flag says so (JEP 374); from 18 on no flag does."""


class Way(Struct, frozen=True):
    """How something is done here: the mechanism, the parameters that are not its defaults, and the runtime."""

    mechanism: str
    build: Build
    params: tuple[tuple[str, str], ...] = ()


class Standing(Struct, frozen=True):
    """Where the threads stand, and what is pinned there."""

    where: Where
    pin: Pin = "thread"


class Repetition(Struct, frozen=True):
    """A case that repeats published figures, before it is known whether this machine can measure it.

    `lines` is None for as many cache lines as the mechanism has by itself.
    """

    experiment: str
    way: Way
    standing: Standing
    threads: int = 2
    lines: int | None = None

    @property
    def title(self) -> str:
        """Name it: `signal condition java two-cpus process`."""
        way, build = self.way, self.way.build
        parts = [self.experiment, way.mechanism, *(f"{name}={value}" for name, value in way.params)]
        parts += [build.probe, *build.flags, *([f"{self.threads} threads"] if self.threads != 2 else [])]
        parts += [self.standing.where, *(["process"] if self.standing.pin == "process" else [])]
        return " ".join([*parts, *([f"lines={self.lines}"] if self.lines else [])])


class Repeated(Struct, frozen=True):
    """Which of our experiments repeats a published one, how, and what its figures are called here.

    Attributes:
        experiment: ours.
        ways: for each published runtime how, or why not.
        standings: for each published placement.
        figures: for each published metric the name of ours.
        params: for those metrics that take other parameters than the way has, these.
        lines: over how many cache lines it was measured.
    """

    experiment: str
    ways: Mapping[str, Way | str]
    standings: Mapping[str, Standing]
    figures: Mapping[str, str]
    params: Mapping[str, tuple[tuple[str, str], ...]] = {}
    lines: int | None = None


ADD, SEQCST, RELEASE = "add-one-line", "seqcst-one-line", "release-one-line"
CONDITION, RELEASED = "condition", "condition-released"
DISRUPTOR = Way("disruptor", JAVA)
ONE_IN_FLIGHT = (("in-flight", "1"),)
PUBLISHED_BATCH = (("batch", "10"),)
"""What the Disruptor's own OneToOneSequencedBatchThroughputTest publishes at once; the article does not say."""

TASKSET, TWO_CORES, UNPINNED = Standing("two-cpus", "process"), Standing("two-cores"), Standing("unpinned")

ORACLE = "Java, Oracle JDK 1.6.0_29;"

REPEATED: Mapping[str, Repeated | str] = {
    "inter-thread-latency": Repeated(
        "signal",
        ways={
            "C++": Way(ADD, CPP),
            "C++, g++ -O3": Way(ADD, CPP),
            "C++, g++ -march=native": Way(ADD, NATIVE),
            "C++, with a PAUSE in the wait loop": Way(ADD, CPP, (("wait", "pause"),)),
            "C++, g++ default flags": "the C++ probe is built with -O3, not with g++'s default flags",
            "Java": Way(SEQCST, JAVA),
            "Java, JDK 1.7.0": Way(SEQCST, JAVA),
            "Java, volatile": Way(SEQCST, JAVA),
            "Java, AtomicLong.lazySet": Way(RELEASE, JAVA),
            "Java, JRockit": "JRockit is no longer made: HotSpot took its place",
        },
        standings={
            "taskset to two cores": TASKSET,
            "two cores": TWO_CORES,
            "two cores of one socket": TWO_CORES,
            "two hardware threads of one core": Standing("smt"),
            "cores of two sockets": Standing("cross-node"),
            "both threads on one CPU": Standing("same-cpu"),
            "not pinned": UNPINNED,
            "": UNPINNED,
        },
        figures={"one-way latency mean": "latency_ns.mean"},
        lines=1,
    ),
    "disruptor": Repeated(
        "ring",
        ways={"Java, LMAX Disruptor": DISRUPTOR},
        standings={"": TWO_CORES},
        figures={
            "one-way latency mean": "latency_ns.mean",
            "one-way latency p99": "latency_ns.p99",
            "one-way latency mean, Disruptor 2.0.2": "latency_ns.mean",
            "throughput, consumer batching": "ops_per_s",
            "throughput, publisher batches too": "ops_per_s",
        },
        params={
            "one-way latency mean": ONE_IN_FLIGHT,
            "one-way latency p99": ONE_IN_FLIGHT,
            "one-way latency mean, Disruptor 2.0.2": ONE_IN_FLIGHT,
            "throughput, publisher batches too": PUBLISHED_BATCH,
        },
    ),
    "locked-signalling": Repeated(
        "signal",
        ways={"Java, Oracle JDK 1.6.0": Way(CONDITION, JAVA)},
        standings={"taskset -c 2,4": TASKSET, "pinned to two CPUs": TASKSET, "not pinned": UNPINNED},
        figures={"one-way latency mean": "latency_ns.mean"},
    ),
    "network-hop": "a hop between hosts, quoted for scale: there is nothing to measure here",
    "lock-contention": Repeated(
        "lock",
        ways={
            f"{ORACLE} synchronized, {' '.join(UNBIASED.flags)}": Way("monitor", UNBIASED),
            f"{ORACLE} synchronized, {' '.join(BIASED.flags)}": Way("monitor", BIASED),
            f"{ORACLE} ReentrantLock": Way("reentrant-lock", JAVA),
        },
        standings={"not pinned": UNPINNED},
        figures={"increments under the lock": "ops_per_s"},
    ),
    "notify-cost": Repeated(
        "notify",
        ways={"Java, Object.notify": Way("monitor", JAVA)},
        standings={"16 pairs": UNPINNED, "256 pairs": UNPINNED},
        figures={
            f"notify call {name}": f"latency_ns.{name}"
            for name in ("min", "max", "mean", "p50", "p90", "p95", "p99", "p99.9")
        },
    ),
}
"""For each published experiment what repeats it, or why nothing does."""

FOREIGN = ("Windows", "macOS")
"""Systems whose figures are shown and not compared."""


def repetition(of: Published) -> Repetition | str:
    """What repeats a published figure, or why nothing does; KeyError for words that are in no table."""
    found = REPEATED[of.experiment]
    if isinstance(found, str):
        return found
    if foreign := next((name for name in FOREIGN if of.os.startswith(name)), None):
        return f"measured on {foreign}; this is Linux"
    way = found.ways[of.runtime]
    return way if isinstance(way, str) else _repetition(found, way, of)


def alike(of: Published) -> Repetition | None:
    """What would repeat a published figure whatever its system was, to know those that are of the same; or None."""
    found = REPEATED[of.experiment]
    way = None if isinstance(found, str) else found.ways.get(of.runtime)
    return _repetition(found, way, of) if isinstance(found, Repeated) and isinstance(way, Way) else None


def _repetition(found: Repeated, way: Way, of: Published) -> Repetition:
    with_params = replace(way, params=(*way.params, *found.params.get(of.metric, ())))
    return Repetition(found.experiment, with_params, found.standings[of.placement], of.threads, found.lines)


def figure(of: Published) -> str:
    """The name of our figure; KeyError where nothing repeats it."""
    found = REPEATED[of.experiment]
    if isinstance(found, str):
        raise KeyError(of.metric)
    return found.figures[of.metric]


def place(where: Where, topology: Topology) -> str | None:
    """What a placement is called on this machine; None where there are no two such CPUs."""
    if where not in ("two-cpus", "two-cores"):
        return where
    ranked = sorted(_apart(topology), key=lambda name: (name == "smt", CPUS_APART.index(name)))
    return next((name for name in ranked if where == "two-cpus" or name != "smt"), None)


@cache
def _apart(topology: Topology) -> frozenset[str]:
    return frozenset(relation(*pair) for pair in combinations(usable(topology).values(), 2))


def fits(wanted: Repetition, case: Case, topology: Topology) -> bool:
    """Whether a case repeats it, over however many cache lines."""
    way, standing = wanted.way, wanted.standing
    return (
        (case.experiment, case.mechanism, case.threads) == (wanted.experiment, way.mechanism, wanted.threads)
        and {name: str(case.params[name]) for name in case.varied} == dict(way.params)
        and has(case.runtime, way.build)
        and case.placement.name == place(standing.where, topology)
        and (case.placement.pin == standing.pin or standing.where == "unpinned")
        and case.warmup in (DEFAULT_WARMUP, FORMER_WARMUP)
        and case.home is None
    )


def has(label: str, build: Build) -> bool:
    """Whether the runtime of this label is such a one, whatever other flags it has: `java-17 -XX:+UseParallelGC`."""
    name, *flags = label.split()
    probe, version = name.partition("-")[0], re.match(r"java-(\d+)", name)
    telling = tuple(flag for flag in flags if flag in (NOT_BIASED, IS_BIASED, NATIVE_FLAG) or flag.startswith(DELAY))
    if build == UNBIASED and not telling and version and int(version[1]) >= NEVER_BIASED_FROM:
        telling = UNBIASED.flags
    return (probe, telling) == (build.probe, build.flags)


def exactness(wanted: Repetition, case: Case) -> tuple[bool, int, bool]:
    """For sorting cases that fit: the one first that has the flags, the cache lines and the warm-up that are asked."""
    flags = set(wanted.way.build.flags) <= set(case.runtime.split())
    lines = -case.lines if wanted.lines is None else abs(case.lines - wanted.lines)
    return not flags, lines, case.warmup != DEFAULT_WARMUP
