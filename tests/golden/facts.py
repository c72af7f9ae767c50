"""The types of what the JSON of studies says of the whole, for the schemas in docs/."""

from tests.golden.schemas import type_of
from threadping.model.base import Record
from threadping.model.cases import Pair
from threadping.output.heading import CoverageEntry
from threadping.output.run_records import RunEntry
from threadping.studies.matrix.output import PARALLEL_FIELDS

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
