"""The lines above rows: the run, its machine, what it covers and what it left out."""

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from math import prod

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.questions import axes_of
from threadping.model import quantities
from threadping.model.base import Record, gathered
from threadping.model.cases import GROUPS, Case, with_unit
from threadping.model.quantities import counted
from threadping.model.run import Machine, Run, RunStatus
from threadping.model.text import plain, proposed
from threadping.output.layout import Block, Flow, Labelled
from threadping.probes.placements import cores_by_kind

MAX_COUNTED, MAX_NAMED, MAX_GROUPS = 2, 4, 6
"""Maximum number of names before a sentence counts them, of names in a list, and of groups of cases that are listed."""


class Coverage(Struct, frozen=True):
    """The cases that were asked for, and those of them that were measured."""

    measured: Sequence[Case]  # the cases that have a trial
    left_out: Sequence[Case]  # the cases that did not fit into the budget

    @property
    def asked(self) -> int:
        return len(self.measured) + len(self.left_out)

    @property
    def clause(self) -> str:
        """Return how much was measured: `measured 3 of 16: 1 and 4 threads of java-17`; empty if all was."""
        if not self.left_out:
            return ""
        axes = self._axes()
        points = {tuple(axes_of(case).get(axis) for axis in axes) for case in self.measured}
        is_whole = prod(len({*values}) for values in zip(*points, strict=True)) == len(points)
        what = _written(axes, self.measured, "and" if is_whole else "or", " of ", counts=True)
        return f"measured {len(self.measured)} of {self.asked}{': ' * bool(what)}{what}"

    @property
    def groups(self) -> list[str]:
        """Return what was left out, like cases together: `2 and 3 threads: java-17 and java-25 (4 cases)`."""
        axes, found = self._axes(), []
        for cases in _together(self.left_out, axes):
            what = _written(axes, cases, "and", ": ") or cases[0].title
            found.append(f"{what} ({counted(len(cases), 'case')})")
        return found

    def _axes(self) -> list[str]:
        """The axes in which the cases differ, threads first, without those whose values follow from others."""
        points = [axes_of(case) for case in (*self.measured, *self.left_out)]
        axes: list[str] = []
        known = 1
        for axis in dict.fromkeys(axis for point in points for axis in point):
            found = len({tuple(map(point.get, (*axes, axis))) for point in points}) if known < len(points) else known
            if found > known:
                axes, known = [*axes, axis], found
        return sorted(axes, key=lambda axis: axis != "threads")


def coverage_of(answer: Answer) -> Coverage:
    """Return how much a run measured of what was asked for; a comparison's cases are those of A."""
    run, tried = answer.run, {one.observation.case for one in answer.trials}
    if of := run.study.compared:
        is_measured = {run.cases[a]: not tried.isdisjoint((run.cases[a], run.cases[b])) for a, b in sorted(of.pairs)}
    else:
        is_measured = {case: case in tried for case in (*run.cases, *run.left_out)}
    missing = [case for case, measured in is_measured.items() if not measured] if of or run.left_out else ()
    return Coverage([case for case, measured in is_measured.items() if measured], missing)


def with_coverage(answer: Answer, sentence: str = "") -> str:
    """Begin a sentence, or an empty one, with how much was measured, if something was left out."""
    clause = plain(coverage_of(answer).clause)
    return "; ".join(filter(None, (clause and f"M{clause[1:]}", sentence)))


def not_measured(answer: Answer) -> Iterator[Block]:
    """List the cases that were asked for and not measured; nothing if there are none."""
    covered = coverage_of(answer)
    if covered.left_out:
        groups = covered.groups
        more = [f"and {len(groups) - MAX_GROUPS} more"] if len(groups) > MAX_GROUPS else []
        yield Text("\nLeft out", "bold")
        yield Labelled([("-", Text(plain(text))) for text in (*groups[:MAX_GROUPS], *more)])


class CoverageEntry(Record, frozen=True):
    """The number of cases that were asked for and measured, and the titles of those that the budget left out."""

    asked: int
    measured: int
    left_out: list[str]


def coverage_entry(answer: Answer) -> CoverageEntry:
    """Return what JSON has of how much was measured."""
    found = coverage_of(answer)
    return CoverageEntry(found.asked, len(found.measured), [plain(case.title) for case in found.left_out])


