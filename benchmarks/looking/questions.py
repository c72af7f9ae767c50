"""Looking, declared: the same mechanism with and without, and how far apart medians and tails may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import Limit, within
from benchmarks.records import PROBE, Figures, Subject
from benchmarks.trials import Ours
from threadping.analysis.percentiles import percentiles
from threadping.model import reading
from threadping.model.contract import Params, Result

Group = StrEnum("Group", ["LOOKING", "CONTROL"])

WITHOUT, AGAIN = "probe that does not look", "the same again"

LIMITS: dict[str, Limit] = {"p50": within(10), "p99": within(20), "p99.9": within(20)}
"""Limits of the change of each percentile by the search for causes of outliers."""


class Asked(Struct, frozen=True):
    """Mechanisms of an experiment, with their threads, duration and parameters other than the defaults."""

    experiment: str
    mechanisms: tuple[str, ...]
    threads: int = 2
    measure_s: float = 0.5
    params: Params = {}

    @property
    def title(self) -> str:
        """A title that distinguishes it from others: `wakeup, 64 threads`."""
        return f"{self.experiment}, {self.threads} threads"


ASKED = (
    Asked("signal", ("cas-one-line", "condition", "futex", "park")),
    Asked("lock", ("mutex", "ticket-lock", "monitor", "reentrant-lock")),
    *(Asked("wakeup", ("futex", "condition", "monitor", "park"), threads) for threads in (2, 32, 64)),
    *(
        Asked("barrier", ("futex-all", "spin-barrier", "cyclic-barrier", "std-sync-barrier"), threads, measure_s)
        for threads, measure_s in ((2, 0.5), (16, 0.5), (64, 1.0))  # of more threads no outlier is inspected
    ),
    Asked(
        "queue",
        ("sequenced-ring", "readerwriterqueue", "mutex-deque", "disruptor", "array-blocking-queue"),
        params={"depth": 1},
    ),
)
"""Spinning and blocking mechanisms of each experiment, with many threads too. A stream with a full queue has no
latency, so it has no outliers."""

HEADINGS: dict[str, str] = {
    Group.LOOKING: "What is timed one by one, with outliers looked into, and not",
    Group.CONTROL: "Without looking, twice: how far apart the machine alone puts two equal sides",
}


def figures(result: Result) -> Figures:
    """The mean of the first distribution, and the percentiles of each that is of durations."""
    durations = {name: one for name, one in result.distributions.items() if one.unit == "ns"}
    found = {
        f"{name} {percentile}": value
        for name, one in durations.items()
        for percentile, value in percentiles([one]).items()
        if percentile in LIMITS
    }
    return Figures(reading.mean_of(result.timed(min(durations))) or 0.0, percentiles=found)


def sides(asked: Asked) -> tuple[Ours, ...]:
    """The sides of its questions, and the control."""
    looks = Ours(
        experiment=asked.experiment,
        prefix=f"{asked.title}: ",
        takes=lambda mechanism: mechanism.name in asked.mechanisms,
        warmup_ns=250_000_000,
        measure_ns=int(asked.measure_s * 1e9),
        figures=figures,
        settings=lambda _: (asked.params,),
    )
    return looks, *(replace(looks, program=program, outliers=None) for program in (WITHOUT, AGAIN))


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield each mechanism with the search against itself without, and the control, by each percentile."""
    for other in subjects:
        if other.program != WITHOUT:
            continue
        for group, program in ((Group.LOOKING, PROBE), (Group.CONTROL, AGAIN)):
            ours = replace(other, program=program)
            for timed in TIMED[other.mechanism.partition(":")[0].split(",")[0]]:
                for percentile, limit in LIMITS.items():
                    name = f"{timed} {percentile}"
                    title = f"{other.runtime} {other.mechanism}, {name}"
                    yield Question(group, title, ours, other, limit, (name, name))


TIMED = {
    "signal": ("round-trip",),
    "lock": ("acquire",),
    "wakeup": ("call", "wake"),
    "queue": ("latency",),
    "barrier": ("call", "done"),
}
"""Timed operations of each experiment."""

LOOKING = Benchmark("looking", "Nanoseconds of what is timed one by one", "operation", HEADINGS, possible)
