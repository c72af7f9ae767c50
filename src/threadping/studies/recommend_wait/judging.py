"""The verdict on wait strategies: each meets a requirement, misses it, or is open, by how late it makes messages.

Messages of one trial depend on each other: a burst that makes fifty of them late is one event. So trials are weighed,
never messages: each draw weighs all trials anew, by chance (D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics
9, 1981), and says which share was late then. A bound adds a trial that nobody has seen, the worst that may come for
an upper one, one without a late message for a lower one (N. Gaffke, Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14, 2005). Where trials are of two
kinds alone, late by so much or not at all, that is Clopper and Pearson's exact bound; so 44 trials without a late
message are needed to exclude that one in ten was of the worst kind.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, inf, log
from statistics import fmean, median
from typing import Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from threadping.analysis import percentiles, validity
from threadping.conduct.study import question_of
from threadping.model import base, cases, contract
from threadping.model.run import Observation, Requirement, Run
from threadping.planning.plan import PING_S

REQUIRED_PERCENTILE = "p99"
ALLOWED = 1 - percentiles.QUANTILES[REQUIRED_PERCENTILE]  # the share of messages that may be late

BOUND_CONFIDENCE, Z = 0.99, 2.33  # the confidence of a bound, to one side, and how many standard errors that is

FEW, FEWEST_SURE = 3, percentiles.fewest_for(BOUND_CONFIDENCE)
"""Trials below which nothing misses, but by `FAR`; and below which there is no interval, and nothing meets."""

HALF, FAR, FULL = 0.5, 20.0, 0.1
"""Quantile that represents a trial; factor of the limit beyond which it decides at once; share of missing messages from
which a queue counts as full."""

WORST = 0.1
"""The share of its messages that may be late in the worst trial that nobody has seen, unless a worse one was. Of trials
of 250 messages at 1k/s, a quarter of a second each, that is a CPU that is taken away for 25 ms. With a rarer and worse
kind of trial, say 60% late in every fiftieth, no number of trials that fits into a minute has a chance: simulated,
37 and 23 of 40 answers were sure and wrong there (`docs/internals/recommend-wait.md`)."""

FEWEST_TO_MEET = ceil(log(1 - BOUND_CONFIDENCE) / log(1 - ALLOWED / WORST))
"""Number of trials without a late message that exclude a worst trial as rare as that: 44."""

AT_ONCE_NS, AMPLE_NS, BURST_SEND_NS = 1_000, 200_000, 100
"""A sender's own lateness is the machine's where a message costs it nothing: where the receiver spins, where messages
are so far apart that one has long been sent when the next is due, or where it typically sends at once. A message of a
burst may wait so long for each before it. A turn of the loop takes 20 to 60 ns, a wake-up that leaves a virtual machine
5 to 50 us."""

DRAWS, MOST_WEIGHTS, SEED, BLOCK = 4_000, 2_000_000, 41, 64
"""Number of bootstrap draws: it puts the bound of 44 trials without a late message within 2% of the exact one (1,000:
7%). Runs with more trials than a search has use fewer, so that the weights fit into 16 MB. Weights are made for BLOCK
trials at a time, since a search asks after every trial."""

HELD, OFFERED, MEASURED = "sustained_per_s", "offered_per_s", "counters.measured_ns"
NO_MESSAGES = contract.Distribution("ns", (), (), 0, 0)

LATENCIES = {"load": ("latency_ns", "sent_to_received_ns"), "barrier": ("done_ns", "done_ns")}
"""The distributions of each experiment: what a user sees, and what the wait strategy adds. A round is timed from when
its coordinator begins it."""

SENDER = "due_to_sent_ns"


class LateCounts(NamedTuple):
    """The messages, or rounds, of a trial that were due, and those that exceeded the limit."""

    due: float  # those that came, and those that never did
    lost: float  # those that never did
    late: float  # received later than the limit after they were due, or never
    added: float  # the wait strategy alone took longer than the limit
    far: float  # it took `FAR` times the limit
    # sent later than the limit after they were due; of rounds those that the coordinator did not begin in their turn,
    # though the round before was done
    sender: float
    alone: bool  # whether sending costs the sender nothing, so that its lateness is the machine's


def count_late(trial: Observation, required: Requirement) -> LateCounts | None:
    """Count what exceeded the limit; None where nothing was timed."""
    case, figures, limit = trial.case, trial.figures, required.p99_ns
    names = (*LATENCIES[case.experiment], SENDER)
    timed, own, sent = (trial.distributions.get(name, NO_MESSAGES) for name in names)
    if not timed.counts:
        return None
    seconds = figures.get(MEASURED, 0.0) / 1e9
    came = figures.get(HELD, 0.0) * seconds or float(sum(timed.counts))
    due = figures.get(OFFERED, 0.0) * seconds
    # Those under way at both ends, or that chance did not draw, are not lost.
    lost = max(0.0, due - came - percentiles.missing_by_chance(case, due, 1)) if due and HELD in figures else 0.0
    late, added, far = (came * _later(of, ns) for of, ns in ((timed, limit), (own, limit), (own, FAR * limit)))
    gap_ns, burst = 1e9 / required.rate, required.burst
    if case.experiment == "barrier":  # a round that lasts longer than a turn leaves turns out
        over = sum(number * max(0.0, ns / gap_ns - 1) for ns, number in zip(own.values, own.counts, strict=True))
        mine = min(lost, came * over / sum(own.counts))
        return LateCounts(came + lost, lost, late + lost, added + mine, far, lost - mine, alone=True)
    costless = not case.blocking or (gap_ns >= AMPLE_NS and burst == 1) or _later(sent, AT_ONCE_NS) <= HALF
    alone = costless and bool(sent.counts) and lost <= FULL * due
    sender = came * _later(sent, limit + BURST_SEND_NS * (burst - 1))
    return LateCounts(came + lost, lost, late + lost, added, far, sender, alone)


def _later(timed: contract.Distribution, limit_ns: float) -> float:
    """Return the share that took longer than this."""
    beyond = sum(timed.counts[bisect_right(timed.values, limit_ns) :])
    return beyond / sum(timed.counts) if beyond else 0.0


def share(late: Sequence[float], due: Sequence[float]) -> float:
    """Return the share of all that were late."""
    return float(sum(late)) / float(sum(due))


def highest_share(late: Sequence[float], due: Sequence[float], worst: float = 0.0) -> float:
    """Return the upper 99% bound of the share that is late in many more trials; exact where none was late.

    `worst` are the late messages of the worst trial of other wait strategies: that may happen to this one too.
    """
    each = sum(due) / len(due)
    unseen = max(WORST * each, min(worst, each), *late)
    if not any(late):
        return unseen / each * float(1 - (1 - BOUND_CONFIDENCE) ** (1 / len(late)))
    return _bound(late, due, unseen, BOUND_CONFIDENCE)


def rarest_seen(trials: int) -> int:
    """Return k: what happens in one trial in k, or more often, is in one of these with a probability of 99%."""
    return int(1 / (1 - (1 - BOUND_CONFIDENCE) ** (1 / trials)))


def lowest_share(late: Sequence[float], due: Sequence[float]) -> float:
    """Return the lower 99% bound of the same."""
    return _bound(late, due, 0.0, 1 - BOUND_CONFIDENCE) if any(late) else 0.0


class LateSpread(NamedTuple):
    """The share of late messages, its variance between trials, the worst trial's share, and the number of trials."""

    mean: float = 0.0
    variance: float = 0.0
    worst: float = 0.0
    trials: int = 0


