"""The types of what the JSON of studies says of the whole, for the schemas in docs/."""

from tests.golden.schemas import type_of
from threadping.analysis.health import HealthVerdict
from threadping.model.base import Record
from threadping.model.cases import Pair
from threadping.model.run import Requirement
from threadping.output.heading import CoverageEntry
from threadping.output.run_records import RunEntry
from threadping.studies.doctor.self_test import SelfTestVerdict
from threadping.studies.matrix.study import PARALLEL_FIELDS
from threadping.studies.recommend_wait.judging import AdviceOutcome, Floor

ParallelEntry = type_of("Parallel", PARALLEL_FIELDS)


class ComparedEntry(Record, frozen=True):
    """The values about the whole in `compare --format json`.

    `what` is the option in which A and B differ, empty of a thing and itself.
    """

    verdict: str
    what: str
    a: str
    b: str
    margin: float
    coverage: CoverageEntry
    run: RunEntry


class PlaceEntry(Record, frozen=True, kw_only=True):
    """The same with the run."""

    verdict: str
    shape: str
    cpus: str
    cost_ns: float
    usual_ns: float | None
    known: int
    matrix: str
    notes: tuple[str, ...]
    margin: float
    run: RunEntry


class WhichEntry(Record, frozen=True):
    """The values in JSON next to the queues and the situations."""

    run: RunEntry


class MatrixEntry(Record, frozen=True, kw_only=True):
    run: RunEntry
    cpus: tuple[int, ...]
    misnamed: tuple[str, ...]
    parallel: ParallelEntry | None  # type: ignore[valid-type]
    missing: tuple[Pair, ...]


class DoctorEntry(Record, frozen=True):
    """The head of JSON, before the effects, the findings and the CPUs.

    `verdict` is a sentence; `health` is what the exit code says. `limit_ns` is how late a thread may be, null where the
    purpose says it; `earlier_run` the run that this is held against, 0 for none. `deciding_s` is the budget that
    probably decides a doubt; null without a doubt, or if ten minutes do not.
    """

    verdict: str
    health: HealthVerdict
    purpose: str
    limit_ns: float | None
    earlier_run: int
    deciding_s: float | None
    not_inspected: tuple[str, ...]
    signs: dict[str, float | str]
    run: RunEntry


class SelfTestEntry(Record, frozen=True):
    """The head of JSON, before the parts: `verdict` is a sentence, `self_test` what the exit code says."""

    verdict: str
    self_test: SelfTestVerdict
    run: RunEntry


class PublishedEntry(Record, frozen=True):
    """The head of JSON, before the figures and the claims."""

    run: RunEntry


class LikeEntry(Record, frozen=True):
    """The head of JSON, before the numbers: the tool, where it is, and what was read of it."""

    tool: str
    url: str
    source: str
    run: RunEntry


class AdviceEntry(Record, frozen=True):
    """What JSON says of an advice beside its ways.

    `outcome` is what is known. `clock_ns` is what reading the clock costs, where the requirement is below it; `busy`
    the share of the CPU time that other programs used, where nothing can be told for that; `floor` likewise how late
    the sender itself was; `configuration` what to write where `--for` names a system.
    """

    run: RunEntry
    required: Requirement
    outcome: AdviceOutcome
    sure: bool
    sentence: str
    clock_ns: float | None
    others: float | None
    floor: Floor | None
    configuration: str | None
