"""What `probe run` writes.

An op is one hand-over in `signal` (a round trip is two), one increment in `lock`, one call in `notify`, one message
that arrives in `ring`.
"""

from typing import Annotated, Literal

from msgspec import Meta

from threadping.contract.evidence import Distribution, Evidence
from threadping.contract.phase import Clock, HomeResult, MachineCounters, Managed, MeasuringPhase, ThreadResult, Warmup
from threadping.contract.values import Count, Message, Name, Version
from threadping.contract.windows import Windows


class CountsHeld(Message, frozen=True):
    """Two counts to be held against each other: what the threads made, and what was found.

    `exact` where the mechanism promises that they are equal, from start to end: a difference is then an error. Where it
    is False they are a result, of sampling windows (`hand-overs`, `wake-ups`) or from start to end (`increments`).
    """

    made: Count
    found: Count
    exact: bool


class Result(Message, frozen=True):
    """One trial's figures."""

    experiment: Name
    mechanism: Name
    threads: Annotated[tuple[ThreadResult, ...], Meta(min_length=1)]
    home: HomeResult
    clock: Clock
    warmup: Warmup
    measured: MeasuringPhase
    machine: MachineCounters
    managed: Managed | None
    windows: Windows
    distributions: dict[str, Distribution]
    evidence: Evidence | None
    counts: dict[str, CountsHeld]
    schema: Version

    def timed(self, name: str = "") -> Distribution:
        """What was timed one by one: the distribution of this name or, without, the only one; an empty one if none."""
        name = name or next(iter(self.distributions), "")
        return self.distributions.get(name, Distribution("ns", (), (), 0, 0))


ErrorCode = Literal[
    "bad-request",
    "unknown-experiment",
    "unknown-mechanism",
    "unknown-param",
    "unsupported",
    "pin-failed",
    "stalled",
    "sequence-broken",
    "count-wrong",
    "internal",
]


class ProbeError(Message, frozen=True):
    """Why a probe could not measure."""

    code: ErrorCode
    message: Name


class Failed(Message, frozen=True):
    """The result message of a trial that could not be measured."""

    error: ProbeError
    schema: Version
