"""What stands above an answer: which run, on which machine, of what; and, at its end, all there is to know of it."""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.kinds import cores_by_kind
from threadping.model.run import Machine, Run, RunStatus
from threadping.proposals import proposed
from threadping.sheets.grid import Block, Flow, Labelled
from threadping.sheets.names import plain

ALIGNED = 50
"""What longer commands show does not stand below that of the others."""

STATUS_STYLES: dict[RunStatus, str] = {
    "complete": "green",
    "running": "cyan",
    "interrupted": "yellow",
    "failed": "bold red",
}


TIMES = {1: "once", 2: "twice"}

LONGEST_OVERDUE_S = 3600.0
"""A run lasts no longer than twice its budget; so much more, and the clock was set meanwhile."""


def heading(answer: Answer) -> Iterator[Block]:
    """Two lines, where they fit: the run, the machine and the runtimes; how much was measured, and what figures are."""
    run = answer.run
    yield where(run, {row.case.runtime for row in answer.rows} or None)
    failed = sum(one.observation.failure is not None for one in answer.trials)
    counts = sorted({len(row.ended) for row in answer.rows}) or [0]
    each = quantities.counted(counts[0], "trial") if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} trials"
    kinds = {found.kind for row in answer.rows if (found := row.headline)}
    cases = len({row.case for row in answer.rows}) if run.study.compared else run.number_of_cases
    parts = [f"{quantities.counted(cases, 'case')}, {each} each"]
    usual = "mean" if answer.rows and all(row.mixes for row in answer.rows) else "median"
    known = f"{usual} and 95% interval" if "ci95" in kinds else usual
    parts += [f"{known} of these {lasted}" if (lasted := took(run)) else known]
    parts += ["in brackets: the range of 3 to 5 trials"] if "range" in kinds else []
    parts += [f"until within {quantities.percent(run.until)}"] if run.until else []
    texts = [Text(part) for part in parts]
    if run.status != "complete":
        texts.append(status(run))
    if failed:
        texts.append(Text(f"{quantities.counted(failed, 'trial')} failed", "red"))
    yield Flow(texts)
    if run.note:
        yield Text(plain(run.note), STATUS_STYLES[run.status])


def where(run: Run, runtimes: Collection[str] | None = None) -> Flow:
    """The run, the machine, and the versions of these runtimes; by default of all that were to be measured."""
    if runtimes is None:
        runtimes = {case.runtime for case in run.patterns}
    kernel = re.match(r"\S+ \d+\.\d+", run.machine.kernel)
    versions = dict.fromkeys(_short(one.version) for one in run.runtimes if one.label in runtimes)
    number = f"run {run.id}" if run.id else "a run that is not stored"
    parts = [cpus(run.machine), plain(kernel[0] if kernel else run.machine.kernel), *versions]
    return Flow([Text(number, "bold"), *map(Text, [*how_often_resumed(run), *parts])])


def how_often_resumed(run: Run) -> Iterator[str]:
    """That a run was resumed; nothing if it was not."""
    if times := len(run.resumed):
        yield f"resumed {TIMES.get(times, f'{times} times')}"


def _short(version: str) -> str:
    """The product and its number: `OpenJDK 17.0.15`, of `OpenJDK 64-Bit Server VM (Debian) 17.0.15+6-Debian`."""
    number = re.search(r"\d+(\.\d+)+", version)
    return plain(f"{version.split()[0]} {number[0]}" if number else version)


def cpus(machine: Machine) -> str:
    """Name the CPUs: `AMD EPYC 9B45, 2 CPUs (KVM)`; `Intel Core Ultra 7 155H, 22 CPUs, 6 P + 8 E + 2 LP-E`."""
    topology, inside = machine.topology, machine.hypervisor
    return named_cpus(machine.cpu_model, len({*topology.allowed}), len(topology.cpus), inside, cores_by_kind(topology))


def named_cpus(model: str | None, usable: int, online: int, hypervisor: str | None, kinds: str = "") -> str:
    """Name CPUs by their model, of how many threads may use how many, their kinds, and what they are inside of."""
    number = quantities.counted(online, "CPU") if usable == online else f"{usable} of {online} CPUs"
    inside = f" ({hypervisor})" if hypervisor else ""
    return plain(", ".join(filter(None, (model or "unknown CPU", number, kinds))) + inside)


def next_commands(shows: Mapping[str, str]) -> Iterator[Block]:
    """What to type next, each command with what it shows; nothing where there is none."""
    width = max((len(command) for command in shows if len(command) <= ALIGNED), default=0)
    texts = [Text.assemble((f"{command:<{width}}", "cyan"), f"  {what}") for command, what in shows.items()]
    if texts:
        yield from (Text(), Labelled([("" if place else "Next:", text) for place, text in enumerate(texts)]))


