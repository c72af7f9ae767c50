"""The type of an experiment, and the figures that every one has."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from threadping.analysis import causes, row_warnings
from threadping.analysis.causes import crowded
from threadping.analysis.checks import Fact, Facts
from threadping.analysis.declaration import (
    Better,
    Column,
    Curve,
    Declaration,
    DeclarationEntry,
    Figure,
    Percentiles,
    Row,
    RowCheck,
    Unit,
)
from threadping.analysis.percentiles import Summary
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.contract import Result
from threadping.model.reading import ResultReader
from threadping.planning.defaults import CaseDefaults, Pace


class ExperimentEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of an experiment that `experiments.toml` has."""

    help: str  # what it measures, in a sentence
    examples: tuple[tuple[str, str], ...]  # what to type behind `threadping run`, each with what that shows
    own_command: bool = False  # whether only its own command measures it, and `run` does not
    # whether causes of outliers are looked for unless the user says so. A snapshot takes CPU time: little compared with
    # that of a busy thread, and most of the CPU time of a thread that mostly sleeps
    looks: bool = True
    options: Mapping[str, str] = {}  # parameters of its mechanisms that have an option of their own, each with its help
    # options for flags of every Java virtual machine, each with these flags and its help
    jvm_options: Mapping[str, tuple[tuple[str, ...], str]] = {}
    defaults: CaseDefaults  # how many threads take part, and what is asked first
    figures: DeclarationEntry  # what is read, summed up, shown and checked


class Experiment(ExperimentEntry, frozen=True, kw_only=True):
    """A question: a new one is an entry of `experiments.toml`, one of these, and a line in EXPERIMENTS."""

    pace: Pace  # what a plan must know of its trials
    figures: Declaration
    # the name of the JVM option without which two cases do different work; empty where none is needed
    makes_alike: Callable[[Case, Case], str] = lambda _, __: ""


@cache
def entries() -> Mapping[str, ExperimentEntry]:
    file = Path(__file__).with_name("experiments.toml")
    return msgspec.toml.decode(file.read_bytes(), type=dict[str, ExperimentEntry])


def experiment(
    name: str,
    *distributions: Percentiles,
    pace: Pace,
    makes_alike: Callable[[Case, Case], str] = lambda _, __: "",
    curves: Mapping[str, Mapping[str, Any]] = {},
    **declared: Any,
) -> Experiment:
    """Return the experiment of an entry with what it measures, and what its `curves` have besides words, by name.

    All else that is `declared` is as `declare` takes it.
    """
    entry = entries()[name]
    drawn = tuple(Curve(**asdict(one), **curves.get(one.name, {})) for one in entry.figures.curves)
    figures = declare(*distributions, **{**asdict(entry.figures), "curves": drawn}, **declared)
    return Experiment(**{**asdict(entry), "figures": figures}, pace=pace, makes_alike=makes_alike)


def pause_s(case: Case) -> float:
    """Return the pause between two operations, in seconds."""
    return int(case.params.get("pause", 0)) / 1e6


def _counter(name: str, of: str, column: Column | None = None) -> Figure:
    def total(result: Result) -> float | None:
        counts = [count for thread in result.threads if (count := getattr(thread, of)) is not None]
        return sum(counts) if counts else None

    return Figure(f"counters.{name}", "count", total, column, over="total")


def known(read: ResultReader) -> ResultReader:
    """Return a reader of threads' counters: None if a library may have replaced a thread."""
    return lambda result: read(result) if all(one.cpu_ns or one.migrations == 0 for one in result.threads) else None


def _compile_ns(result: Result) -> float | None:
    compile_ms = result.managed.compile_ms if result.managed else None
    return None if compile_ms is None else compile_ms * 1e6


def middle(of: Percentiles, column: Column | None = None, mean: Column | None = None) -> tuple[Figure, Figure]:
    """Return the median and the mean of a distribution; over trials their median and mean."""
    named = f"{of.noun}.typical", f"{of.noun}.mean"
    return (
        Figure(f"{of.name}.typical", "ns", reading.of_median(of.read), column, "less", says=named[0]),
        Figure(f"{of.name}.mean", "ns", lambda r: reading.mean_of(of.read(r)), mean, "less", "mean", named[1]),
    )


def round_trips(experiment: str, typical: ResultReader, mean: ResultReader) -> tuple[Figure, ...]:
    """One way, of whole windows, and how many a second; their sentences are the experiment's own."""
    named = [f"{experiment}.{name}" for name in ("latency_ns.typical", "latency_ns.mean", "ops_per_s")]
    return (
        Figure("latency_ns.typical", "ns", typical, Column("median"), "less", says=named[0]),
        Figure("latency_ns.mean", "ns", mean, Column("mean", 2), "less", "mean", named[1]),
        Figure("ops_per_s", "per_s", reading.rate, Column("per s", 5), "more", says=named[2]),
    )


