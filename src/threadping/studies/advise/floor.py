"""What no way of waiting can be better than: how late a thread is that only reads the clock until a message is due.

That is our own sender, in each trial of each way. Where it is late, the machine took its CPU away.
"""

from collections.abc import Sequence

from threadping.analysis.percentiles import percentiles
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.studies.advise.judging import FEW, NO_MESSAGES
from threadping.studies.advise.lateness import ALLOWED, Lateness

LATENESS = "due_to_sent_ns"

AT_ONCE_NS, AMPLE_NS = 1_000, 200_000
"""A sender whose messages are typically sent later after they are due than this may be late by what sending costs, a
wake-up or a burst, and tells nothing of the machine, unless messages are so far apart that each has long been sent when
the next is due. A turn of its loop takes 20 to 60 ns, a wake-up that leaves a virtual machine 5 to 50 us."""


class Floor(Record, frozen=True):
    """That the sender by itself is later than is allowed.

    Attributes:
        late: the share of its messages.
        at_least: its lower 99% bound.
        p99_ns: of how late it was.
        trials: of which this is known.
    """

    late: float
    at_least: float
    p99_ns: float
    trials: int


def floor_of(cases: Sequence[Case], observations: Sequence[Observation], required: Requirement) -> Floor | None:
    """How late the sender by itself was, where that is surely more than is allowed; None where it is not.

    Two threads that spin leave a machine of two CPUs none for anything else, so it is asked apart of ways that sleep:
    of both kinds, as far as a run has them, the better one counts.
    """
    kinds: dict[bool, list[Observation]] = {one.blocking: [] for one in cases}
    for one in observations:
        if _tells(one):
            kinds[one.case.blocking].append(one)
    floors = [_floor(trials, required.p99_ns) for trials in kinds.values()]
    known = [one for one in floors if one is not None]
    return min(known, key=lambda one: one.late) if known and len(known) == len(floors) else None


def _tells(trial: Observation) -> bool:
    timed, params = trial.distributions.get(LATENESS, NO_MESSAGES), trial.case.params
    if not timed.counts:
        return False
    rate = params.get("rate")
    apart = isinstance(rate, int) and rate > 0 and 1e9 / rate >= AMPLE_NS and params.get("arrivals") != "bursts"
    return apart or percentiles([timed]).get("p50", timed.values[0]) <= AT_ONCE_NS


def _floor(trials: Sequence[Observation], limit_ns: float) -> Floor | None:
    if len(trials) < FEW:
        return None
    found = Lateness(trials, LATENESS, complete=False)
    at_least = found.at_least(limit_ns)
    return Floor(found.share(limit_ns), at_least, found.p99, len(trials)) if at_least > ALLOWED else None
