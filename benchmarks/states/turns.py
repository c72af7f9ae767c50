"""Alternate our runs with theirs, and compute how far each varies."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev

import msgspec
from msgspec import Struct

from benchmarks.agreement import peer
from benchmarks.command import said_by, the_only_figure
from threadping.analysis.states import alike
from threadping.model.quantities import counted

THREADPING = Path(sys.executable).parent / "threadping"
OURS = ("run", "signal", "--runtime", "cpp", "--mechanism", "cas-one-line", "--budget", "3s", "--format", "json")
AS_MATRIX = ("matrix", "--budget", "3s", "--format", "json")
REMEDY = "Stop other load."


class State(Struct, frozen=True):
    """The state of a row: how far its CPUs stood apart."""

    core_to_core_ns: float


class Latency(Struct, frozen=True):
    """A row's figure, and how far it reaches over trials."""

    typical: float
    range: tuple[float, float] | None = None
    ci95: tuple[float, float] | None = None


class Row(Struct, frozen=True):
    """A row of ours, or the cell of a matrix, as `--format json` tells it; all times in nanoseconds."""

    latency_ns: Latency | None
    state: State | None
    trials: int
    state_changed_trials: int = 0


class Answer(Struct, frozen=True):
    """All that is read of an answer of ours; a matrix has cells."""

    rows: tuple[Row, ...] = ()
    cells: tuple[Row, ...] = ()


class Turn(Struct, frozen=True):
    """One run of each, one after the other: when it began, their figure, and our rows."""

    at: float
    theirs: float
    rows: tuple[Row, ...]


def turns(number: int, ping: int, pong: int, store: Path, *, matrix: bool = False) -> Iterator[Turn]:
    """Run theirs with its defaults, then ours, `number` times; raise Unavailable or Unmeasured like the others."""
    bench = str(peer.BENCHES["cas-one-line"])
    theirs = (str(peer.install()), "--bench", bench, "--cores", f"{pong},{ping}", "--csv")
    ours = (str(THREADPING), *(AS_MATRIX if matrix else OURS), "--cpus", f"{ping},{pong}", "--store", str(store))
    for _ in range(number):
        at = time.time()
        figure = the_only_figure(peer.FIGURE, said_by(theirs, REMEDY))
        answer = answer_in(said_by(ours, REMEDY))
        yield Turn(at, figure, answer.rows or answer.cells)


def answer_in(said: str) -> Answer:
    """The answer in what was said: the log has what is meant for a person too."""
    return msgspec.json.decode(said[said.index("{\n") : said.rindex("\n}") + 2], type=Answer)


def spreads(taken: Sequence[Turn]) -> Iterator[str]:
    """Yield the spread of theirs, and of ours within each state."""
    yield f"core-to-core-latency: {_spread([turn.theirs for turn in taken])}"
    of_all = [(row.state.core_to_core_ns, row) for pair in taken for row in pair.rows if row.state]
    groups: list[list[tuple[float, Row]]] = []
    for apart, row in sorted(of_all, key=lambda one: one[0]):
        if not groups or not alike(groups[-1][-1][0], apart):
            groups.append([])
        groups[-1].append((apart, row))
    for rows in groups:
        yield (
            f"threadping, {rows[0][0]:.1f} to {rows[-1][0]:.1f} ns core to core: "
            f"{_spread([row.latency_ns.typical for _, row in rows if row.latency_ns])}"
        )
    yield f"trials whose state changed: {sum(row.state_changed_trials for pair in taken for row in pair.rows[:1])}"


def variation(values: Sequence[float]) -> float | None:
    """The standard deviation as a share of the mean; None of fewer than two values."""
    return stdev(values) / fmean(values) if len(values) > 1 else None


def _spread(values: Sequence[float]) -> str:
    share = variation(values)
    said = "" if share is None else f", standard deviation {100 * share:.1f}%"
    return f"{min(values):.4g} to {max(values):.4g} in {counted(len(values), 'run')}{said}"
