"""What stands above the ladder: which run, which machine, which runtimes; each thing once."""

from collections.abc import Container, Iterator, Sequence
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from threadping import numbers, quantities
from threadping.analysis.declaration import Fact
from threadping.analysis.states import States
from threadping.model import Machine, Row, Run, RunStatus
from threadping.relation import relation, usable
from threadping.views.terminal import verdicts
from threadping.views.terminal.lists import labelled
from threadping.views.terminal.names import plain
from threadping.views.terminal.rungs import Said

STYLES: dict[RunStatus, str] = {"complete": "green", "running": "cyan", "interrupted": "yellow", "failed": "bold red"}


def heading(run: Run, rows: Sequence[Row], said: Sequence[Said], states: States) -> RenderableType:
    """Each thing to know with its label; `said` are the verdicts on the machine, `states` those that it was in."""
    told = {fact for one in said for verdict in one.verdicts.values() for fact in verdict.facts.values()}
    return labelled(
        [
            ("run", Text.assemble(moment(run), _plan(run, rows))),
            *([("note", Text(plain(run.note), STYLES[run.status]))] if run.note else []),
            ("machine", Text(", ".join(plain(part) for part in _machine(run.machine, told)))),
            *(("", verdicts.line(one)) for one in said),
            *_apart(run.machine, states),
            *_runtimes(run, rows),
        ]
    )


def moment(run: Run) -> Text:
    """Which run, when it began, how it ended, and how long it took."""
    took = seconds(run)
    after = "" if took is None else f" after {quantities.duration(took)}"
    number = str(run.id) if run.id else "not stored"
    return Text.assemble((number, "bold"), ", ", local_time(run.started), ", ", status(run), after)


def status(run: Run) -> Text:
    """How the run ended, or that it has not."""
    return Text(run.status, STYLES[run.status])


def local_time(iso: str) -> str:
    """A stored time in the zone of whoever reads it; as it is stored if it is not a time."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except ValueError:
        return plain(iso)


def seconds(run: Run) -> float | None:
    """How long it took, if it has ended."""
    try:
        return (datetime.fromisoformat(run.ended or "") - datetime.fromisoformat(run.started)).total_seconds()
    except (ValueError, TypeError):
        return None


def _plan(run: Run, rows: Sequence[Row]) -> str:
    beside = {row.case: (row.failed_trials, row.crossed_trials) for row in rows}
    failed = sum(of_case for of_case, _ in beside.values())
    ended = sum(row.trials for row in rows) + sum(map(sum, beside.values()))
    trials = quantities.counted(ended, "trial")
    planned = f"{quantities.counted(run.rounds, 'round')} of {quantities.counted(len(run.cases), 'case')}"
    return f", {planned}, {trials}{f' ({failed:,} failed)' if failed else ''}, seed {run.seed}"


def _machine(machine: Machine, told: Container[Fact]) -> Iterator[str]:
    """What the machine tells of itself, but for what a verdict says."""
    usable, online = len(set(machine.topology.allowed)), len(machine.topology.cpus)
    yield machine.hostname
    yield machine.cpu_model or "CPU model not told"
    yield quantities.counted(online, "CPU") if usable == online else f"{usable} of {online} CPUs"
    if machine.memory_bytes is not None:
        yield quantities.memory(machine.memory_bytes)
    yield machine.kernel
    if machine.os:
        yield machine.os
    settings = {"clock source": machine.clock_source, "governor": machine.governor, "CPU quota": machine.cpu_quota}
    yield from (f"{name} {value}" for name, value in settings.items() if value is not None and value not in told)


def _apart(machine: Machine, states: States) -> Iterator[tuple[str, Text]]:
    """How far each pair of CPUs stood apart, for how much of the time, and what the system says they share."""
    label, cpus = "pings", usable(machine.topology)
    for pair in states.pairs:
        found = states.of_pair(pair)
        times = [f"{quantities.time(state.core_to_core_ns)} apart" for state in found[:1]]
        times += [quantities.time(state.core_to_core_ns) for state in found[1:]]
        if len(found) > 1:
            shares = [quantities.percent(state.share) for state in found]
            times = [f"{time} {share}" for time, share in zip(times, shares, strict=True)]
            times[0] += " of the time"
        name = relation(*(cpus[cpu] for cpu in pair)) if cpus.keys() >= set(pair) else "nothing"
        called = f" (the system calls {'them' if len(found) < 2 else 'both' if len(found) == 2 else 'all'} {name})"
        yield label, Text.assemble((numbers.pair(pair), "bold"), f": {', '.join(times) or 'in no state'}{called}")
        label = ""


def _runtimes(run: Run, rows: Sequence[Row]) -> Iterator[tuple[str, Text]]:
    """The runtimes that were measured, and what a clock reading costs in each."""
    label = "runtimes"
    for runtime in run.runtimes:
        of_it = [row for row in rows if row.case.runtime == runtime.label]
        costs = [row.figures["clock_cost_ns"] for row in of_it if "clock_cost_ns" in row.figures]
        clock = f", clock reading {quantities.span(costs)}" if costs else ""
        if of_it:
            yield label, Text.assemble((plain(runtime.label), "bold"), f": {plain(runtime.version)}{clock}")
            label = ""