def spread(counts: Sequence[LateCounts]) -> LateSpread:
    """Return how late trials are, each weighted by its messages."""
    if not counts:
        return LateSpread()
    late, due = [one.late for one in counts], [one.due for one in counts]
    mean, each, number = share(late, due), sum(due) / len(due), len(due)
    squares = sum((one - mean * of) ** 2 for one, of in zip(late, due, strict=True)) / each**2
    return LateSpread(mean, squares / max(1, number - 1), max(late) / each, number)


BORROWED = 6
"""Weight, in trials, of the other wait strategies in the expected scatter of one that has few trials."""


def more_to_meet(counts: Sequence[LateCounts], others: LateSpread, worst: float = 0.0) -> float:
    """About how many further trials would show that it meets the limit; infinite if none would.

    The upper bound is about the share, `Z` standard errors with an unseen trial among them, and `Z` times its part.
    `worst` is as in `highest_share`.
    """
    own = spread(counts)
    unseen = max(WORST, own.worst, min(1.0, worst * len(counts) / sum(one.due for one in counts)) if counts else 0.0)
    part = own.trials / (own.trials + BORROWED)
    mean, variance = (part * one + (1 - part) * other for one, other in zip(own[:2], others[:2], strict=True))
    if mean >= ALLOWED:
        return inf
    factor = Z / (ALLOWED - mean)
    return max(1.0, factor * (factor * variance + 2 * unseen) - own.trials)