def to_resume(run: Run) -> Mapping[str, str]:
    """The command that measures the rest of a run that stopped too soon; empty where there is none."""
    can = run.id and run.premises and run.status in ("interrupted", "failed")
    return {proposed("resume", str(run.id)): "measure what is left of it"} if can else {}


def with_budget(run: Run, budget: str) -> str:
    """The command that measured a run, with another budget."""
    pairs = zip(("", *run.arguments), run.arguments, strict=False)
    words = [one for before, one in pairs if "--budget" not in (before, one.partition("=")[0])]
    return plain(proposed(*words, "--budget", budget))


def with_room(run: Run) -> Mapping[str, str]:
    """The command that has room for the first of what the budget left out, and what that is; empty where it is all."""
    left = [(one.budget, one.what) for one in run.skipped if one.budget]
    return {with_budget(run, left[0][0]): plain(left[0][1])} if left and run.arguments and not run.imported else {}


def about(answer: Answer) -> Block:
    """Everything that was recorded of the run and the machine, each with its label."""
    run = answer.run
    rounds = f", {quantities.counted(run.rounds, 'round')}" if run.planned else ""
    plan = f"{rounds}, {quantities.counted(len(answer.trials), 'trial')}"
    return Labelled(
        [
            ("run", Text.assemble(moment(run), f"{plan}, seed {run.seed}")),
            *_resumed(run),
            ("machine", Text(", ".join(plain(part) for part in of_machine(run.machine)))),
            *of_runtimes(answer),
        ]
    )


def _resumed(run: Run) -> Iterator[tuple[str, Text]]:
    """When a run was resumed, each time with what it had measured by then."""
    texts = (
        f"{local_time(one.at)} after {quantities.counted(one.trials, 'trial')}"
        + (", the machine having been restarted" if one.restarted else "")
        for one in run.resumed
    )
    if run.resumed:
        yield "resumed", Text("; ".join(texts))


def moment(run: Run) -> Text:
    """Which run, when it began, how it ended, and how long it took."""
    after = f" after {lasted}" if (lasted := took(run)) else ""
    number = str(run.id) if run.id else "not stored"
    return Text.assemble((number, "bold"), ", ", local_time(run.started), ", ", status(run), after)


def status(run: Run) -> Text:
    """How the run ended, or that it has not."""
    return Text(run.status, STATUS_STYLES[run.status])


def local_time(iso: str) -> str:
    """A stored time in the reader's time zone; as it is stored if it is not a time."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except ValueError:
        return plain(iso)


def took(run: Run) -> str:
    """How long it measured; empty if it has not ended, or the clock was set meanwhile and no other was kept."""
    most_s = 2 * run.budget_s + LONGEST_OVERDUE_S
    if run.took_s is not None and 0 <= run.took_s <= most_s:
        return quantities.duration(run.took_s)
    try:
        lasted = datetime.fromisoformat(run.ended or "") - datetime.fromisoformat(run.started)
    except (ValueError, TypeError, OverflowError):
        return ""
    seconds = lasted.total_seconds()
    return quantities.duration(seconds) if 0 <= seconds <= most_s else ""


def of_machine(machine: Machine) -> Iterator[str]:
    """Everything that was recorded of a machine; of an imported run its name is not known."""
    known = (
        ("", machine.hostname),
        ("", cpus(machine)),
        ("", None if machine.memory_bytes is None else quantities.memory(machine.memory_bytes)),
        ("", machine.kernel),
        ("", machine.os),
        ("clock source ", machine.clock_source),
        ("governor ", machine.governor),
        ("CPU quota ", None if machine.cpu_quota is None else f"{machine.cpu_quota:g}"),
    )
    return (f"{what}{text}" for what, text in known if text)


def of_runtimes(answer: Answer) -> Iterator[tuple[str, Text]]:
    """The runtimes that were measured, and what a clock reading costs in each."""
    label = "runtimes"
    for runtime in answer.run.runtimes:
        of_it = [row for row in answer.rows if row.case.runtime == runtime.label]
        costs = [cost for row in of_it if (cost := row.value("clock_cost_ns")) is not None]
        clock = f", a clock reading takes {quantities.span(costs)}" if costs else ""
        if of_it:
            yield label, Text.assemble((plain(runtime.label), "bold"), f": {plain(runtime.version)}{clock}")
            label = ""
