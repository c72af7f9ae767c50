"""Subjects of a comparison, a process's figures, and the record of a whole run."""

from collections.abc import Callable

from msgspec import Struct

from threadping.model.errors import ThreadpingError

PROBE, BARE = "probe", "bare"
"""Two programs that every benchmark has: our own, and the same work with nothing around it."""


class Unavailable(ThreadpingError):
    """A program cannot be had here; what compares with it is left out."""


class Unmeasured(ThreadpingError):
    """One process did not give a figure."""


class Subject(Struct, frozen=True):
    """A program, runtime, mechanism and number of lines, measured in a process of its own."""

    program: str
    runtime: str
    mechanism: str
    lines: int

    @property
    def title(self) -> str:
        """Name it for a person: `probe java-17 add-one-line, 1 line`."""
        lines = f", {self.lines} line{'s' if self.lines > 1 else ''}" if self.program == PROBE else ""
        return f"{self.program} {self.runtime} {self.mechanism}{lines}"


FigureName = str
"""A field of Figures, or one of its percentiles."""


class Figures(Struct, frozen=True):
    """Figures of one process in nanoseconds: one-way or per operation, as the benchmark says.

    `mean` is the mean over everything that was timed, the only thing that peers and bare programs tell. Our probes also
    tell what the middle one of the stretches that they time as a whole says (a block in `signal`, a window in `lock`;
    the mean over lines of each line's median, where there are several); in `signal` the median single trip; and
    percentiles by name (`wake p99`), where a benchmark asks for them.
    """

    mean: float
    median_block: float | None = None
    single_p50: float | None = None
    percentiles: dict[str, float] = {}

    def named(self, name: FigureName) -> float | None:
        """The figure of this name; None where there is none."""
        return self.percentiles[name] if name in self.percentiles else getattr(self, name, None)


class Contender(Struct, frozen=True):
    """A subject, and how to measure it once, from a seed, in a fresh process; Unmeasured if that fails."""

    subject: Subject
    measure: Callable[[int], Figures]


class Measurement(Struct, frozen=True):
    """One process: exactly one of `figures` and `failure` is set."""

    round: int
    subject: Subject
    figures: Figures | None
    failure: str | None


class Session(Struct, frozen=True):
    """Everything that a report is made from: what ran where, every process, and what had to be left out and why.

    Where it is `paired`, both sides of a question followed each other in every round.
    """

    started: str
    machine: str
    cpus: tuple[int, ...]
    placement: str
    programs: dict[str, str]
    seed: int
    left_out: tuple[str, ...]
    measurements: tuple[Measurement, ...] = ()
    paired: bool = False
