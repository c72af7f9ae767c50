"""Cases: a mechanism in a runtime, the placement of its threads, and all else that tells cases apart."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import pairwise
from pathlib import PurePath
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from threadping.model import quantities
from threadping.model.base import MOST_CPUS_STORED, Record, Sentence, Word
from threadping.model.contract import MOST_THREADS, Count, CpuNumber, Params, Pin

OUR_PROGRAM = "threadping-probe"  # start of the file name of every probe of ours; language or build follows
Pair = tuple[CpuNumber, CpuNumber]  # two CPUs, the lower first
Side = Literal["a", "b"]  # of a comparison: B is compared with A
SIDES: tuple[Side, ...] = ("a", "b")
MOST_PAIRS = 4  # pairs of CPUs pinged for one case


class Placement(Record, frozen=True):
    """The CPU of each thread (None: not pinned), and the placement's word, such as `same-l3`.

    With `pin` "process" every thread may use all of these CPUs, as under taskset. `kinds` names what their cores are on
    a hybrid machine: `P-E`.
    """

    name: Word
    cpus: Annotated[tuple[CpuNumber | None, ...], Meta(max_length=MOST_THREADS)]
    pin: Pin = "thread"
    kinds: str = ""

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.kinds)))

    @property
    def threads(self) -> int:
        return len(self.cpus)

    @property
    def used(self) -> tuple[int, ...]:
        """Return the pinned CPUs, each once, in order."""
        return tuple([cpu for cpu in dict.fromkeys(self.cpus) if cpu is not None])

    @property
    def usual_home(self) -> tuple[int, ...] | None:
        """Return the CPUs that make the cells by default: the first thread's; None if not pinned."""
        return (self.used if self.pin == "process" else self.used[:1]) or None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of CPUs whose latency figures may depend on; none if not pinned, or on one CPU.

        Each CPU with the next in the order of the threads; of more than MOST_PAIRS those that are spread evenly.
        """
        pairs = [(one, other) if one < other else (other, one) for one, other in pairwise(self.used)]
        every = max(1, -(-len(pairs) // MOST_PAIRS))
        return tuple(pairs[::every])


class Home(Record, frozen=True):
    """The role or node whose CPUs make and first touch the cells."""

    name: Word
    cpus: Annotated[tuple[CpuNumber, ...], Meta(max_length=MOST_CPUS_STORED)]

    def __str__(self) -> str:
        return f"home {self.name}"


class Skipped(Record, frozen=True, omit_defaults=True):
    """Something asked for or usual that is not measured, and why.

    If only time was too short: `budget` is the `--budget` that it fits into, and `cases` its number of cases.
    """

    what: Sentence
    reason: Sentence
    budget: Word | None = None
    cases: Count = 0


class OwnMechanism(Record, frozen=True):
    """A mechanism of the user's own, which a probe of its own measures."""

    name: Word  # as cases have it
    source: Sentence  # its file as named, and its class if that was
    command: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)]  # its probe's, before `describe` or `run`
    digest: Word  # of all that the probe is made of
    made_by: Sentence  # the compiler with its flags


class Runtime(Record, frozen=True):
    """A probe as launched.

    `label` tells it apart in every output (`cpp`, `java-17 -XX:+UseParallelGC`); `command` is the argv before
    `describe` or `run`; `version` is for a person (`g++ 12.2.0 -O3`). `own` are the mechanisms of
    the user's own that are measured in addition to the probe's.
    """

    label: Word
    probe: Word
    command: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)]
    version: Sentence
    own: Annotated[tuple[OwnMechanism, ...], Meta(max_length=1_000)] = ()

    def started_by(self, changed: Callable[[tuple[str, ...]], tuple[str, ...]]) -> "Runtime":
        """Return the runtime with its command, and those of its custom mechanisms, changed alike."""
        own = tuple(msgspec.structs.replace(one, command=changed(one.command)) for one in self.own)
        return msgspec.structs.replace(self, command=changed(self.command), own=own)

    def command_of(self, mechanism: str) -> tuple[str, ...]:
        """Return the command that measures a mechanism: its own probe's, if it has one."""
        return next((one.command for one in self.own if one.name == mechanism), self.command)

    @property
    def is_found(self) -> bool:
        """Return whether it is found without a path, as `cpp` or `java-17`; a user's program may be called so too."""
        labelled = re.fullmatch(rf"{re.escape(self.probe)}(-\d+)?", self.label.split(" ")[0]) is not None
        ours = self.probe != "probe" and PurePath(next(iter(self.command), "")).name.startswith(OUR_PROGRAM)
        return labelled and (ours or self.probe == "java")


