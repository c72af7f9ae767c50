"""Whether a wait strategy meets a requirement: by the share of its messages that are late, over its trials."""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import median
from typing import Literal

from msgspec.structs import replace

from threadping.analysis.estimate import Estimate, estimate, interval
from threadping.analysis.rates import sustains_rate
from threadping.analysis.validity import OTHER_LOAD, validity_of_trial
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.studies.advise.lateness import (
    ALLOWED,
    BOUND_CONFIDENCE,
    FEW,
    FEWEST_SURE,
    FEWEST_TO_MEET,
    HALF,
    HELD,
    MEASURED,
    OFFERED,
    SENDER,
    LateCounts,
    count_late,
    highest_share,
    lowest_share,
    pooled_p99,
    share,
)

CPU = "cpu_percent"
SPENT, SLEPT = "cpu_ns_per_op", "switches_per_op"

FEW_FAILED = 2
"""So many trials that failed show that a wait strategy cannot be measured, if it has no other."""

EXPENSIVE = {1: 3.0, FEW: 2.0, FEWEST_SURE: 1.0}
"""From how many trials on a CPU time decides that is more than so many times the limit."""

WayVerdict = Literal["meets", "misses", "open"]
Miss = Literal["latency", "cpu", "rate", "failed"]


class JudgedWay(Record, frozen=True):
    """A wait strategy, as far as its trials tell: figures with the ends of their intervals.

    Attributes:
        case: what was measured.
        trials: how many have figures, and decide.
        p99: its latency in ns, from when a message is due; None where no message was timed, or where the rate is not
            held: time in a full queue is no latency.
        cpu: of the waiting thread, in per cent of a core; None where nothing is known.
        held: the share of the rate that was received.
        verdict: whether it meets the requirement.
        holds: whether the rate may be held.
        misses: in what it surely does not.
        cpu_ns: the CPU time of each message, the median over trials; None where it is not known.
        sleeps: how often the waiting thread slept for each message.
        late: the share of messages that were later than was asked, or did not come.
        at_most: its upper 99% bound; None where it was not asked.
        sender_late: the share that the sender alone sent later than that; of rounds those that did not begin.
        sender_p99: how late the sender alone was, in ns; None where it was not asked, or is not known.
        left_out: how many trials do not decide: other programs ran.
        counts: of each of its trials, how many messages were late.
    """

    case: Case
    trials: int
    p99: Estimate | None
    cpu: Estimate | None
    held: Estimate | None
    verdict: WayVerdict
    holds: bool = False
    misses: tuple[Miss, ...] = ()
    cpu_ns: float | None = None
    sleeps: float = 0.0
    late: float | None = None
    at_most: float | None = None
    sender_late: float | None = None
    sender_p99: float | None = None
    left_out: int = 0
    counts: tuple[LateCounts, ...] = ()

    def is_within(self, required: Requirement) -> bool:
        """Whether it would meet the requirement if its figures were exact."""
        most = ((self.late, ALLOWED), (self.cpu.value if self.cpu else None, required.cpu_percent or inf))
        return not self.misses and self.holds and all(one is not None and one <= to for one, to in most)

    @property
    def messages(self) -> float:
        """How many were due."""
        return sum(one.due for one in self.counts)

    @property
    def cost(self) -> tuple[float, ...]:
        """By which wait strategies are ordered: the CPU time, then the latency; what is not known is behind."""
        return tuple(one.value if one else inf for one in (self.cpu, self.p99))

    @property
    def has_late_sender(self) -> bool:
        """Whether it is open, and the sender by itself makes up a large part of what is too late."""
        late, sender = self.late or 0.0, self.sender_late or 0.0
        return self.verdict == "open" and late > ALLOWED and sender >= HALF * late


def decides(trial: Observation) -> bool:
    """Return whether no other program ran next to a trial; one that failed says something of its wait strategy."""
    return OTHER_LOAD not in validity_of_trial(trial, "recommend").codes