def pooled_p99(
    trials: Sequence[Observation], counts: Sequence[LateCounts], *, of: str = "", bounded: bool = False
) -> percentiles.Estimate:
    """Return the 99th percentile of all messages, what never came being later than all others.

    Where it is `bounded`, from `FEWEST_SURE` trials on its 99% interval: the p99 by all draws but the lowest and the
    highest half percent. Of fewer the range of the trials, from `FEW` on; of one or two none.
    """
    timed = [one.distributions[of or LATENCIES[one.case.experiment][0]] for one in trials]
    values = np.unique(np.concatenate([np.asarray(one.values, dtype=np.int64) for one in timed]))
    due = np.array([one.due for one in counts])
    later = np.zeros((len(trials), len(values)))  # for each trial how many were later than each value
    for row, one, of_it in zip(later, timed, counts, strict=True):
        numbers = np.asarray(one.counts, dtype=np.float64)
        row[values.searchsorted(np.asarray(one.values))] = numbers * (of_it.due - of_it.lost) / numbers.sum()
        row[:] = of_it.due - row.cumsum()

    def first(late: Callable[[NDArray[np.float64]], float]) -> float:
        """Return the first value beyond which no more than what is allowed is late; the last where there is none."""
        place = bisect_left(range(len(values) - 1), -ALLOWED - percentiles.SLACK, key=lambda at: -late(later[:, at]))
        return float(values[place])

    value = first(lambda late: float(late.sum() / due.sum()))
    if not bounded or len(trials) < FEW:
        return percentiles.Estimate(value)
    if len(trials) < FEWEST_SURE:
        each = [pooled_p99([one], [of_it]).value for one, of_it in zip(trials, counts, strict=True)]
        return percentiles.Estimate(value, min(*each, value), max(*each, value), "range")
    half = (1 - BOUND_CONFIDENCE) / 2
    low, high = (first(lambda late, q=q: _quantile(late, due, q)) for q in (half, 1 - half))  # type: ignore[misc]
    return percentiles.Estimate(value, min(low, value), max(high, value), "ci99")


def _bound(late: Sequence[float], due: Sequence[float], unseen: float, q: float) -> float:
    return _quantile(np.append(late, unseen), np.append(due, sum(due) / len(due)), q)