class WarmupPolicy(Record, frozen=True):
    """`rounds` rounds of `ops` operations before anything is recorded; without a round, until the pace is steady."""

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]

    def __str__(self) -> str:
        if self.rounds == 0:
            return "steady"
        return f"{self.rounds}x{quantities.compact(self.ops)}"


GROUPS = {1: "thread", 2: "pair"}  # threads that belong together

# Until the pace is steady. The published ten short warm-ups of 100,000 ("Biased Locking, OSR, and Benchmarking Fun",
# 2011) are `10x100k`.
DEFAULT_WARMUP = WarmupPolicy(0, 1)


def with_params(mechanism: str, params: Params, varied: Iterable[str]) -> str:
    """Name a mechanism with those of its parameters that differ from its defaults: `cas-one-line wait=pause`."""
    return " ".join([mechanism, *(f"{name}={with_unit(name, params[name])}" for name in varied)])


DURATIONS_NS = {"pause": 1_000, "waiter-pause": 1_000, "min-stall": 1, "delay": 1, "stall": 1}
"""Parameters that are durations, each with the nanoseconds of the unit in which the contract has it."""


def with_unit(name: str, value: int | str) -> str:
    """Write a parameter's value as its option takes it: a duration in the largest unit in which it is whole, `1ms`."""
    if name not in DURATIONS_NS or not isinstance(value, int):
        return quantities.compact(value) if isinstance(value, int) else value
    ns = value * DURATIONS_NS[name]
    length, unit = next(one for one in ((10**9, "s"), (10**6, "ms"), (1_000, "us"), (1, "ns")) if ns % one[0] == 0)
    return f"{ns // length}{unit}"


class Busy(Record, frozen=True):
    """Threads that compete with those of a trial for the machine's CPUs, unpinned, each in a process of its own."""

    threads: Annotated[int, Meta(ge=0, le=1_000_000)] = 0  # how many
    nice: Annotated[int, Meta(ge=0, le=19)] = 0  # by how much they give way to others: 0 to 19
    there: bool = False  # whether they are pinned to the trial's own CPUs instead, round-robin

    def __str__(self) -> str:
        nice = f", nice {self.nice}" if self.nice else ""
        there = " on its CPUs" if self.there else ""
        return f"with {self.title}{nice}{there}" if self.threads else ""

    @property
    def title(self) -> str:
        """Name them, as one side of a comparison: `2 busy threads`, `idle`."""
        return quantities.counted(self.threads, "busy thread") if self.threads else "idle"


NOBODY_BUSY = Busy()


class Case(Record, frozen=True):
    """The subject of one row of output.

    `params` holds every parameter that has an effect, `varied` names those that differ from the mechanism's defaults;
    `timed` is what is timed one by one, in words; `home` is None where it is the usual one; `group` is how many threads
    belong together where their number is varied: 2 for pairs; `busy` the competing threads.
    """

    experiment: Word
    mechanism: Word
    params: Annotated[Params, Meta(max_length=100)]
    runtime: Word
    placement: Placement
    blocking: bool
    lines: Annotated[int, Meta(ge=0, le=65536)]
    varied: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    warmup: WarmupPolicy = DEFAULT_WARMUP
    timed: Word = "round trip"
    home: Home | None = None
    group: Annotated[int, Meta(ge=1, le=2)] = 1
    busy: Busy = NOBODY_BUSY

    def __hash__(self) -> int:
        params = frozenset(self.params.items())
        return hash((self.experiment, self.mechanism, params, self.runtime, self.placement, self.warmup))

    @property
    def identity(self) -> str:
        """Return everything that tells the case from others, for a seed."""
        return msgspec.json.encode(self, order="sorted").decode()

    @property
    def threads(self) -> int:
        return len(self.placement.cpus)

    @property
    def groups(self) -> int:
        return self.threads // self.group

    @property
    def title(self) -> str:
        """Name the case for a person by what is not usual: `cas-one-line wait=pause cpp same-l3 process 1x500M`.

        Two threads are usual: `mutex cpp 4 threads same-l3`, `futex cpp 16 pairs unpinned`. The experiment is not said.
        """
        return " ".join(filter(None, (one.said(self) for one in DIMENSIONS[1:])))


