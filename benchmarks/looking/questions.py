"""Looking, declared: the same mechanism with and without, and how far apart the two may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec.structs import replace

from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import within
from benchmarks.records import PROBE, Figures, Subject
from benchmarks.trials import Ours
from threadping.contract import Result
from threadping.figures import reading

Group = StrEnum("Group", ["LOOKING"])

WITHOUT = "probe that does not look"

ASKED = {
    "signal": ("cas-one-line", "condition", "futex", "park"),
    "lock": ("mutex", "monitor"),
    "notify": ("futex", "condition", "monitor"),
}
"""What is quick and what sleeps, of each experiment."""

HEADINGS: dict[str, str] = {Group.LOOKING: "The median of what is timed one by one, with outliers looked into, and not"}


def _figures(result: Result) -> Figures:
    """Of the first role's distribution, the mean and the median."""
    timed = result.timed("call" if result.experiment == "notify" else "")
    return Figures(reading.mean_of(timed) or 0.0, float(reading.median_of(timed) or 0))


def sides(experiment: str) -> tuple[Ours, Ours]:
    """Both sides of an experiment's questions."""
    looks = Ours(
        experiment=experiment,
        takes=lambda mechanism: mechanism.name in ASKED[experiment],
        warmup_ns=250_000_000,
        measure_ns=500_000_000,
        figures=_figures,
    )
    return looks, replace(looks, program=WITHOUT, outliers=None)


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Each mechanism that looks beside itself that does not, as it is usually measured."""
    for other in subjects:
        if other.program == WITHOUT:
            ours = replace(other, program=PROBE)
            title = f"{other.runtime} {other.mechanism}, {other.lines} lines"
            yield Question(Group.LOOKING, title, ours, other, within(2), ("median_block", "median_block"))


LOOKING = Benchmark("looking", "Nanoseconds of what is timed one by one", "operation", HEADINGS, possible)