def mixture(unit: Unit, pace: ResultReader) -> tuple[Figure, ...]:
    better: Better = "less" if unit == "ns" else "more"
    over: Summary = "harmonic" if unit == "ns" else "mean"
    on_one, on_several = (partial(reading.on_same_cpu, read=pace, share=share) for share in (1.0, 0.0))
    return (
        Figure("mixture.same_cpu", "share", reading.same_cpu_share, Column("same CPU", 1), over="mean"),
        Figure(f"mixture.together_{unit}", unit, on_one, Column("together", 10), better, over),
        Figure(f"mixture.apart_{unit}", unit, on_several, Column("apart", 11), better, over),
    )


FIGURES_EVERYWHERE = (
    Figure("cpu_ns_per_op", "ns", known(reading.cpu_ns_per_op), Column("CPU/op", 3), better="less"),
    Figure("drift", "index", reading.drift, Column("drift", 9, of_rows=False)),
    Figure("sampling_pace", "index", reading.sampling_pace),
    Figure("sampling_every", "count", reading.sampled_every),
    Figure("clock_cost_ns", "ns", lambda result: result.clock.cost_ns),
    Figure("lines", "count", lambda result: len(set(result.windows.of("throughput").line)), over="total"),
    _counter("slept", "voluntary_switches", Column("slept", 8, of_rows=False)),
    _counter("preempted", "involuntary_switches", Column("preempted", 7, of_rows=False)),
    _counter("migrations", "migrations"),
    _counter("major_faults", "major_faults"),
    Figure("counters.moved", "count", reading.moved, over="total"),
    Figure("counters.steal_ns", "ns", lambda result: result.machine.steal_ns, over="total"),
    Figure("counters.interrupts", "count", lambda result: result.machine.interrupts, over="total"),
    Figure("counters.compile_ns", "ns", _compile_ns, over="most"),
    Figure("counters.collections", "count", lambda r: r.managed.collections if r.managed else None, over="total"),
    Figure("counters.cpus", "count", reading.cpus, over="most"),
    Figure("counters.clock_step_ns", "ns", lambda result: result.clock.resolution_ns, over="most"),
    Figure("counters.skew_ns", "ns", reading.skew_ns),
    Figure("counters.skew_bound_ns", "ns", reading.skew_bound_ns),
    Figure("counters.windows", "count", lambda result: len(result.windows.measured.ns), over="total"),
    Figure("counters.sampling_window_ns", "ns", reading.sampling_window_ns),
    Figure("counters.looks", "count", lambda r: r.evidence.looks if r.evidence else None, over="total"),
    Figure("counters.measured_ns", "ns", lambda result: result.measured.ns, over="total"),
    Figure("counters.cut", "count", lambda result: result.measured.cut, over="total"),
    Figure("counters.warmup_ops", "count", lambda result: result.warmup.ops, over="least"),
    Figure("counters.rested_ns", "ns", lambda r: r.managed.rested_ns if r.managed else None, over="most"),
    Figure("counters.warmup_cut", "count", lambda result: result.warmup.ended == "limit", over="total"),
)
"""Figures in the order in which they are shown. Counters are of the measuring phase, of all threads."""


def declare(
    *distributions: Percentiles,
    figures: Sequence[Figure],
    checks: Sequence[RowCheck] = (),
    on_schedule: bool = False,
    **rest: Any,
) -> Declaration:
    """Declare an experiment's own figures and checks, and behind them those that every experiment has.

    Where a schedule sets the pace of its operations, that is no figure.
    """
    groups = dict.fromkeys(one.outliers for one in distributions if one.unit == "ns" and one.outliers)
    names = {one.name for one in figures}
    everywhere = (one for one in FIGURES_EVERYWHERE if one.name not in names)
    shared: Sequence[RowCheck] = row_warnings.ON_SCHEDULE if on_schedule else row_warnings.UNPACED
    if not any(one.across for one in distributions):
        shared = tuple(one for one in shared if one not in (row_warnings.negative, row_warnings.clock_skew))
    return Declaration(
        distributions=distributions,
        figures=(*figures, *causes.outlier_figures(*groups), *everywhere),
        checks=(*checks, *shared),
        **rest,
    )


def oversubscribed(code: str, follows: Callable[[Row], str]) -> RowCheck:
    """Return a check that is true where threads share CPUs; `follows` says the consequence, if any."""

    def find(row: Row) -> Facts | None:
        facts: dict[str, Fact] = {"threads": row.case.threads, "cpus": row.number("counters.cpus")}
        if said := follows(row):
            facts["follows"] = said
        return facts if crowded(row) else None

    return RowCheck(code, "note", find)
