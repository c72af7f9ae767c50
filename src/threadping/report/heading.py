"""What stands above the ladder: which run, which machine, and what its figures mean."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.text import Text

from threadping.model import Machine, Row, Run, RunStatus
from threadping.report import figures, words
from threadping.report.views import view_of

STATUS_STYLES: dict[RunStatus, str] = {
    "complete": "green",
    "running": "cyan",
    "interrupted": "yellow",
    "failed": "bold red",
}


def heading(run: Run, rows: Sequence[Row]) -> Iterator[tuple[str, Text]]:
    """Each thing to know with its label."""
    yield "run", _run(run)
    if run.note:
        yield "note", Text(words.plain(run.note), STATUS_STYLES[run.status])
    yield "machine", Text(_machine(run.machine))
    yield "system", Text(_system(run.machine))
    if runtimes := _runtimes(run, rows):
        yield "runtimes", Text(runtimes)
    yield "trials", Text(_trials(run, rows))
    for experiment in dict.fromkeys(row.experiment for row in rows):
        for label, meaning in view_of(experiment).meaning([row for row in rows if row.experiment == experiment]):
            yield label, Text(meaning)


def status(run: Run) -> Text:
    """How the run ended, or that it has not."""
    return Text(run.status, STATUS_STYLES[run.status])


def local_time(iso: str) -> str:
    """A stored time in the zone of whoever reads it; as it is stored if it is not a time."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except ValueError:
        return words.plain(iso)


def seconds_between(started: str, ended: str | None) -> float | None:
    """How long it took, if it has ended."""
    try:
        return (
            None if ended is None else (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
        )
    except (ValueError, TypeError):
        return None


def _run(run: Run) -> Text:
    name = Text(str(run.id) if run.id else "not stored", "bold")
    took = seconds_between(run.started, run.ended)
    after = f" after {figures.duration(took)}" if took is not None else ""
    details = f"threadping {words.plain(run.version)}, seed {run.seed}"
    return Text.assemble(name, f", {local_time(run.started)}, ", status(run), f"{after}, {details}")


def _machine(machine: Machine) -> str:
    usable = len(set(machine.topology.allowed))
    online = len(machine.topology.cpus)
    cpus = f"{usable} of {online} CPUs may be used" if usable != online else words.counted(online, "CPU")
    told = [machine.hostname, machine.cpu_model or "CPU model not told", cpus]
    if machine.memory_bytes is not None:
        told.append(figures.memory(machine.memory_bytes))
    return ", ".join(words.plain(part) for part in told)


def _system(machine: Machine) -> str:
    told = [machine.kernel, f"hypervisor {machine.hypervisor}" if machine.hypervisor else "no hypervisor seen"]
    if machine.os:
        told.append(machine.os)
    if machine.clock_source:
        told.append(f"clock source {machine.clock_source}")
    if machine.governor:
        told.append(f"governor {machine.governor}")
    if machine.cpu_quota is not None:
        told.append(f"quota {machine.cpu_quota:g} CPUs")
    return ", ".join(words.plain(part) for part in told)


def _runtimes(run: Run, rows: Sequence[Row]) -> str:
    used = {row.runtime for row in rows}
    told = [
        f"{runtime.label}: {runtime.version}" for runtime in run.runtimes if runtime.label in used and runtime.version
    ]
    return "; ".join(words.plain(part) for part in told)


def _trials(run: Run, rows: Sequence[Row]) -> str:
    """Rounds, and what came of their trials."""
    measured, failed = sum(row.trials for row in rows), sum(row.failed_trials for row in rows)
    planned = f"{words.counted(run.rounds, 'round')} of {words.counted(len(run.cases), 'case')} planned"
    return f"{planned}: {words.counted(measured, 'trial')} measured, {failed:,} failed"
