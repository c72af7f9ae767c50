"""What was measured before, and what there is to measure with."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import Run, Runtime, Skipped, Trial
from threadping.report import figures, words
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.heading import local_time, seconds_between, status
from threadping.report.layout import Paragraph
from threadping.report.remarks import without
from threadping.report.rungs import MECHANISM, PLACEMENT, RUNTIME, THREADS, WARMUP
from threadping.report.view import View
from threadping.report.views import view_of

SWITCHES = "switches: how often the threads slept or were preempted."


def runs_table(runs: Sequence[tuple[Run, int]]) -> RenderableType:
    """List runs, each with the number of its trials that ended."""
    if not runs:
        return Text("No run is stored yet. `threadping run` measures one.")
    columns = (
        Column(name="run", head="run", naming=True, numbers=True),
        Column(name="started", head="started", naming=True, right=False),
        Column(name="status", head="status", naming=True, right=False),
        Column(name="host", head="host", naming=True, right=False, wraps=True),
        Column(name="cases", head="cases", leave_out=1),
        Column(name="trials", head="trials"),
        Column(name="took", head="took", leave_out=2),
    )
    return Grid(columns, tuple(_run_line(run, ended) for run, ended in runs))


def trials_table(run: Run, trials: Sequence[Trial]) -> RenderableType:
    """List the trials of a run that ended, each by itself, experiment by experiment."""
    title = Text.assemble(
        (f"run {run.id}", "bold"),
        f", {local_time(run.started)}, ",
        status(run),
        f": {len(trials)} of {words.counted(run.rounds * len(run.cases), 'trial')} ended",
    )
    if not trials:
        return title
    return Group(Paragraph(title), *_tables(trials))


def _tables(trials: Sequence[Trial]) -> Iterator[RenderableType]:
    experiments = list(dict.fromkeys(trial.case.experiment for trial in trials))
    for experiment in experiments:
        yield Text()
        if len(experiments) > 1:
            yield Text(words.plain(experiment), "bold")
        view = view_of(experiment)
        yield _trials(view, [trial for trial in trials if trial.case.experiment == experiment])
        yield Paragraph(Text(f"{view.trials.about} {SWITCHES}", "dim"))


def _trials(view: View, trials: Sequence[Trial]) -> Grid:
    warmups = words.tells_warmups(trial.case.warmup.text for trial in trials)
    columns = (
        Column(name="round", head="round", naming=True, numbers=True),
        MECHANISM,
        RUNTIME,
        *([THREADS] if view.tells_threads else []),
        PLACEMENT,
        *([WARMUP] if warmups else []),
        *view.trials.columns,
        Column(name="slept", head="slept", above="switches", leave_out=2),
        Column(name="preempted", head="preempted", above="switches", leave_out=3),
        Column(name="took", head="took", leave_out=1),
    )
    return Grid(columns, tuple(_trial_line(view, trial, warmups=warmups) for trial in trials))


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> RenderableType:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    columns = (
        Column(name="runtime", head="runtime", naming=True, right=False, wraps=True),
        Column(name="version", head="version", right=False, naming=True, wraps=True),
    )
    lines = tuple(_runtime_line(runtime) for runtime in found)
    table = Grid(columns, lines) if lines else Text("No runtime answers.", "bold red")
    return Group(table, *without("Not usable", unusable))


def _runtime_line(runtime: Runtime) -> Line:
    names = (Text(words.plain(runtime.label), "bold"), Text(words.plain(runtime.version)))
    return Line(names, below=Text(words.plain(" ".join(runtime.command)), "dim"))


def _run_line(run: Run, ended: int) -> Line:
    took = seconds_between(run.started, run.ended)
    return Line(
        (
            Text(str(run.id), "bold"),
            Text(local_time(run.started)),
            status(run),
            Text(words.plain(run.machine.hostname)),
            Text(str(len(run.cases))),
            Text(f"{ended}/{run.rounds * len(run.cases)}"),
            Text(figures.ABSENT, "dim") if took is None else Text(figures.duration(took)),
        ),
        below=Text(words.plain(run.note), "dim") if run.note else None,
    )


def _trial_line(view: View, trial: Trial, *, warmups: bool) -> Line:
    case, result = trial.case, trial.result
    names = (
        Text(str(trial.round), "dim"),
        Text(words.mechanism(case), "bold"),
        Text(words.plain(case.runtime)),
        *([Text(str(case.threads))] if view.tells_threads else []),
        Text(words.standing(case)),
        *([Text(case.warmup.text)] if warmups else []),
    )
    if result is None:
        failure = trial.failure
        why = f"{words.plain(failure.code)}: {words.plain(failure.message)}" if failure else "no result"
        return Line(names, Text(why, "red"))
    slept = sum(thread.voluntary_switches for thread in result.threads)
    preempted = sum(thread.involuntary_switches for thread in result.threads)
    return Line(
        (
            *names,
            *view.trials.cells(result),
            Text(f"{slept:,}"),
            Text(f"{preempted:,}"),
            Text(figures.duration(trial.wall_ns / 1e9)),
        )
    )
