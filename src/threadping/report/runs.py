"""What was measured before, and what there is to measure with."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.contract import SignalResult
from threadping.model import Run, Runtime, Skipped, Trial
from threadping.report import figures, words
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.heading import local_time, seconds_between, status
from threadping.report.layout import Paragraph
from threadping.report.remarks import without

ABOUT_TRIALS = (
    "mean: all that the trial measured; fastest and slowest: whole blocks; max: a single round trip, halved, with a "
    "reading of the clock in it; switches: how often the threads slept or were preempted."
)


def runs_table(runs: Sequence[tuple[Run, int]]) -> RenderableType:
    """List runs, each with the number of its trials that ended."""
    if not runs:
        return Text("No run is stored yet. `threadping run` measures one.")
    columns = (
        Column(name="run", head="run", naming=True),
        Column(name="started", head="started", naming=True, right=False),
        Column(name="status", head="status", naming=True, right=False),
        Column(name="host", head="host", naming=True, right=False, wraps=True),
        Column(name="cases", head="cases", leave_out=1),
        Column(name="trials", head="trials"),
        Column(name="took", head="took", leave_out=2),
    )
    return Grid(columns, tuple(_run_line(run, ended) for run, ended in runs))


def trials_table(run: Run, trials: Sequence[Trial]) -> RenderableType:
    """List the trials of a run that ended, each by itself."""
    title = Text.assemble(
        (f"run {run.id}", "bold"),
        f", {local_time(run.started)}, ",
        status(run),
        f": {len(trials)} of {words.counted(run.rounds * len(run.cases), 'trial')} ended",
    )
    if not trials:
        return title
    one_way = "one-way latency"
    warmups = words.tells_warmups(trial.case.warmup.text for trial in trials)
    columns = (
        Column(name="round", head="round", naming=True),
        Column(name="mechanism", head="mechanism", naming=True, wraps=True, right=False),
        Column(name="runtime", head="runtime", naming=True, wraps=True, right=False),
        Column(name="placement", head="placement", naming=True, right=False),
        *([Column(name="warm-up", head="warm-up", naming=True, right=False)] if warmups else []),
        Column(name="mean", head="mean", above=one_way),
        Column(name="fastest block", head="fastest", above=one_way, leave_out=6),
        Column(name="slowest block", head="slowest", above=one_way, leave_out=7),
        Column(name="max", head="max", above=one_way, leave_out=5),
        Column(name="CPU time per hand-over", above="hand-over", head="CPU time", leave_out=4),
        Column(name="slept", head="slept", above="switches", leave_out=2),
        Column(name="preempted", head="preempted", above="switches", leave_out=3),
        Column(name="took", head="took", leave_out=1),
    )
    lines = tuple(_trial_line(trial, warmups=warmups) for trial in trials)
    return Group(Paragraph(title), Text(), Grid(columns, lines), Paragraph(Text(ABOUT_TRIALS, "dim")))


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


def _trial_line(trial: Trial, *, warmups: bool) -> Line:
    case, result = trial.case, trial.result
    names = (
        Text(str(trial.round), "dim"),
        Text(words.mechanism(case), "bold"),
        Text(words.plain(case.runtime)),
        Text(words.placement(case.placement.name, case.placement.cpus, case.placement.pin)),
        *([Text(case.warmup.text)] if warmups else []),
    )
    if result is None:
        failure = trial.failure
        why = f"{words.plain(failure.code)}: {words.plain(failure.message)}" if failure else "no result"
        return Line(names, Text(why, "red"))
    blocks = [b / 2 for line in result.blocks.lines for b in line] if isinstance(result, SignalResult) else []
    ops = result.measured.ops
    cpu_ns = sum(thread.cpu_ns for thread in result.threads)
    slept = sum(thread.voluntary_switches for thread in result.threads)
    preempted = sum(thread.involuntary_switches for thread in result.threads)
    return Line(
        (
            *names,
            figures.styled_time(result.measured.ns / ops if ops else None, "bold"),
            figures.styled_time(min(blocks, default=None)),
            figures.styled_time(max(blocks, default=None)),
            figures.styled_time(result.timed.values_ns[-1] / 2 if result.timed.values_ns else None),
            figures.styled_time(cpu_ns / ops if ops else None),
            Text(f"{slept:,}"),
            Text(f"{preempted:,}"),
            Text(figures.duration(trial.wall_ns / 1e9)),
        )
    )
