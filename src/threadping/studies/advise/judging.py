"""Whether a way of waiting meets a requirement: by the share of its messages that are late, over its trials."""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import median
from typing import Literal

from threadping.analysis.estimate import Estimate, estimate, fewest_for, interval
from threadping.analysis.rates import sustains_rate
from threadping.analysis.ratio import is_beyond
from threadping.contract import Distribution
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.studies.advise.lateness import ALLOWED, BOUND_CONFIDENCE, HELD, MEASURED, OFFERED, WORST, Lateness

CPU = "cpu_percent"
SPENT, SLEPT = "cpu_ns_per_op", "switches_per_op"

LATENCIES = {"paced": "latency_ns", "crowd": "done_ns"}
"""By which distribution of each experiment a way is judged."""

FEWEST_SURE = fewest_for(BOUND_CONFIDENCE)
"""Trials without which there is no interval, and nothing meets a requirement."""

FEW, DOUBT = 3, 2.0
"""With fewer trials, what they say may be off by this factor: they rule out only what misses by more."""

WayVerdict = Literal["meets", "misses", "open"]
Miss = Literal["latency", "cpu", "rate", "failed"]


class JudgedWay(Record, frozen=True):
    """A way of waiting, as far as its trials tell: figures with the ends of their intervals.

    Attributes:
        case: what was measured.
        trials: how many have figures.
        p99: its latency in ns, from when a message is due; None where no message was timed, or where the rate is not
            held: time in a full queue is no latency.
        cpu: of the waiting thread, in per cent of a core; None where nothing is known.
        held: the share of the rate that was received.
        cpu_ns: the CPU time of each message, the median over trials; None where it is not known.
        sleeps: how often the waiting thread slept for each message.
        late: the share of messages that were later than was asked, or did not come.
        at_most: its upper 99% bound; None where it was not asked.
        messages: how many were due.
        verdict: whether it meets the requirement.
        misses: in what it surely does not.
    """

    case: Case
    trials: int
    p99: Estimate | None
    cpu: Estimate | None
    held: Estimate | None
    verdict: WayVerdict
    misses: tuple[Miss, ...] = ()
    cpu_ns: float | None = None
    sleeps: float = 0.0
    late: float | None = None
    at_most: float | None = None
    messages: float = 0.0

    def is_within(self, required: Requirement) -> bool:
        """Whether it would meet the requirement if its figures were exact."""
        most = ((self.p99, required.p99_ns), (self.cpu, required.cpu_percent or inf))
        return not self.misses and all(one is not None and one.value <= allowed for one, allowed in most)

    @property
    def cost(self) -> tuple[float, ...]:
        """By which ways are ordered: the CPU time, then the latency; what is not known is behind."""
        return tuple(one.value if one else inf for one in (self.cpu, self.p99))


def judge_way(case: Case, trials: Sequence[Observation], required: Requirement, *, told: bool = True) -> JudgedWay:
    """Judge a case by all its trials that have figures, in whatever state the machine was: it must meet it in each.

    Args:
        case: what was measured.
        trials: of it.
        required: what it is to meet.
        told: whether its p99 has an interval. A search, which asks after every trial, does without: it takes longer
            than all the rest.
    """
    seen = [one for one in trials if one.figures]
    latency = LATENCIES[case.experiment]
    timed = [one for one in seen if one.distributions.get(latency, NO_MESSAGES).counts]
    if not timed:
        failed = bool(trials)
        return JudgedWay(
            case, len(seen), None, None, None, "misses" if failed else "open", ("failed",) if failed else ()
        )
    found, few = Lateness(timed, latency), len(timed) < FEW
    cpu = _over([one.figures.get(CPU) for one in seen])
    rated = [one.figures for one in seen if one.figures.get(OFFERED) and HELD in one.figures]
    held = _over([of_it[HELD] / of_it[OFFERED] for of_it in rated])
    holds = not rated or _holds(case, rated)
    most_cpu = required.cpu_percent or inf
    above: dict[Miss, bool | None] = {
        "latency": _is_late(found, len(timed), required.p99_ns) if holds else None,
        "cpu": is_beyond(cpu.ends, most_cpu) if cpu else None if required.cpu_percent else False,
        "rate": None if few and not holds else not holds,
    }
    misses = tuple(what for what, missed in above.items() if missed)
    verdict: WayVerdict = "misses" if misses else "meets" if set(above.values()) == {False} else "open"
    spent, slept = ([one.figures[name] for one in seen if name in one.figures] for name in (SPENT, SLEPT))
    return JudgedWay(
        case=case,
        trials=len(timed),
        p99=None if not holds else _p99(found, timed) if told else Estimate(found.p99),
        cpu=cpu,
        held=held,
        verdict=verdict,
        misses=misses,
        cpu_ns=median(spent) if spent else None,
        sleeps=median(slept) if slept else 0.0,
        late=found.share(required.p99_ns),
        at_most=found.at_most(required.p99_ns),
        messages=found.due,
    )


