"""What the articles concluded, and whether it holds on this machine, by rules that are stated.

A rule compares figures over trials by their intervals: one is more than `by` times another where their intervals do not
overlap and the figures differ by more than that; it is not where even the ends of the intervals that are furthest apart
differ by no more. In between nobody can tell.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping import quantities
from threadping.analysis.estimate import FEWEST_FOR_AN_INTERVAL
from threadping.model import State
from threadping.published.catalogue import (
    BIASED,
    CONDITION,
    CPP,
    DELAY_NS,
    DISRUPTOR,
    JAVA,
    LATE,
    ONE_IN_FLIGHT,
    PUBLISHED_BATCH,
    RELEASE,
    RELEASED,
    SEQCST,
    TASKSET,
    TWO_CORES,
    UNBIASED,
    UNPINNED,
    Build,
    Repetition,
    Standing,
    Way,
    has,
)
from threadping.published.comparison import Measured, Ours, ours, why_not

Verdict = Literal["holds here", "not here", "cannot tell"]

MARGIN, PUBLISHED_FOLD = 1.1, 2.0
"""A tenth is a difference; twice is the least that the pinning of conditions was said to make."""


class Step(Struct, frozen=True):
    """A comparison that a conclusion needs: one is more than `by` times the other, or (`more` is False) is not.

    Attributes:
        one: what repeats the one.
        other: what repeats the other.
        figures: which figure of both; the first that the trials of both tell.
        more: what the conclusion says.
        by: how many times.
    """

    one: Repetition
    other: Repetition
    figures: tuple[str, ...]
    more: bool = True
    by: float = MARGIN


class Conclusion(Struct, frozen=True, kw_only=True):
    """What was concluded.

    Attributes:
        claim: a sentence.
        experiment: the published one from which.
        source: where.
        rule: when it holds, in words; it does not where one of its comparisons is found to be the other way round.
        steps: the comparisons, all of which must be so; at least one.
        caveat: why a run cannot tell it whatever its figures are, or None.
    """

    claim: str
    experiment: str
    source: str
    rule: str
    steps: tuple[Step, ...]
    caveat: Callable[[Measured, Sequence[Ours]], str | None] = lambda _measured, _found: None

    @property
    def needs(self) -> list[Repetition]:
        """What must be measured for it."""
        return [one for step in self.steps for one in (step.one, step.other)]


Pair = tuple[Ours, Ours]


class Judged(Struct, frozen=True):
    """What a run says of a conclusion: a verdict, why, and our figures for or against it."""

    conclusion: Conclusion
    verdict: Verdict
    why: str
    figures: tuple[Ours, ...] = ()


def _signal(mechanism: str, standing: Standing, build: Build = JAVA) -> Repetition:
    return Repetition("signal", Way(mechanism, build), standing)


def _monitor(build: Build, threads: int) -> Repetition:
    return Repetition("lock", Way("monitor", build), UNPINNED, threads)


def _notify(pairs: int) -> Repetition:
    return Repetition("notify", Way("monitor", JAVA), UNPINNED, 2 * pairs)


def _disruptor(params: tuple[tuple[str, str], ...] = ()) -> Repetition:
    return Repetition("ring", replace(DISRUPTOR, params=params), TWO_CORES)


def _not_pinned(measured: Measured, found: Sequence[Ours]) -> str | None:
    """Whether the pinned threads were pinned to all CPUs that there are for them."""
    usable = set(measured.run.machine.topology.allowed)
    if not any(usable <= set(one.row.case.placement.cpus) for one in found):
        return None
    return f"the {len(usable)} CPUs that it was pinned to are all that this process may use, so nothing was pinned"


def _outlasted(measured: Measured, found: Sequence[Ours]) -> str | None:
    """Whether trials lasted beyond the delay that was to last beyond them."""
    late = [one for one in found if has(one.row.case.runtime, LATE)]
    longest = max((measured.observations[place].wall_ns for one in late for place in one.row.counted), default=0)
    if longest < DELAY_NS:
        return None
    return "its trials are longer than the start-up delay, so biased locking began in them: give a shorter --budget"


LATENCY, TYPICAL, RATE = ("latency_ns.mean",), ("latency_ns.typical",), ("ops_per_s",)
INTER_THREAD = "Inter Thread Latency, 2011"
LOCKS = "Locks & Condition Variables - Latency Impact, 2011"

CONCLUSIONS = (
    Conclusion(
        claim="An ordered store (lazySet) costs a hand-over nothing on x86: it is no slower than with a volatile one.",
        experiment="inter-thread-latency",
        source=INTER_THREAD,
        rule="release-one-line is not more than 1.1 times seqcst-one-line (Java, two cores, each thread pinned).",
        steps=(Step(_signal(RELEASE, TWO_CORES), _signal(SEQCST, TWO_CORES), TYPICAL, more=False),),
    ),
    Conclusion(
        claim="The scheduler makes a condition variable 2 to 7 times as slow where its threads are not pinned.",
        experiment="locked-signalling",
        source=LOCKS,
        rule="condition unpinned is more than 2 times condition with its process pinned to two CPUs (Java).",
        steps=(Step(_signal(CONDITION, UNPINNED), _signal(CONDITION, TASKSET), LATENCY, by=PUBLISHED_FOLD),),
        caveat=_not_pinned,
    ),
    Conclusion(
        claim="Signalling after the release of the lock is cheaper than while holding it.",
        experiment="locked-signalling",
        source=LOCKS,
        rule="condition is more than 1.1 times condition-released (C++, because Java must hold the lock to signal; two "
        "cores, each thread pinned).",
        steps=(Step(_signal(CONDITION, TWO_CORES, CPP), _signal(RELEASED, TWO_CORES, CPP), LATENCY),),
    ),
    Conclusion(
        claim="Biased locking makes a monitor faster that one thread takes, and no contended one; who measures before "
        "its start-up delay is over sees neither.",
        experiment="lock-contention",
        source="Biased Locking, OSR, and Benchmarking Fun, 2011",
        rule="With one thread a biased monitor does more than 1.1 times the operations of one that is not, and of one "
        "whose bias waits four seconds; with two threads it does not.",
        steps=(
            Step(_monitor(BIASED, 1), _monitor(UNBIASED, 1), RATE),
            Step(_monitor(BIASED, 1), _monitor(LATE, 1), RATE),
            Step(_monitor(BIASED, 2), _monitor(UNBIASED, 2), RATE, more=False),
        ),
        caveat=_outlasted,
    ),
    Conclusion(
        claim="The tail of a notify call grows with the number of pairs, though no lock is contended.",
        experiment="notify-cost",
        source="Notify... oh, wait! I have a signal, 2015",
        rule="p99.9 with 256 pairs is more than 1.1 times that with 16, or p99 where trials have too few calls for "
        "p99.9 (Java, unpinned). max is not compared: of sixteen times as many calls it is longer anyway.",
        steps=(Step(_notify(256), _notify(16), ("latency_ns.p99.9", "latency_ns.p99")),),
    ),
    Conclusion(
        claim="Batching gives the Disruptor its throughput: the consumer's, and the producer's more.",
        experiment="disruptor",
        source=INTER_THREAD,
        rule="disruptor passes more than 1.1 times the messages with as many in flight as fit, where the consumer can "
        "take batches, than with one; and more than 1.1 times that where the producer publishes ten at once (Java, two "
        "cores, each thread pinned).",
        steps=(
            Step(_disruptor(), _disruptor(ONE_IN_FLIGHT), RATE),
            Step(_disruptor(PUBLISHED_BATCH), _disruptor(), RATE),
        ),
    ),
)


def of_experiments(names: Collection[str]) -> list[Conclusion]:
    """The conclusions from these published experiments."""
    return [one for one in CONCLUSIONS if one.experiment in names]


def judge(conclusions: Sequence[Conclusion], measured: Measured) -> list[Judged]:
    """What a run says of each conclusion."""
    return [_judged(one, measured) for one in conclusions]


def _judged(conclusion: Conclusion, measured: Measured) -> Judged:
    found: list[Ours] = []
    answers: list[bool | None] = []
    said: list[str] = []
    for step in conclusion.steps:
        pair = _pair(step, measured)
        answer = None
        if isinstance(pair, str):
            said.append(pair)
        else:
            answer = _is_more(*pair, step.by)
            said.append(_said(*pair, answer, step))
            found += pair
        answers.append(None if answer is None else answer == step.more)
    figures = tuple({(one.row.case, one.figure, one.row.states): one for one in found}.values())
    if caveat := conclusion.caveat(measured, found):
        return Judged(conclusion, "cannot tell", caveat, figures)
    verdict: Verdict = "not here" if False in answers else "cannot tell" if None in answers else "holds here"
    return Judged(conclusion, verdict, "; ".join(dict.fromkeys(said)), figures)


def _pair(step: Step, measured: Measured) -> Pair | str:
    """The two figures, from the same state of the machine, or why they cannot be compared."""
    for wanted in (step.one, step.other):
        if not any(any(ours(wanted, name, measured)) for name in step.figures):
            return f"{wanted.title}: {why_not(wanted, measured)}"
    why = ""
    for name in step.figures:
        pair = _in_one_state([*ours(step.one, name, measured)], [*ours(step.other, name, measured)])
        if pair is None:
            why = why or "they were not measured in the same state of the machine"
        elif few := [one.row for one in pair if one.row.trials < FEWEST_FOR_AN_INTERVAL]:
            has_few = f"{few[0].case.title} has {quantities.counted(few[0].trials, 'trial')}"
            why = f"{has_few}, and fewer than {FEWEST_FOR_AN_INTERVAL} carry no interval"
        elif all(one.interval for one in pair):
            return pair
    return why or "single trials do not tell the figure"


def _in_one_state(one: Sequence[Ours], other: Sequence[Ours]) -> Pair | None:
    """Those of both that were measured in the same state, of most trials; None where there is none."""
    pairs = [(a, b) for a in one for b in other if not _states(a) or not _states(b) or _states(a) == _states(b)]
    return max(pairs, key=lambda pair: min(each.row.trials for each in pair), default=None)


def _states(one: Ours) -> tuple[State, ...]:
    """In which the figure was measured, where there were several and they made a difference."""
    return one.row.states if one.row.one_of_several else ()


def _is_more(one: Ours, other: Ours, by: float) -> bool | None:
    """Whether one is more than so many times the other; None where their intervals do not tell."""
    if one.interval is None or other.interval is None:
        return None
    (one_low, one_high), (other_low, other_high) = one.interval.ends, other.interval.ends
    if one_low > other_high and one.value > by * other.value:
        return True
    return False if one_high <= by * other_low else None


def _said(one: Ours, other: Ours, answer: bool | None, step: Step) -> str:
    fold = f"{one.value / other.value:.2f} times" if other.value else "beyond"
    compared = f"{_told(one)} is {fold} {_told(other)}"
    if answer is None:
        return f"{compared}, and the intervals do not tell whether it is more than {step.by:g} times"
    return f"{compared}, which is {'' if answer else 'not '}more than {step.by:g}"


def _told(one: Ours) -> str:
    """Name a figure with how far it reaches: `condition java-17 unpinned (mean 1.14 µs, 1.11 to 1.18)`."""
    scales = quantities.UNITS if "." in one.figure else quantities.MULTIPLES
    written = quantities.time(one.value) if "." in one.figure else f"{quantities.count(one.value)}/s"
    part = one.figure.partition(".")[2]
    reach = quantities.interval(one.value, *one.interval.ends, scales) if one.interval else quantities.ABSENT
    return f"{one.row.case.title} ({' '.join(filter(None, (part, written)))}, {reach})"
