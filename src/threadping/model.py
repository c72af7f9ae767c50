"""The frozen records that all rooms share. No behaviour beyond what the record itself can tell."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from threadping.contract import Params, Request, Result, Topology

Severity = Literal["info", "warning", "error"]
RunStatus = Literal["running", "complete", "interrupted", "failed"]


class Record(Struct, frozen=True):
    """An immutable record."""


class Placement(Record, frozen=True):
    """Where the threads stand: a word of the design (`same-l3`, …) and a CPU for each role; None is not pinned."""

    name: str
    cpus: tuple[int | None, ...]


class Skipped(Record, frozen=True):
    """Something asked for or usual that this machine cannot do, and why."""

    what: str
    reason: str


class Runtime(Record, frozen=True):
    """A probe as launched.

    `label` tells it apart in every output (`cpp`, `java-17 -XX:+UseParallelGC`); `command` is the argv before
    `describe` or `run`; `version` is for a person (`g++ 12.2.0 -O3`).
    """

    label: str
    probe: str
    command: tuple[str, ...]
    version: str


class Case(Record, frozen=True):
    """What one row of output is about."""

    experiment: str
    mechanism: str
    params: Params
    runtime: str
    placement: Placement
    blocking: bool
    lines: int

    @property
    def title(self) -> str:
        """Name the case for a person: `cas-one-line cpp same-l3`."""
        return f"{self.mechanism} {self.runtime} {self.placement.name}"


class Failure(Record, frozen=True):
    """Why a trial has no result: a code (the contract's, or `crashed`, `hung`, `garbage`, …) and a sentence."""

    code: str
    message: str


class Trial(Record, frozen=True):
    """One case measured once, in one fresh process: exactly one of `result` and `failure` is set."""

    round: int
    position: int
    case: Case
    request: Request
    result: Result | None
    failure: Failure | None
    log: str
    started: str
    wall_ns: int


class Machine(Record, frozen=True):
    """What a figure cannot be judged without; None where the machine does not tell."""

    hostname: str
    cpu_model: str | None
    kernel: str
    os: str | None
    hypervisor: str | None
    governor: str | None
    clock_source: str | None
    cpu_quota: float | None
    memory_bytes: int | None
    topology: Topology


class Owner(Record, frozen=True):
    """The process that carries a run out; tells a run in progress from one whose process died."""

    hostname: str
    boot_id: str
    pid: int
    started_ticks: int


class Run(Record, frozen=True):
    """A plan carried out on one machine. `id` is 0 until the store gives it one. Times are ISO 8601, UTC."""

    started: str
    machine: Machine
    runtimes: tuple[Runtime, ...]
    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]
    rounds: int
    budget_s: float
    seed: int
    version: str
    arguments: tuple[str, ...]
    owner: Owner
    status: RunStatus = "running"
    ended: str | None = None
    note: str | None = None
    id: int = 0


class Verdict(Record, frozen=True):
    """Why a figure may not be what it seems, with the remedy in the sentence."""

    code: str
    severity: Severity
    message: str


class Latency(Record, frozen=True, omit_defaults=True):
    """A distribution in nanoseconds; a percentile that the samples cannot carry is absent."""

    mean: float
    ci95: tuple[float, float]
    min: float | UnsetType = UNSET
    p50: float | UnsetType = UNSET
    p90: float | UnsetType = UNSET
    p99: float | UnsetType = UNSET
    p99_9: float | UnsetType = field(name="p99.9", default=UNSET)
    max: float | UnsetType = UNSET


class Row(Record, frozen=True):
    """One case, as every export shows it. `latency_ns` and what derives from it is None when no trial succeeded."""

    experiment: str
    runtime: str
    mechanism: str
    params: Params
    placement: str
    cpus: tuple[int | None, ...]
    threads: int
    trials: int
    failed_trials: int
    measures: str
    latency_ns: Latency | None
    ops_per_s: float | None
    cpu_ns_per_op: float | None
    clock_cost_ns: float | None
    samples: int
    lines: int
    line_ns: tuple[float, float] | None
    verdicts: tuple[Verdict, ...]