def _holds(case: Case, rated: Sequence[Mapping[str, float]]) -> bool:
    """As `show` says of a row with these trials: whether `not-held` stands there."""
    measured_ns = sum(of_it[MEASURED] for of_it in rated)
    return sustains_rate(case, estimate([of_it[HELD] for of_it in rated]), rated[0][OFFERED], measured_ns, len(rated))


def _is_late(found: Lateness, trials: int, limit_ns: float) -> bool | None:
    """Whether more messages are late than may be, in many more trials; None where these trials do not tell.

    One or two rule out what misses by a factor, with more late messages than the worst unseen trial is thought to have.
    """
    if trials < FEW:
        return True if found.share(DOUBT * limit_ns) > WORST else None
    if found.at_least(limit_ns) > ALLOWED:
        return True
    return False if trials >= FEWEST_SURE and found.at_most(limit_ns) <= ALLOWED else None


def _p99(found: Lateness, trials: Sequence[Observation]) -> Estimate:
    """Of all messages, with its 99% interval; of fewer trials than FEWEST_SURE the range that they leave open."""
    value, (low, high) = found.p99, found.p99_ends
    if len(trials) < FEWEST_SURE:
        doubt = DOUBT if len(trials) < FEW else 1.0
        each = [Lateness([one], LATENCIES[one.case.experiment]).p99 for one in trials]
        low, high = min(each) / doubt, max(each) * doubt
    return Estimate(value, min(low, value), max(high, value), "ci99" if len(trials) >= FEWEST_SURE else "range")


def next_way(ways: Sequence[JudgedWay], required: Requirement, most: int) -> int | None:
    """Which of several ways to measure next, by its place; None where the advice would be the same by more trials.

    That is the cheapest that would meet the requirement by what is known, until it surely does, or until so many trials
    leave it open that others have their turn; then any that is cheaper and not ruled out. Where all are ruled out it is
    the quickest: an answer says how quick that is.

    Args:
        ways: as judged so far, each measured at least once.
        required: what they are to meet.
        most: so many trials of one way at most: what they leave open is too close to the requirement to decide.
    """
    if all(one.verdict == "misses" for one in ways):
        found = quickest(ways)
        return ways.index(found) if found and found.trials < FEWEST_SURE else None
    limit = min((one.cost[0] for one in ways if one.verdict == "meets"), default=inf) / CHEAPER
    standing = [
        place for place, one in enumerate(ways) if one.verdict == "open" and one.trials < most and one.cost[0] < limit
    ]

    within = [place for place in standing if ways[place].is_within(required)]
    as_cheap = CHEAPER * min((ways[place].cost[0] for place in within), default=0.0)

    def order(place: int) -> tuple[float, ...]:
        """Of what is as cheap the quickest, of which it takes the fewest trials to be sure.

        Of what would miss it by what is known each in turn: nobody knows which of them will come nearest.
        """
        one = ways[place]
        if not one.is_within(required):
            return (2, one.trials, *one.cost)
        long = one.trials >= LONG and limit == inf
        return (long, 0, *reversed(one.cost)) if one.cost[0] <= as_cheap else (long, 1, *one.cost)

    return min(standing, key=order, default=None)


LONG = 60
"""So many trials without a decision, and the next way has its turn, until there is one that surely meets it. It takes
44 trials where no message is late, and 60 where one in four hundred is."""

CHEAPER = 1.1
"""A way that takes less CPU by a smaller factor is no cheaper: it is not looked for."""


def quickest(ways: Sequence[JudgedWay]) -> JudgedWay | None:
    """The quickest of all that hold the rate; None where none does."""
    holding = (one for one in ways if one.p99 and "rate" not in one.misses)
    return min(holding, key=lambda one: one.cost[1], default=None)


NO_MESSAGES = Distribution("ns", (), (), 0, 0)


def _over(of_trials: Sequence[float | None]) -> Estimate | None:
    known = [value for value in of_trials if value is not None]
    if not known:
        return None
    if len(known) >= FEWEST_SURE:
        return Estimate(median(known), *interval(known, BOUND_CONFIDENCE), "ci99")
    doubt = DOUBT if len(known) < FEW else 1.0
    return Estimate(median(known), min(known) / doubt, max(known) * doubt, "range")
