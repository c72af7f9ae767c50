"""Carry out a run: every trial is stored as it ends, Ctrl-C and a full disk lose nothing, progress goes to stderr."""

import math
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any, Self

import msgspec
from msgspec.structs import replace
from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column
from rich.text import Text

from threadping.analysis.states import StateFilter, states_of
from threadping.conduct.pings import Watch, reference_pings
from threadping.conduct.runner import INTERRUPTED, PingLog, Runner, StoredProgress
from threadping.conduct.study import PreparedRun, Study
from threadping.experiments import EXPERIMENTS
from threadping.model.bounds import read_clock
from threadping.model.cases import Case, Runtime
from threadping.model.characters import plain, visible
from threadping.model.contract import Request, Topology
from threadping.model.errors import Interrupted, StoreError, UsageError
from threadping.model.numbers import pair
from threadping.model.quantities import duration, time
from threadping.model.run import (
    Event,
    PingTaken,
    Run,
    RunEnded,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.model.topology import usable
from threadping.output import layout
from threadping.output.layout import Block, column, grid, named
from threadping.output.printing import rendered, stderr
from threadping.planning.budget import premises_of
from threadping.planning.plan import Plan
from threadping.probes.builds import build_of, loops_of
from threadping.probes.description import read_lscpu
from threadping.probes.identity import describe_machine
from threadping.probes.interrupts import as_interrupt, held_back
from threadping.probes.language import words
from threadping.probes.owner import owner_of_this_process
from threadping.store.database import open_store
from threadping.store.store import Store


class SoFar:
    """The latest core-to-core latency, and of each case the median headline of its trials until now."""

    def __init__(self) -> None:
        self._apart: tuple[str, str] | None = None
        self._figures: dict[Case, list[float]] = {}

    def saw(self, event: Event) -> None:
        """Learn what a ping or a trial has found; a trial that failed still gives its case a row."""
        match event:
            case PingTaken(ping) if ping.ns is not None:
                self._apart = f"core to core, {pair(ping.cpus)}", time(ping.ns)
            case TrialEnded(_, observation):
                figures = self._figures.setdefault(observation.case, [])
                headline = EXPERIMENTS[observation.case.experiment].figures.headline_of(observation.case)
                figures.extend([observation.figures[headline]] if headline in observation.figures else [])

    def rows(self, most: int) -> Block | None:
        """Return at most `most` rows, of the latest cases; None while nothing is known."""
        found = [(self._apart[0], Text(self._apart[1]), "")] if self._apart else []
        for case in list(self._figures)[-most:]:
            declared = EXPERIMENTS[case.experiment].figures
            if values := self._figures[case]:
                middle = layout.figure(declared.figure(declared.headline_of(case)).unit, median(values))
                found.append((plain(case.title), middle, str(len(values))))
        if not found:
            return None
        figures = column("median", itemgetter(1)), column("trials", itemgetter(2), "dim")
        return grid(found[-most:], named("so far", itemgetter(0)), *figures, rule=False)


AROUND = 7  # lines of a terminal below the figures so far: earlier output, the bar, two headings and the prompt


class Progress:
    """The progress of one run on stderr: on a terminal a bar and the figures so far, elsewhere a line for each round.

    Neither the time left nor the number of trials grows: where trials take longer than expected they stay as they are.
    No thread refreshes the bar: it moves when a trial begins, before its process is started.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or stderr()
        self._waiting = False
        self._failed = self._round = 0
        self._whole_s, self._left_s, self._trials = 0.0, math.inf, math.inf
        self._live = self._console.is_interactive and self._console.file.isatty()
        self._so_far = SoFar()
        self._bar = _Bar(self._so_far, self._console, shown=self._live)
        self._task = self._bar.add_task("", total=1, count="", left="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def saw(self, event: Event) -> None:
        """Show that a trial begins, or what a ping found; count failures, which the next one shows."""
        self._so_far.saw(event)
        match event:
            case TrialBegins():
                self._begins(event)
            case PingTaken(ping, waits):
                if waits:
                    distance = "cannot be pinged" if ping.ns is None else f"{time(ping.ns)} core to core"
                    self._bar.update(self._task, description=f"waiting: {pair(ping.cpus)} {distance}")
                    line = f"waiting for the state that was asked for: {pair(ping.cpus)} {distance}"
                    self._say(line, if_new=not self._waiting)
                    self._waiting = True
                self._bar.refresh()
            case TrialEnded(_, observation):
                self._failed += observation.failure is not None

    def _begins(self, trial: TrialBegins) -> None:
        self._waiting = False
        self._left_s = min(self._left_s, trial.left_s)
        self._whole_s = self._whole_s or trial.left_s or 1.0
        failed = f", {self._failed} failed" if self._failed else ""
        self._trials = max(trial.done + 1, min(self._trials, trial.trials))
        count = f"{trial.done} of up to {self._trials} trials{failed}"
        about, what = ("at most", "block") if trial.side else ("about", "round")
        left = f"{about} {duration(max(1.0, self._left_s))} left"
        where = f"{what} {trial.round} of {trial.rounds}"
        title, done = plain(trial.case.title), 1 - self._left_s / self._whole_s
        self._bar.update(self._task, description=title, completed=done, count=count, left=left)
        self._bar.refresh()
        self._say(f"{where}: {count}, {left}", if_new=trial.round > self._round)
        self._round = trial.round

    def _say(self, line: str, *, if_new: bool) -> None:
        if if_new and not self._live:
            self._console.print(line, soft_wrap=True)


class _Bar(Bar):
    """A line, in which a long title gives way to all else, above the figures so far."""

    def __init__(self, so_far: SoFar, console: Console, *, shown: bool) -> None:
        self._so_far, self._most = so_far, max(1, console.height - AROUND)
        super().__init__(
            TextColumn("{task.fields[count]}", markup=False, table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[left]}", style="dim", markup=False, table_column=Column(no_wrap=True)),
            BarColumn(bar_width=12, table_column=Column(no_wrap=True)),
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
            console=console,
            disable=not shown,
            auto_refresh=False,
            transient=True,
            expand=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar, and below it as many rows as the terminal has lines for."""
        yield from super().get_renderables()
        rows = self._so_far.rows(self._most)
        if rows is not None:
            yield rendered(rows)


def run_of(begun: PreparedRun, note: str | None) -> Run:
    """Return the record of a run that begins now; the `note` stays with it."""
    note = " ".join(filter(None, (begun.note, note))) or None
    premises = replace(premises_of(begun.plan, begun.starts), **begun.premises)
    return Run(
        started=read_clock(),
        machine=describe_machine(begun.topology, read_lscpu()),
        runtimes=tuple(begun.runtimes),
        cases=() if begun.cases_follow else begun.plan.cases,
        skipped=begun.skipped,
        left_out=begun.left_out,
        rounds=begun.plan.rounds,
        budget_s=begun.budget_s,
        seed=begun.plan.seed,
        version=version("threadping"),
        arguments=without_store([*map(visible, sys.argv[1:])]),
        owner=owner_of_this_process(),
        until=begun.plan.until,
        study=begun.study,
        note=note,
        versions=versions_of(begun.plan.cases, begun.runtimes),
        loops=digests_of(begun.plan.cases, begun.runtimes),
        premises=replace(
            premises,
            builds={one.label: build_of(one) for one in begun.runtimes},
            note=note,
            state=begun.wanted and begun.wanted.text,
        ),
    )


def versions_of(cases: Iterable[Case], runtimes: Sequence[Runtime]) -> dict[str, str]:
    """Return the versions of the measured mechanisms; a custom one has a digest instead."""
    probes, own = {one.label: one.probe for one in runtimes}, {of.name for one in runtimes for of in one.own}
    measured = {(one.experiment, one.mechanism, probes[one.runtime]) for one in cases if one.mechanism not in own}
    return {" ".join(one): words().version(*one) for one in sorted(measured)}


def digests_of(cases: Iterable[Case], runtimes: Sequence[Runtime]) -> dict[str, str]:
    """Return the known digests of the measured timed loops."""
    loops = {one.label: loops_of(one) for one in runtimes}
    measured = {(one.experiment, one.mechanism, one.runtime) for one in cases}
    found = {" ".join(one): loops[one[2]].of(*one[:2]) for one in sorted(measured)}
    return {name: digest for name, digest in found.items() if digest}


def without_store(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments without the store, whose URL may hold a password."""
    pairs = zip(("", *arguments), arguments, strict=False)
    return tuple(one for before, one in pairs if "--store" not in (before, one.partition("=")[0]))


def execute_run(
    store: Store,
    study: Study[Any, Any],
    run: Run,
    cpp: Runtime,
    said: Block,
    wanted: StateFilter | None = None,
    past: StoredProgress | None = None,
) -> RunEnded:
    """Measure and store the trials of a run, with what is `said` before them."""
    assert run.premises
    schedule = study.schedule(run, run.premises)
    check_requests(schedule.plan, run.machine.topology)
    before = past or StoredProgress()
    if past is None:
        with held_back():
            run = store.begin(run)
    with _marked_as_interrupted(store, run), as_interrupt():
        of_machine = store.pings_of_machine(run.machine)[0] if wanted else {}
        known = states_of(*(taken for of_run, taken in of_machine.items() if of_run < run.id)).found
        last = PingLog(before.pings, run.resumed).last(len(before.trials))
        watch = Watch(partial(reference_pings, cpp), wanted, known, before.pings, last)
        runner = Runner(run, schedule, store, study.observe, watch, cpp, before)
        if past is not None:
            store.resume(run)
        stderr().print(said)
        with Progress() as progress:
            ended = _listen(runner.run(), progress)
    return _save_to_fallback_store(store, ended) if isinstance(ended.problem, StoreError) else ended


def _save_to_fallback_store(store: Store, ended: RunEnded) -> RunEnded:
    """Write a run that its store does not take into a store of its own, which the problem then names.

    It can be resumed there, unless its trials are in a store that cannot even be read.
    """
    from platformdirs import user_data_path

    trials: list[Trial] = []
    with suppress(StoreError):
        trials = [*store.trials(ended.run), *ended.unstored]
    whole = len(trials) == len(ended.observations)
    name = f"threadping-run-{ended.run.id}-{datetime.now(UTC):%Y%m%dT%H%M%S}.sqlite3"
    for folder in (user_data_path("threadping", appauthor=False), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open_store(str(folder / name)) as aside:
                run = aside.take(ended, trials if whole else ())
        except (OSError, StoreError):
            (folder / name).unlink(missing_ok=True)
            continue
        does, verb = ("resume", "goes on with it") if whole else ("show", "shows it")
        command = f"`threadping {does} {run.id} --store {shlex.quote(str(folder / name))}` {verb}"
        kept = f"All that it measured is kept in the store {folder / name}: {command}."
        return replace(ended, problem=StoreError(f"{ended.problem} {kept}"))
    return ended


def check_requests(plan: Plan, topology: Topology) -> None:
    """Refuse requests outside of the contract before anything is measured; one pair of CPUs represents all."""
    each = zip(plan.cases, plan.lengths, strict=True)
    alike = {(case.experiment, case.mechanism, case.threads, case.lines, length): case for case, length in each}
    for (*_, length), case in alike.items():
        try:
            msgspec.convert(msgspec.to_builtins(plan.request(case, length, 0, len(usable(topology)))), Request)
        except msgspec.ValidationError as error:
            raise UsageError(f"{case.title} cannot be measured so: no probe takes that ({error}).") from error


@contextmanager
def _marked_as_interrupted(store: Store, run: Run) -> Iterator[None]:
    """Ctrl-C before the first trial, or after the last, leaves no run that seems to be measured still."""
    try:
        yield
    except KeyboardInterrupt as stop:
        with held_back(dropped=True), suppress(StoreError):
            if store.run(str(run.id)).status == "running":
                store.finish(run.id, "interrupted", INTERRUPTED, run.took_s)
        raise Interrupted(interruption(run)) from stop


def _listen(events: Iterator[Event], progress: Progress) -> RunEnded:
    """Show every event until the last; Ctrl-C that meets us and not the runner is passed on to it."""
    while True:
        try:
            event = next(events)
            progress.saw(event)
        except KeyboardInterrupt as stop:
            event = events.throw(stop)  # type: ignore[attr-defined]
        if isinstance(event, RunEnded):
            return event


def interruption(run: Run) -> str:
    """Say which run is stored, and how to go on with it."""
    goes_on = "" if run.status == "complete" else f"; `threadping resume {run.id}` goes on with it"
    return f"Interrupted. Run {run.id} is stored: `threadping show {run.id}`{goes_on}."