def _quantile(late: NDArray[np.float64], due: NDArray[np.float64], q: float) -> float:
    weights = _weights(-(-len(late) // BLOCK) * BLOCK)[:, : len(late)]
    # Not by `@`: threads of a BLAS spin for a while after a call, and would disturb the next trial.
    drawn_late, drawn_due = (np.einsum("ij,j->i", weights, numbers) for numbers in (late, due))
    return float(np.quantile(drawn_late / drawn_due, q))


@lru_cache(maxsize=4)
def _weights(trials: int) -> NDArray[np.float64]:
    """Weigh each trial in each draw: exponentially distributed, and evenly over the draws, in random order."""
    draws = min(DRAWS, MOST_WEIGHTS // trials + 1)
    chance, evenly = np.random.default_rng(SEED), -np.log((np.arange(draws) + 0.5) / draws)
    return np.stack([chance.permutation(evenly) for _ in range(trials)], axis=1)


CPU = "cpu_percent"
SPENT, SLEPT = "cpu_ns_per_op", "switches_per_op"

FEW_FAILED = 2  # failed trials that show that a wait strategy cannot be measured, if none succeeded

EXPENSIVE = {1: 3.0, FEW: 2.0, FEWEST_SURE: 1.0}
"""Factor of the CPU limit beyond which a CPU time decides, by the minimum number of trials."""

WayVerdict = Literal["meets", "misses", "open"]
Miss = Literal["latency", "cpu", "rate", "failed"]


class JudgedWay(base.Record, frozen=True):
    """A wait strategy, judged by its trials: estimates with the ends of their intervals."""

    case: cases.Case  # what was measured
    trials: int  # how many have figures, and decide
    # its latency in ns, from the intended send time; None if no message was timed, or if the rate is not sustained:
    # time in a full queue is no latency
    p99: percentiles.Estimate | None
    cpu: percentiles.Estimate | None  # of the waiting thread, in per cent of a core; None where nothing is known
    held: percentiles.Estimate | None  # the share of the rate that was received
    verdict: WayVerdict  # whether it meets the requirement
    holds: bool = False  # whether the rate may be sustained
    misses: tuple[Miss, ...] = ()  # the requirements that it significantly misses
    cpu_ns: float | None = None  # the CPU time of each message, the median over trials; None where it is not known
    sleeps: float = 0.0  # how often the waiting thread slept for each message
    late: float | None = None  # the share of messages that were later than was asked, or did not come
    at_most: float | None = None  # its upper 99% bound; None where it was not asked
    # the share that the sender alone sent later than that; of rounds those that did not begin
    sender_late: float | None = None
    # how late the sender alone was, in ns; None where it was not asked, or is not known
    sender_p99: float | None = None
    left_out: int = 0  # how many trials do not decide: other programs ran
    counts: tuple[LateCounts, ...] = ()  # of each of its trials, how many messages were late

    def is_within(self, required: Requirement) -> bool:
        """Return whether it would meet the requirement if its figures were exact."""
        most = ((self.late, ALLOWED), (self.cpu.value if self.cpu else None, required.cpu_percent or inf))
        return not self.misses and self.holds and all(one is not None and one <= to for one, to in most)

    @property
    def messages(self) -> float:
        return sum(one.due for one in self.counts)

    @property
    def cost(self) -> tuple[float, ...]:
        """The sort key of wait strategies: the CPU time, then the latency; what is not known is behind."""
        return tuple(one.value if one else inf for one in (self.cpu, self.p99))

    @property
    def has_late_sender(self) -> bool:
        """It is open, and the sender by itself makes up a large part of what is too late."""
        late, sender = self.late or 0.0, self.sender_late or 0.0
        return self.verdict == "open" and late > ALLOWED and sender >= HALF * late


def decides(trial: Observation) -> bool:
    """Return whether no other program ran next to a trial; one that failed says something of its wait strategy."""
    return validity.OTHER_LOAD not in validity.validity_of_trial(trial, "recommend").codes


def judge_way(
    case: cases.Case, trials: Sequence[Observation], required: Requirement, *, bounded: bool = True, worst: float = 0.0
) -> JudgedWay:
    """Judge a case by all its trials that decide, in whatever state the machine was: it must meet it in each.

    A wait strategy misses a latency by what it adds itself, and meets it only together with its sender's lateness.
    A search, which asks after every trial, is not `bounded`: the p99 and the bound of what is late take longer than all
    the rest. `worst` are the late messages of the worst trial of other wait strategies (`worst_trial`).
    """
    kept = [one for one in trials if decides(one)]
    known = [(one, of) for one in kept if (of := count_late(one, required))]
    if not known:
        failed = sum(one.failure is not None for one in kept) >= FEW_FAILED
        judged = JudgedWay(case, 0, None, None, None, "open", left_out=len(trials) - len(kept))
        return replace(judged, verdict="misses", misses=("failed",)) if failed else judged
    timed, counts = [one for one, _ in known], [of for _, of in known]
    due, _, late, added, far, sender, _ = zip(*counts, strict=True)
    cpus, spent, slept = ([one.figures[of] for one in timed if of in one.figures] for of in (CPU, SPENT, SLEPT))
    cpu = _over(cpus)
    rated = [(one.figures, of) for one, of in known if one.figures.get(OFFERED) and HELD in one.figures]
    holds = not rated or _holds(case, rated)
    at_most = highest_share(late, due, worst) if bounded or len(timed) >= FEWEST_TO_MEET else None
    above: Mapping[Miss, bool | None] = {
        "latency": _is_late(at_most, added, far, due) if holds else None,
        "cpu": _is_expensive(cpu, len(timed), required.cpu_percent) if required.cpu_percent else False,
        "rate": False if holds else len(timed) >= FEW or None,
    }
    misses = tuple(what for what, missed in above.items() if missed)
    sent = [(one, of) for one, of in known if one.distributions.get(SENDER)] if bounded else []
    return JudgedWay(
        case=case,
        trials=len(timed),
        p99=pooled_p99(timed, counts, bounded=True) if bounded and holds else None,
        holds=holds,
        cpu=cpu,
        held=_over([of_it[HELD] / of_it[OFFERED] for of_it, _ in rated]),
        verdict="misses" if misses else "meets" if set(above.values()) == {False} else "open",
        misses=misses,
        cpu_ns=median(spent) if spent else None,
        sleeps=median(slept) if slept else 0.0,
        late=share(late, due),
        at_most=at_most,
        sender_late=share(sender, due),
        sender_p99=pooled_p99(*zip(*sent, strict=True), of=SENDER).value if sent else None,
        left_out=len(trials) - len(kept),
        counts=tuple(counts),
    )


def _holds(case: cases.Case, rated: Sequence[tuple[Mapping[str, float], LateCounts]]) -> bool:
    """Return whether the rate may be held, as `show` says of a row with these trials (`not-held`).

    Rounds that the coordinator did not begin in their turn are not the wait strategy's loss.
    """
    excused = case.experiment == "barrier"
    each = [figures[HELD] + (of.sender * 1e9 / figures[MEASURED] if excused else 0.0) for figures, of in rated]
    measured_ns = sum(figures[MEASURED] for figures, _ in rated)
    return percentiles.sustains_rate(case, percentiles.estimate(each), rated[0][0][OFFERED], measured_ns, len(rated))


def _is_late(at_most: float | None, added: Sequence[float], far: Sequence[float], due: Sequence[float]) -> bool | None:
    """Return whether more messages are late than may be, in many more trials; None where these do not tell.

    One or two trials tell only where the wait strategy itself took longer than the limit for half of the messages, and
    many times the limit for more than may be late: a stall of a CPU is no half of a trial.
    """
    if len(due) >= FEW:
        too_late = lowest_share(added, due) > ALLOWED
    else:
        too_late = share(added, due) > HALF and share(far, due) > ALLOWED
    return True if too_late else False if at_most is not None and at_most <= ALLOWED else None


def _is_expensive(cpu: percentiles.Estimate | None, trials: int, most: float) -> bool | None:
    """Return whether it takes more CPU time than it may; None where these trials do not tell."""
    if cpu is None:
        return None
    factor = min(factor for number, factor in EXPENSIVE.items() if trials >= number)
    return True if cpu.ends[0] > factor * most else False if trials >= FEWEST_SURE and cpu.ends[1] <= most else None


def _over(known: Sequence[float]) -> percentiles.Estimate | None:
    """Return the median, with its 99% interval; with the range of fewer trials than that takes; of one or two alone."""
    if len(known) < FEW:
        return percentiles.Estimate(median(known)) if known else None
    if len(known) < FEWEST_SURE:
        return percentiles.Estimate(median(known), min(known), max(known), "range")
    return percentiles.Estimate(median(known), *percentiles.interval(known, BOUND_CONFIDENCE), "ci99")


def worst_trial(ways: Sequence[JudgedWay]) -> tuple[float, JudgedWay | None]:
    """Return the late messages of the worst trial of all wait strategies that usually meet the limit, and its strategy.

    Usually: in the middle one of three trials or more. What makes a single trial bad is the machine or the process, and
    may happen to any of them.
    """
    usual = [one for one in ways if len(one.counts) >= FEW and median(of.late / of.due for of in one.counts) <= ALLOWED]
    found = max(usual, key=lambda one: max(of.late for of in one.counts), default=None)
    return (max(of.late for of in found.counts), found) if found else (0.0, None)


def fastest(ways: Sequence[JudgedWay]) -> JudgedWay | None:
    """Return the fastest of all that sustain the rate; None if none does."""
    holding = (one for one in ways if one.p99 and "rate" not in one.misses)
    return min(holding, key=lambda one: one.cost[1], default=None)


# ---- the advice ----

NOT_ASKED = "advice asks one JVM unless --runtime names more"  # why a runtime that is here is in no advice

AdviceOutcome = Literal["sure", "likely", "undecided", "none", "busy", "late-sender", "clock"]
"""Outcome of a search: a wait strategy meets the requirement, significantly or by its point estimates; undecided; none
meets it; or the reason why nothing can be known: other programs, a sender that is late by itself, a coarse clock."""


class Floor(base.Record, frozen=True):
    """The sender by itself, which only reads the clock until a message is due, is later than is allowed.

    `late` is the share of its messages, or of skipped rounds; `at_least` its lower 99% bound;
    `trials` is the number of trials.
    """

    late: float
    at_least: float
    trials: int


class Advice(base.Record, frozen=True):
    """The wait strategy that meets a requirement, and how sure that is."""

    required: Requirement  # what was asked for
    outcome: AdviceOutcome  # what is known
    # the cheapest that significantly meets it, otherwise the cheapest that would if its estimates were exact; None if
    # nothing does, or nothing can be known
    chosen: JudgedWay | None
    others: tuple[JudgedWay, ...]  # all others that were measured, the cheapest first
    clock_ns: float | None = None  # what reading the clock costs, where the requirement is below it; else None
    # the share of the CPU time that other programs used, where that lets nothing be decided; else None
    busy: float | None = None
    floor: Floor | None = None  # where the sender by itself is later than is allowed; else None
    decides_s: float | None = None  # about how many seconds more would show that one meets it; None where none would
    unasked: tuple[str, ...] = ()  # further JVMs that are here and were not asked

    @property
    def alike(self) -> tuple[JudgedWay, ...]:
        """All that do not differ from the chosen one, or else from the fastest, by intervals of p99 and CPU."""
        found = self.chosen or fastest(self.others)
        return tuple(one for one in self.others if found and one is not found and are_alike(one, found))

    @property
    def is_sure(self) -> bool:
        return self.outcome == "sure"

    @property
    def ways(self) -> tuple[JudgedWay, ...]:
        """All that were measured, the chosen one first."""
        return (self.chosen, *self.others) if self.chosen else self.others


def advise(run: Run, observations: Sequence[Observation]) -> Advice:
    """Find the cheapest that meets the requirement of a run, by all of its trials."""
    required = question_of(run, Requirement)
    if (clock_ns := below_the_clock(observations, required)) is not None:
        return Advice(required, "clock", None, (), clock_ns)
    by_case: dict[cases.Case, list[Observation]] = {case: [] for case in run.cases}
    for one in observations:
        by_case[one.case].append(one)
    busy = is_busy(observations)
    worst, _ = worst_trial([judge_way(case, trials, required, bounded=False) for case, trials in by_case.items()])
    judged = (judge_way(case, trials, required, worst=worst) for case, trials in by_case.items())
    ways = sorted(judged, key=lambda one: one.cost)
    if busy:
        ways = [replace(one, verdict="open", misses=()) for one in ways]
    sure, within = [one for one in ways if one.verdict == "meets"], [one for one in ways if one.is_within(required)]
    chosen = None if busy else next(iter([*sure, *within]), None)
    floor = None if busy or chosen else floor_of(ways)
    all_miss = all(one.verdict == "misses" for one in ways) and not any(one.budget for one in run.skipped)
    found: Sequence[tuple[object, AdviceOutcome]] = (
        (busy, "busy"),
        (chosen, "sure" if sure else "likely"),
        (floor, "late-sender"),
        (all_miss, "none"),
    )
    return Advice(
        required,
        outcome=next((outcome for what, outcome in found if what), "undecided"),
        chosen=chosen,
        others=tuple(one for one in ways if one is not chosen and (one.trials or one.left_out or one.misses)),
        busy=busy,
        floor=floor,
        decides_s=_decides_s(ways, by_case, required),
        unasked=tuple(one.what for one in run.skipped if one.reason == NOT_ASKED),
    )


def _decides_s(
    ways: Sequence[JudgedWay], trials: Mapping[cases.Case, Sequence[Observation]], required: Requirement
) -> float | None:
    """About how long it would take besides to show that one meets it, or a cheaper one where one does."""
    limit = min((one.cost[0] for one in ways if one.verdict == "meets"), default=inf)
    others, (worst, _) = spread_within(ways, required), worst_trial(ways)
    return min(
        (
            more_to_meet(one.counts, others, worst) * (fmean(of.wall_ns for of in trials[one.case]) / 1e9 + 2 * PING_S)
            for one in ways
            if one.verdict == "open" and one.cost[0] < limit and one.is_within(required)
        ),
        default=None,
    )


def is_busy(observations: Sequence[Observation]) -> float | None:
    """Return the share of the CPU time that other programs used, where they let nothing be decided; else None."""
    shares = [one.others for one in observations if one.others is not None]
    used = fmean(shares) if shares else 0.0
    left_out = sum(not decides(one) for one in observations)
    return used if used >= validity.BUSY_SHARE or 2 * left_out > len(observations) else None


def floor_of(ways: Sequence[JudgedWay]) -> Floor | None:
    """Return how late the sender by itself was, if that is significantly more than allowed; None if it is not.

    Where it is late the machine took its CPU away. Two threads that spin leave a machine of two CPUs none for anything
    else, so it is asked apart of receivers that sleep: the kind whose sender is less late counts, of those whose
    messages cost the sender nothing.
    """
    kinds: dict[bool, list[LateCounts]] = {one.case.blocking: [] for one in ways}
    for one in ways:
        kinds[one.case.blocking].extend(one.counts)
    if any(len(of_it) < FEW for of_it in kinds.values()):
        return None
    floors = []
    for of_it in kinds.values():
        if len(alone := [one for one in of_it if one.alone]) >= FEW:
            sender, due = [one.sender for one in alone], [one.due for one in alone]
            floors.append(Floor(share(sender, due), lowest_share(sender, due), len(alone)))
    found = min(floors, key=lambda one: one.late, default=None)
    return found if found and found.at_least > ALLOWED else None


def spread_within(ways: Sequence[JudgedWay], required: Requirement) -> LateSpread:
    """Return how late the trials are of all that would meet the requirement if their figures were exact."""
    return spread([of for one in ways if one.is_within(required) for of in one.counts])


def below_the_clock(observations: Sequence[Observation], required: Requirement) -> float | None:
    """Return what reading the clock costs (ns), where no such clock can tell the required latency; else None."""
    costs = [one.figures["clock_cost_ns"] for one in observations if "clock_cost_ns" in one.figures]
    return min(costs) if costs and required.p99_ns < min(costs) else None


def are_alike(one: JudgedWay, other: JudgedWay) -> bool:
    """Return whether intervals overlap, of the latency and of the CPU time; of one or two trials there are none."""
    pairs = ((one.p99, other.p99), (one.cpu, other.cpu))
    return all(a and b and a.kind and b.kind and a.ends[0] <= b.ends[1] and b.ends[0] <= a.ends[1] for a, b in pairs)