def _together(cases: Sequence[Case], axes: Sequence[str]) -> list[list[Case]]:
    boxes: dict[tuple[tuple[Hashable, ...], ...], list[Case]]
    boxes = gathered((tuple((axes_of(case).get(axis),) for axis in axes), case) for case in cases)
    for place in range(len(axes)):
        alike = gathered(((box[:place], box[place + 1 :]), (box[place], of)) for box, of in boxes.items())
        boxes = {
            (*before, tuple(value for values, _ in several for value in values), *after): [
                case for _, of in several for case in of
            ]
            for (before, after), several in alike.items()
        }
    return list(boxes.values())


def _written(axes: Sequence[str], cases: Sequence[Case], last: str, behind: str, *, counts: bool = False) -> str:
    """Write the values of cases on each axis; `behind` replaces the comma after their number of threads."""
    first, *others = [_on_axis(axis, cases, last, counts=counts) for axis in axes] if axes and cases else [""]
    return (behind if axes[:1] == ["threads"] else ", ").join(filter(None, (first, ", ".join(filter(None, others)))))


def _on_axis(axis: str, cases: Sequence[Case], last: str, *, counts: bool = False) -> str:
    """Write the values on one axis, of many the ends or the first: `1 and 4 threads`, `rate=1k and 10k`."""
    found = list(dict.fromkeys(value for case in cases if (value := axes_of(case).get(axis)) is not None))
    numbers = sorted(value for value in found if isinstance(value, int))
    texts = (
        [with_unit(axis.removesuffix("="), one) for one in numbers]
        if len(numbers) == len(found)
        else [*map(str, found)]
    )
    if numbers and len(texts) > MAX_NAMED:
        texts, last = [texts[0], texts[-1]], "to"
    elif counts and not numbers and len(texts) > MAX_COUNTED:
        texts = [counted(len(texts), axis.removesuffix("="))]
    elif len(texts) > MAX_NAMED:
        texts = [*texts[: MAX_NAMED - 1], f"{len(texts) - MAX_NAMED + 1} more"]
    *but, end = texts or [""]
    joined = f"{', '.join(but)} {last} {end}" if but else end
    if axis == "threads":
        return joined + f" {GROUPS[cases[0].group]}" + "s" * (texts != ["1"])
    return f"next to {joined} busy threads" if axis == "busy" else axis * axis.endswith("=") + joined


ALIGNED = 50  # maximum length of a command that is aligned with the others

STATUS_STYLES: dict[RunStatus, str] = {
    "complete": "green",
    "running": "cyan",
    "interrupted": "yellow",
    "failed": "bold red",
}

TIMES = {1: "once", 2: "twice"}
LONGEST_OVERDUE_S = 3600.0  # A run lasts no longer than twice its budget; so much more, and the clock was set meanwhile


def heading(answer: Answer) -> Iterator[Block]:
    run = answer.run
    yield where(run, {row.case.runtime for row in answer.rows} or None)
    failed = sum(one.observation.failure is not None for one in answer.trials)
    counts = sorted({len(row.ended) for row in answer.rows}) or [0]
    each = quantities.counted(counts[0], "trial") if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} trials"
    kinds = {found.kind for row in answer.rows if (found := row.headline)}
    cases = len({row.case for row in answer.rows}) if run.study.compared else run.number_of_cases
    parts = [f"{quantities.counted(cases, 'case')}, {each} each"]
    usual = "mean" if answer.rows and all(row.declared.mixes(row.case) for row in answer.rows) else "median"
    over_runs = any(row.between_runs for row in answer.rows)
    spread = ", 95% interval " + ("over like runs" if over_runs else "within this run")
    spread = spread if over_runs or "ci95" in kinds else ", range" if "range" in kinds else ""
    parts += [usual + spread + " (3-5 trials: range)" * ({"ci95", "range"} <= kinds)]
    parts += [lasted] if (lasted := took(run)) else []
    parts += [f"until within {quantities.percent(run.until)}"] if run.until else []
    texts = [Text(part) for part in parts]
    if run.status != "complete":
        texts.append(status(run))
    if failed:
        texts.append(Text(f"{quantities.counted(failed, 'trial')} failed", "red"))
    yield Flow(texts)
    if run.note:
        yield Text(plain(run.note), "yellow")  # whatever it is, the run is not what was planned


