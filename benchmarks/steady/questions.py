"""Steady: how far a trial's last third may be from its first, compared with a hand-written baseline."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from math import exp

from msgspec.structs import replace

from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import at_most_above
from benchmarks.records import BARE, PROBE, Figures, Subject
from benchmarks.trials import Ours
from threadping.model import reading
from threadping.model.contract import Result
from threadping.planning import defaults
from threadping.planning.defaults import COMPILING_WARMUP_S, Length

Group = StrEnum("Group", ["FIRST", "SETTLED"])

MECHANISM = "cas-one-line"

HEADINGS: dict[str, str] = {
    Group.FIRST: "Trials as short as in a first minute, whose warm-ups end as soon as the pace is steady",
    Group.SETTLED: "Trials as long as where nothing hurries",
}

LENGTHS: Mapping[tuple[Group, bool], Length] = {
    (Group.FIRST, False): Length(defaults.WARMUP_S, 0.05),
    (Group.FIRST, True): Length(COMPILING_WARMUP_S, defaults.COMPILED_MEASURE_S),
    (Group.SETTLED, False): defaults.SETTLED,
    (Group.SETTLED, True): Length(defaults.COMPILED_WARMUP_S, defaults.COMPILED_MEASURE_S),
}
"""Lengths of a group, with a JIT and without. A baseline uses its whole warm-up."""

LIMIT = at_most_above(2)


def figures(result: Result) -> Figures:
    """Return an operation's time in the last third over that in the first, or the inverse if that is larger."""
    return Figures(exp(abs(reading.drift(result) or 0.0)))


def ours(group: Group, *, compiles: bool) -> Ours:
    """Our side."""
    of = LENGTHS[group, compiles]
    return Ours(
        experiment="signal",
        prefix=f"{group}: ",
        takes=lambda mechanism: mechanism.name == MECHANISM,
        warmup_ns=round(1e9 * of.warmup_s),
        measure_ns=round(1e9 * of.measure_s),
        figures=figures,
    )


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield our probe against each baseline, over as many lines."""
    for other in subjects:
        if other.program == BARE:
            title = f"{other.runtime} {MECHANISM} / bare"
            group = other.mechanism.partition(":")[0]
            yield Question(group, title, replace(other, program=PROBE, lines=256), other, LIMIT)


STEADY = Benchmark("steady", "The last third over the first, or the other way round", "window", HEADINGS, possible)