def judge_way(case: Case, trials: Sequence[Observation], required: Requirement, *, bounded: bool = True) -> JudgedWay:
    """Judge a case by all its trials that decide, in whatever state the machine was: it must meet it in each.

    A wait strategy misses a latency by what it adds itself, and meets it only together with its sender's lateness.

    Args:
        case: what was measured.
        trials: of it.
        required: what it is to meet.
        bounded: whether its p99 and the bound of what is late are wanted. A search, which asks after every trial, does
            without: they take longer than all the rest.
    """
    kept = [one for one in trials if decides(one)]
    known = [(one, of) for one in kept if (of := count_late(one, required))]
    if not known:
        failed = sum(one.failure is not None for one in kept) >= FEW_FAILED
        judged = JudgedWay(case, 0, None, None, None, "open", left_out=len(trials) - len(kept))
        return replace(judged, verdict="misses", misses=("failed",)) if failed else judged
    timed, counts = [one for one, _ in known], [of for _, of in known]
    due, _, late, added, far, sender, _ = zip(*counts, strict=True)
    cpu = _over([one.figures[CPU] for one in timed if CPU in one.figures])
    rated = [(one.figures, of) for one, of in known if one.figures.get(OFFERED) and HELD in one.figures]
    holds = not rated or _holds(case, rated)
    at_most = highest_share(late, due) if bounded or len(timed) >= FEWEST_TO_MEET else None
    above: Mapping[Miss, bool | None] = {
        "latency": _is_late(at_most, added, far, due) if holds else None,
        "cpu": _is_expensive(cpu, len(timed), required.cpu_percent) if required.cpu_percent else False,
        "rate": False if holds else len(timed) >= FEW or None,
    }
    misses = tuple(what for what, missed in above.items() if missed)
    spent, slept = ([one.figures[name] for one in timed if name in one.figures] for name in (SPENT, SLEPT))
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


def _holds(case: Case, rated: Sequence[tuple[Mapping[str, float], LateCounts]]) -> bool:
    """Whether the rate may be held, as `show` says of a row with these trials (`not-held`).

    Rounds that the coordinator did not begin in their turn are not the wait strategy's loss.
    """
    excused = case.experiment == "crowd"
    each = [figures[HELD] + (of.sender * 1e9 / figures[MEASURED] if excused else 0.0) for figures, of in rated]
    measured_ns = sum(figures[MEASURED] for figures, _ in rated)
    return sustains_rate(case, estimate(each), rated[0][0][OFFERED], measured_ns, len(rated))


def _is_late(at_most: float | None, added: Sequence[float], far: Sequence[float], due: Sequence[float]) -> bool | None:
    """Whether more messages are late than may be, in many more trials; None where these trials do not tell.

    One or two trials tell only where the wait strategy itself took longer than the limit for half of the messages, and
    many times the limit for more than may be late: a stall of a CPU is no half of a trial.
    """
    if len(due) >= FEW:
        too_late = lowest_share(added, due) > ALLOWED
    else:
        too_late = share(added, due) > HALF and share(far, due) > ALLOWED
    return True if too_late else False if at_most is not None and at_most <= ALLOWED else None


def _is_expensive(cpu: Estimate | None, trials: int, most: float) -> bool | None:
    """Whether it takes more CPU time than it may; None where these trials do not tell."""
    if cpu is None:
        return None
    factor = min(factor for number, factor in EXPENSIVE.items() if trials >= number)
    return True if cpu.ends[0] > factor * most else False if trials >= FEWEST_SURE and cpu.ends[1] <= most else None


def _over(known: Sequence[float]) -> Estimate | None:
    """The median, with its 99% interval; with the range of fewer trials than that takes; of one or two alone."""
    if len(known) < FEW:
        return Estimate(median(known)) if known else None
    if len(known) < FEWEST_SURE:
        return Estimate(median(known), min(known), max(known), "range")
    return Estimate(median(known), *interval(known, BOUND_CONFIDENCE), "ci99")


def quickest(ways: Sequence[JudgedWay]) -> JudgedWay | None:
    """The quickest of all that hold the rate; None where none does."""
    holding = (one for one in ways if one.p99 and "rate" not in one.misses)
    return min(holding, key=lambda one: one.cost[1], default=None)
