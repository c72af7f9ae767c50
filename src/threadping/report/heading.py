"""What stands above the ladder: which run, which machine, and what its figures mean."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.text import Text

from threadping.model import Machine, Row, Run, RunStatus
from threadping.report import figures, words

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
    for measures in dict.fromkeys(row.measures for row in rows):
        yield "figures", Text(_meaning(measures, [row for row in rows if row.measures == measures]))


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


def _meaning(measures: str, rows: Sequence[Row]) -> str:
    """What the figures are, and what the clock does to them."""
    if measures == "one-way":
        what, share = "One-way latency is half a round trip.", "half of it is in every one-way percentile"
    else:
        what, share = f"Latency is {words.plain(measures)}.", "all of it is in every percentile"
    how = (
        "Mean and interval (95%, bootstrap) are from whole blocks, undisturbed by the clock; percentiles and max are "
        "from single round trips, each with one reading of the clock in it."
    )
    costs = _clock_costs(rows)
    return f"{what} {how} A reading costs {costs}: {share}; nothing is subtracted." if costs else f"{what} {how}"


def _clock_costs(rows: Sequence[Row]) -> str:
    by_runtime: dict[str, list[float]] = {}
    for row in rows:
        if row.clock_cost_ns is not None:
            by_runtime.setdefault(row.runtime, []).append(row.clock_cost_ns)
    by_cost: dict[str, list[str]] = {}
    for runtime, costs in sorted(by_runtime.items()):
        by_cost.setdefault(_span(costs), []).append(words.plain(runtime))
    if len(by_cost) == 1:
        return next(iter(by_cost))
    return " and ".join(f"{cost} ({', '.join(runtimes)})" for cost, runtimes in by_cost.items())


def _span(values: Sequence[float]) -> str:
    low, high = figures.time(min(values)), figures.time(max(values))
    return low if low == high else f"{low.removesuffix(high[-3:])}{figures.TO}{high}"
