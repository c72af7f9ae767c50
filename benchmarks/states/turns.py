"""Ours and theirs in turn, and how far each varies."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev

import msgspec
from msgspec import Struct

from benchmarks.agreement import peer
from benchmarks.command import said_by, the_only_figure

THREADPING = Path(sys.executable).parent / "threadping"
OURS = ("signal", "--runtime", "cpp", "--mechanism", "cas-one-line", "--budget", "3s", "--format", "json")
REMEDY = "Stop other load."


class State(Struct, frozen=True):
    """The state of a row: how far its CPUs stood apart."""

    sounding_ns: float


class Latency(Struct, frozen=True):
    """A row's figure, and how far it reaches over trials."""

    typical: float
    range: tuple[float, float]
    ci95: tuple[float, float] | None = None


class Row(Struct, frozen=True):
    """A row of ours, as `--format json` tells it; all times in nanoseconds."""

    latency_ns: Latency | None
    state: State | None
    trials: int
    crossed_trials: int
    sounding_ns: float | None = None
    over_sounding: float | None = None


class Answer(Struct, frozen=True):
    """All that is read of an answer of ours."""

    rows: tuple[Row, ...]


class Turn(Struct, frozen=True):
    """One run of each, one after the other: when it began, their figure, and our rows."""

    at: float
    theirs: float
    rows: tuple[Row, ...]


def turns(number: int, ping: int, pong: int, store: Path) -> Iterator[Turn]:
    """Run theirs with its defaults and ours, so many times; raises Unavailable or Unmeasured as others do."""
    bench = str(peer.BENCHES["cas-one-line"])
    theirs = (str(peer.install()), "--bench", bench, "--cores", f"{pong},{ping}", "--csv")
    ours = (str(THREADPING), *OURS, "--cpus", f"{ping},{pong}", "--store", str(store))
    for _ in range(number):
        at = time.time()
        figure = the_only_figure(peer.FIGURE, said_by(theirs, REMEDY))
        yield Turn(at, figure, msgspec.json.decode(_answer(said_by(ours, REMEDY)), type=Answer).rows)


def _answer(said: str) -> str:
    """The JSON in what was said: the log has what is meant for a person too."""
    return said[said.index("{\n") : said.rindex("\n}") + 2]


def variation(values: Sequence[float]) -> float | None:
    """The standard deviation as a share of the mean; None of fewer than two values."""
    return stdev(values) / fmean(values) if len(values) > 1 else None