class Dimension(Struct, frozen=True):
    """A property in which cases differ; titles, tables, exports and comparisons loop over DIMENSIONS."""

    name: str  # its key in JSON and CSV, and the field of a case unless `value` reads it
    plural: str  # the field of a selection with its values; `compare --NAME` takes two of them; empty for none
    head: str = "placement"  # of the column where tables say what is unusual about it; empty where they have it always
    usual: object = msgspec.UNSET  # what is not said; UNSET where all is
    value: Callable[[Case], Hashable] | None = None  # a case's value: alike cases have equal ones
    words: Callable[[Case], str] | None = None  # how that is written for a person, where `str` does not
    # what JSON and CSV have of it, unless it is what is written for a person
    entries: Callable[[Case], Mapping[str, object]] | None = None

    def read(self, case: Case) -> Hashable:
        found: Hashable = self.value(case) if self.value else getattr(case, self.name)
        return found

    def text(self, case: Case) -> str:
        return self.words(case) if self.words else str(self.read(case))

    def is_unusual(self, case: Case) -> bool:
        return self.usual is not msgspec.UNSET and self.read(case) != self.usual

    def said(self, case: Case) -> str:
        return self.text(case) if self.usual is msgspec.UNSET or self.is_unusual(case) else ""


DIMENSIONS = (  # in the order of a title
    Dimension("experiment", "", ""),
    Dimension(
        "mechanism",
        "mechanisms",
        "",
        words=lambda case: with_params(case.mechanism, case.params, case.varied),
        entries=lambda case: {
            "mechanism": case.mechanism,
            "params": case.params | ({f"{GROUPS[case.group]}s": case.groups} if case.group > 1 else {}),
            "varied": case.varied,
        },
    ),
    Dimension("runtime", "runtimes", ""),
    Dimension(
        "threads",
        "threads",
        "",
        usual=(2, 1),
        value=lambda case: (case.groups, case.group),
        words=lambda case: quantities.counted(case.groups, GROUPS[case.group]),
        entries=lambda case: {"threads": case.threads},
    ),
    Dimension(
        "placement",
        "placements",
        value=lambda case: (case.placement.title, case.placement.cpus),
        words=lambda case: case.placement.title,
        entries=lambda case: {"placement": case.placement.name, "cpus": case.placement.cpus},
    ),
    Dimension("pin", "pins", usual="thread", value=lambda case: case.placement.pin),
    Dimension("home", "homes", usual=None, entries=lambda case: {"home": case.home and case.home.name}),
    Dimension("warmup", "warmups", "warm-up", DEFAULT_WARMUP),
    Dimension(
        "busy", "busy", usual=NOBODY_BUSY, entries=lambda case: {"busy": case.busy.threads, "busy_nice": case.busy.nice}
    ),
)


def read_all(case: Case, *but: str) -> tuple[Hashable, ...]:
    """Return a case's values in every dimension `but` some."""
    return tuple(one.read(case) for one in DIMENSIONS if one.name not in but)


def differing(option: str) -> tuple[str, ...]:
    """Return the dimensions that differ in a comparison by an option: other threads have other CPUs."""
    return ("threads", "placement") if option in ("threads", "pairs") else tuple(option.split(" and "))
