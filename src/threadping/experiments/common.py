"""The type of an experiment, and the figures that every one has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from threadping.analysis import causes, row_warnings
from threadping.analysis.causes import crowded
from threadping.analysis.checks import Finding, finding
from threadping.analysis.declaration import (
    OF_GROUPS,
    Curve,
    Declaration,
    DeclarationEntry,
    Figure,
    Row,
    RowCheck,
    TrialFigures,
)
from threadping.model.cases import Case
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


_HERE = Path(__file__)
ENTRIES = msgspec.toml.decode(_HERE.with_name("experiments.toml").read_bytes(), type=dict[str, ExperimentEntry])

# What is read from the trials of each experiment, and of all. JSON is read in less time than TOML
MEASURED = msgspec.json.decode(_HERE.with_name("figures.json").read_bytes(), type=dict[str, TrialFigures])


def experiment(
    name: str,
    *,
    pace: Pace,
    makes_alike: Callable[[Case, Case], str] = lambda _, __: "",
    curves: Mapping[str, Mapping[str, Any]] = {},
    **declared: Any,
) -> Experiment:
    """Return the experiment of an entry with what it measures, and what its `curves` have besides words, by name.

    All else that is `declared` is as `declare` takes it.
    """
    entry = ENTRIES[name]
    drawn = tuple(Curve(**asdict(one), **curves.get(one.name, {})) for one in entry.figures.curves)
    figures = declare(MEASURED[name], **{**asdict(entry.figures), "curves": drawn}, **declared)
    return Experiment(**{**asdict(entry), "figures": figures}, pace=pace, makes_alike=makes_alike)


def pause_s(case: Case) -> float:
    """Return the pause between two operations, in seconds."""
    return int(case.params.get("pause", 0)) / 1e6


def declare(
    read: TrialFigures, *, checks: Sequence[RowCheck] = (), on_schedule: bool = False, **rest: Any
) -> Declaration:
    """Declare an experiment's own figures and checks, and behind them those that every experiment has.

    Where a schedule sets the pace of its operations, that is no figure.
    """
    timed = tuple(one for one in read.distributions if one.unit == "ns")
    groups = dict.fromkeys(one.outliers for one in timed if one.outliers)
    names = {one.name for one in read.figures}
    everywhere: Sequence[Figure] = [one for one in MEASURED["everywhere"].figures if one.name not in names]
    param = rest["along"] if rest.get("along") not in (None, *OF_GROUPS) else ""
    return Declaration(
        distributions=read.distributions,
        timed=timed,
        param=param,
        dimensions=((param,) if rest.get("along") else ()) + tuple(rest.get("also_along", ())),
        figures=(*read.figures, *causes.outlier_figures(*groups), *everywhere),
        checks=(*checks, *(row_warnings.ON_SCHEDULE if on_schedule else row_warnings.UNPACED)),
        **rest,
    )


def share_cpus(row: Row, code: str = "oversubscribed") -> Iterator[Finding]:
    """Find how many threads share how many CPUs, and what follows, if there are fewer CPUs."""
    case, texts = row.case, row.declared.without_cpu
    if row.trials and crowded(row):
        said = next((texts[one] for one in (case.timed, "blocking" * case.blocking, "spinning") if one in texts), "")
        follows = {"follows": said} if said else {}
        yield finding(code, threads=case.threads, cpus=row.number("counters.cpus"), **follows)


OVERSUBSCRIBED = RowCheck(share_cpus, ("oversubscribed",))