def where(run: Run, runtimes: Collection[str] | None = None) -> Flow:
    """The run, the machine, and the versions of these runtimes; by default of all that were to be measured."""
    if runtimes is None:
        runtimes = {case.runtime for case in run.patterns}
    kernel = re.match(r"\S+ \d+\.\d+", run.machine.kernel)
    # the product and its number: `OpenJDK 17.0.15`, of `OpenJDK 64-Bit Server VM (Debian) 17.0.15+6-Debian`
    numbered = ((one.version, re.search(r"\d+(\.\d+)+", one.version)) for one in run.runtimes if one.label in runtimes)
    versions = dict.fromkeys(plain(f"{of.split()[0]} {number[0]}" if number else of) for of, number in numbered)
    number = f"run {run.id}" if run.id else "a run that is not stored"
    parts = [cpus(run.machine), plain(kernel[0] if kernel else run.machine.kernel), *versions]
    times = len(run.resumed)
    resumed = [f"resumed {TIMES.get(times, f'{times} times')}"] if times else []
    return Flow([Text(number, "bold"), *map(Text, [*resumed, *parts])])


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
    """List what to type next, each command with what it shows; nothing where there is none."""
    width = max((len(command) for command in shows if len(command) <= ALIGNED), default=0)
    texts = [Text.assemble((f"{command:<{width}}", "cyan"), f"  {what}") for command, what in shows.items()]
    if texts:
        yield from (Text(), Labelled([("" if place else "Next:", text) for place, text in enumerate(texts)]))


def to_resume(run: Run) -> Mapping[str, str]:
    """The command that measures the rest of a run that stopped too soon; empty where there is none."""
    can = run.id and run.premises and run.status in ("interrupted", "failed")
    return {proposed("runs", "resume", str(run.id)): "measure what is left of it"} if can else {}


def with_budget(run: Run, budget: str) -> str:
    """The command that measured a run, with another budget."""
    pairs = zip(("", *run.arguments), run.arguments, strict=False)
    words = [one for before, one in pairs if "--budget" not in (before, one.partition("=")[0])]
    return plain(proposed(*words, "--budget", budget))


def with_room(run: Run) -> Mapping[str, str]:
    """Return the command whose budget fits the first cases that were left out, and these; empty if none were."""
    left = [(one.budget, one.what) for one in run.skipped if one.budget]
    return {with_budget(run, left[0][0]): plain(left[0][1])} if left and run.arguments and not run.imported else {}


def about(answer: Answer) -> Block:
    run = answer.run
    rounds = f", {quantities.counted(run.rounds, 'round')}" if run.planned else ""
    plan = f"{rounds}, {quantities.counted(len(answer.trials), 'trial')}"
    resumed = [
        f"{local_time(one.at)} after {quantities.counted(one.trials, 'trial')}"
        + (", the machine having been restarted" if one.restarted else "")
        for one in run.resumed
    ]
    begun = ("run", Text.assemble(moment(run), f"{plan}, seed {run.seed}"))
    again = [("resumed", Text("; ".join(resumed)))] if resumed else []
    return Labelled([begun, *again, *of_machine(answer)])


def moment(run: Run) -> Text:
    """Say which run it is, when it began, how it ended, and how long it took."""
    after = f" after {lasted}" if (lasted := took(run)) else ""
    number = str(run.id) if run.id else "not stored"
    return Text.assemble((number, "bold"), ", ", local_time(run.started), ", ", status(run), after)


def status(run: Run) -> Text:
    """Say how the run ended, or that it has not."""
    return Text(run.status, STATUS_STYLES[run.status])


def local_time(iso: str) -> str:
    """Return a stored time in the reader's time zone; unchanged if it is not a time."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except ValueError:
        return plain(iso)


def took(run: Run) -> str:
    """Return how long it measured; empty while it runs, or if the clock was set and no other was kept."""
    most_s = 2 * run.budget_s + LONGEST_OVERDUE_S
    if run.took_s is not None and 0 <= run.took_s <= most_s:
        return quantities.duration(run.took_s)
    try:
        lasted = datetime.fromisoformat(run.ended or "") - datetime.fromisoformat(run.started)
    except (ValueError, TypeError, OverflowError):
        return ""
    seconds = lasted.total_seconds()
    return quantities.duration(seconds) if 0 <= seconds <= most_s else ""


def of_machine(answer: Answer) -> Iterator[tuple[str, Text]]:
    """Yield what is known of the machine, the runtimes that were measured, and what a clock reading costs in each."""
    machine = answer.run.machine
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
    yield "machine", Text(", ".join(plain(f"{what}{text}") for what, text in known if text))
    label = "runtimes"
    for runtime in answer.run.runtimes:
        of_it = [row for row in answer.rows if row.case.runtime == runtime.label]
        costs = [cost for row in of_it if (cost := row.value("clock_cost_ns")) is not None]
        clock = f", a clock reading takes {quantities.span(costs)}" if costs else ""
        if of_it:
            yield label, Text.assemble((plain(runtime.label), "bold"), f": {plain(runtime.version)}{clock}")
            label = ""
