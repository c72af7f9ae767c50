"""Lists: of mechanisms, of runs, and of what was found of a run."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.checks import LEVELS, Finding, Level
from threadping.analysis.declaration import Row
from threadping.analysis.validity import effect_of
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import brief, meaning
from threadping.model import quantities
from threadping.model.bounds import Record
from threadping.model.cases import Case, Runtime, Skipped
from threadping.model.characters import plain
from threadping.model.contract import FIRST_VERSION, MechanismDescription, MechanismWords
from threadping.model.errors import RunDamaged
from threadping.model.grouping import gathered
from threadping.model.numbers import ranges
from threadping.model.proposals import made_literal, proposed
from threadping.model.quantities import ABSENT, counted, duration, time
from threadping.model.run import Run
from threadping.output.grid import Block, Blocks, Labelled, column, figures, grid, named, together
from threadping.output.heading import local_time, status, took


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[Block]:
    """List what is not there below a title, things with one reason together; nothing if nothing is missing."""
    things: dict[str, dict[str, None]] = {}
    for one in skipped:
        things.setdefault(plain(one.reason), {})[plain(one.what)] = None
    if things:
        yield Text(title, "bold")
        texts = [Text.assemble((", ".join(names), "bold"), f": {reason}") for reason, names in things.items()]
        yield Labelled([("-", text) for text in texts])


def runs_table(runs: Sequence[tuple[Run, int]], damaged: Sequence[RunDamaged] = ()) -> Block:
    """List runs, each with the number of its trials that ended, and below them what is wrong with damaged ones."""
    if damaged:
        said = [Text(made_literal(plain(str(one))), "red") for one in damaged]
        return Blocks.of(*([runs_table(runs)] if runs else []), *said)
    if not runs:
        return Text(made_literal("No run is stored yet. `threadping run` measures one."))
    return grid(
        named("run", (str(run.id) for run, _ in runs), "bold"),
        named("started", (local_time(run.started) for run, _ in runs)),
        named("status", (status(run) for run, _ in runs)),
        named("host", (plain(run.machine.hostname) for run, _ in runs)),
        named("measured", (_measured(run) for run, _ in runs), rank=1),
        figures("cases", "count", (run.number_of_cases for run, _ in runs), 2),
        column(
            "trials",
            (f"{ended:,}{f'/{run.planned:,}' if run.planned and ended < run.planned else ''}" for run, ended in runs),
        ),
        column("took", (took(run) or Text(quantities.ABSENT, "dim") for run, _ in runs), rank=3),
        below={place: Text(plain(run.note), "dim") for place, (run, _) in enumerate(runs) if run.note},
    )


def _measured(run: Run) -> str:
    """The study, where its runs have a name, and the experiments."""
    experiments = dict.fromkeys(plain(case.experiment) for case in run.patterns)
    return " ".join(filter(None, (run.study.name, ", ".join(experiments))))


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> Block:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    table = grid(
        named("runtime", (plain(one.label) for one in found), "bold"),
        named("version", (plain(one.version) for one in found)),
        below={place: Text(plain(" ".join(one.command)), "dim") for place, one in enumerate(found)},
    )
    return Blocks.of(table if found else Text("No runtime answers.", "bold red"), *reasons("\nNot usable", unusable))


def announced(what: str, how: str, seconds: float, room: str = "", missing: Sequence[Skipped] = ()) -> Block:
    """Say what will be done, in two lines.

    Args:
        what: stands out.
        how: what it consists of, up to how long it takes.
        seconds: that.
        room: for what there is time.
        missing: what was asked for by name and is not measured; all else stands below the answer.
    """
    end = f"{room}. Ctrl-C ends it early and keeps what was measured."
    line = Text.assemble((what, "bold"), how, (duration(seconds), "bold"), end)
    return Blocks.of(line, *reasons("Not measured", missing))


def announcement(
    cases: Sequence[Case],
    trials: int,
    trial_s: float,
    seconds: float,
    missing: Sequence[Skipped] = (),
    left_out: int = 0,
) -> Block:
    """Say what a plan will do.

    `trial_s` is what a trial takes in seconds, without the start of its process; `seconds` what the whole takes;
    `left_out` how many cases more were asked for.
    """
    of = _several(plain(case.experiment) for case in cases)
    on = _several(plain(case.runtime) for case in cases)
    part = f"{len(cases)} of " if left_out else ""
    how = (
        f": {part}{counted(len(cases) + left_out, 'case')}, {counted(trials, 'trial')} of {time(trial_s * 1e9)}, about "
    )
    return announced(f"Measuring {of} in {on}", how, seconds, missing=missing)


def _several(texts: Iterable[str]) -> str:
    *but, last = dict.fromkeys(texts)
    return f"{', '.join(but)} and {last}" if but else last


MECHANISM_COLUMNS = ("mechanism", "waits", "timed", "runtimes", "version", "parameters")


class Having(Struct, frozen=True):
    """A mechanism of an experiment, as a runtime's probe describes it; what is timed and said of it, its version.

    `loop` is the digest of its timed loops as they were compiled; empty where it is not known.
    """

    experiment: str
    runtime: str
    mechanism: MechanismDescription
    timed: str
    words: MechanismWords | None
    version: str = FIRST_VERSION
    loop: str = ""


@together
def mechanisms_table(having: Sequence[Having], unusable: Sequence[Skipped]) -> Iterator[Block]:
    """List the mechanisms of each experiment with the runtimes that have them, and the runtimes that do not answer."""
    for number, experiment in enumerate(dict.fromkeys(one.experiment for one in having)):
        yield Text(f"{chr(10) if number else ''}{plain(experiment)}", "bold")
        yield from _table([one for one in having if one.experiment == experiment])
    yield from reasons("\nNot usable", unusable)


def _table(having: Sequence[Having]) -> Iterator[Block]:
    """The mechanisms of one experiment; what several or all have in common is said once, above."""
    by_name = gathered((one.mechanism.name, one) for one in having)
    rows = [_row(same) for same in by_name.values()]
    places = range(len(MECHANISM_COLUMNS))
    alike = [place for place in places if len(rows) > 1 and len({row[place] for row in rows}) == 1]
    common = "; ".join(f"{MECHANISM_COLUMNS[place]} {rows[0][place]}" for place in alike if place != places[-1])
    params = [("" if number else "params", Text(text)) for number, text in enumerate(_params(having))]
    yield Labelled([*([("all", Text(common))] if common else []), *params])
    said = [next((one.words for one in same if one.words), None) for same in by_name.values()]
    yield grid(
        *[
            named(MECHANISM_COLUMNS[place], (row[place] for row in rows), "" if place else "bold")
            for place in places
            if place not in alike
        ],
        below={
            place: Text(plain(f"{words.summary} {words.costs}"), "dim") for place, words in enumerate(said) if words
        },
    )


def _row(same: Sequence[Having]) -> tuple[str, ...]:
    """What stands under each of NAMES for one mechanism."""
    mechanism = same[0].mechanism
    return (
        plain(mechanism.name),
        "sleeps" if mechanism.blocking else "spins",
        plain(same[0].timed),
        ", ".join(_runtime(one) for one in same),
        _versions(same),
        plain(", ".join(dict.fromkeys(param.name for one in same for param in one.mechanism.params))) or ABSENT,
    )


def _versions(same: Sequence[Having]) -> str:
    """The version, or that of each runtime where they differ: `1.0.0, rust 2.0.0`."""
    (usual, _), *others = gathered((one.version, one.runtime) for one in same).items()
    return plain(", ".join([usual, *(f"{runtime} {version}" for version, of in others for runtime in of)]))


def _runtime(one: Having) -> str:
    needs = f" (needs {one.mechanism.needs})" if one.mechanism.needs else ""
    return plain(f"{one.runtime}{needs}")


def _params(having: Sequence[Having]) -> Iterator[str]:
    """Every parameter as it is given, the default first: `wait=spin|pause`, `pauses=1 (1 to 10000, with wait=pause)`.

    Where it is not the same for all that have it, the mechanisms or the runtimes are named.
    """
    owners = gathered((param, one) for one in having for param in one.mechanism.params)
    for param, of in owners.items():
        mechanisms, runtimes = {one.mechanism.name: None for one in of}, {one.runtime: None for one in of}
        limits = [f"{param.range[0]} to {param.range[1]}"] if param.range else []
        if param.only_with:
            limits.append(f"with {param.only_with.param}={param.only_with.value}")
        for needed in dict.fromkeys(what for _, what in param.needs):
            limits.append(f"{', '.join(choice for choice, what in param.needs if what == needed)} needs {needed}")
        if any(other.name == param.name for other in owners if other != param):
            limits.append(f"of {', '.join(mechanisms)}")
        if any(one.mechanism.name in mechanisms and one.runtime not in runtimes for one in having):
            limits.append(f"{', '.join(runtimes)} only")
        choices = "|".join(
            [f"{param.name}={param.default}", *(one for one in param.choices or () if one != param.default)]
        )
        yield plain(f"{choices} ({', '.join(limits)})" if limits else choices)


LEVEL_MARKS: dict[Level, str] = {"error": "\N{BALLOT X}", "warning": "!", "note": "i"}
GRAVE = (LEVEL_MARKS["error"], LEVEL_MARKS["warning"])

LEVEL_STYLES: dict[Level, str] = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}

WORST_BY = ("by", "fold", "factor", "half", "share", "failed")
"""Facts by which one finding is worse than another of its code, the first that it has."""

FEW, LOAD, LOOP = "few-trials", "other-load", "harness"

SHOWN_ELSEWHERE = ("virtualised", "moved")  # Findings that every heading says in other words


class FoundOfCode(Struct, frozen=True):
    """Findings of one code and level, each with the row that it is of."""

    code: str
    level: Level
    of: Sequence[tuple[Row, Finding]]

    @property
    def worst(self) -> tuple[Row, Finding]:
        """The row of which the most is said."""
        return max(self.of, key=lambda one: _badness(one[1]))


def mark(level: Level | None) -> Text:
    """The sign that stands for a level, coloured where there are colours; nothing for None."""
    return Text(LEVEL_MARKS[level], LEVEL_STYLES[level]) if level else Text()


def grave(row: Row) -> Level | None:
    """The mark of a row: of a warning or worse, or of what forbids to rank it.

    That there are one or two trials its interval says already.
    """
    known = [one for one in row.findings if one.code != FEW]
    level = next((level for level in LEVELS[:2] if any(one.level == level for one in known)), None)
    leads = all(effect_of(one.code, one.level, "rank") != "unusable" for one in known)
    return level if level or leads else "note"


def found(rows: Iterable[Row]) -> list[FoundOfCode]:
    """What is found of these rows: the gravest first, then what is found of most."""
    together = gathered(((one.code, one.level), (row, one)) for row in rows for one in row.findings)
    everything = [FoundOfCode(code, level, of) for (code, level), of in together.items()]
    return sorted(everything, key=lambda one: (LEVELS.index(one.level), -len(one.of), one.code))


def of_rows(answer: Answer, rows: Sequence[Row]) -> Iterator[Block]:
    """A line for each code: of which rows, and the worst of them; nothing where nothing is found."""
    checks = checks_of(answer.declared)
    lines: list[Sequence[str | Text]] = []
    for one in found(rows):
        row, finding = one.worst
        facts = plain(brief(checks[one.code], finding))
        runtimes = {row.case.runtime for row, _ in one.of}
        cases = counted(len(one.of), f"{plain(*runtimes)} row" if len(runtimes) == 1 else "row")
        if len(one.of) == 1:
            text = f"#{row.place}{facts and f': {facts}'}"
        elif facts:
            text = f"{cases}; worst #{row.place}: {facts}"
        else:
            of = ranges(sorted(row.place for row, _ in one.of), 3, 6)
            text = f"{cases}: {', '.join(f'#{part}' for part in of)}"
        lines.append((mark(one.level), f"{one.code} ", text))
    if lines:
        yield Labelled(lines, style="", between=1)


def of_load(answer: Answer, noun: str) -> Iterator[Text]:
    """One line that says beside how many rows, called so, other programs ran; nothing if none did."""
    if loaded := sum(any(one.code == LOAD for one in row.findings) for row in answer.rows):
        beside = f" other programs ran beside {loaded} of {counted(len(answer.rows), noun)}: "
        yield Text.assemble(mark("warning"), beside, (explain(answer, LOAD), "cyan"))


GUARD = "unfit"  # What a check-up would find, and was seen in passing


class LoopSaid(Record, frozen=True):
    """What threadping's own loop costs around a mechanism of the user's own, beside a bare loop."""

    mechanism: str
    runtime: str
    level: Level
    said: str


def loops_said(answer: Answer) -> tuple[LoopSaid, ...]:
    """One for each of the user's own mechanisms that were measured beside a bare loop: all of its rows say the same."""
    checks = checks_of(answer.declared)
    each = {
        (row.case.mechanism, row.case.runtime): LoopSaid(
            row.case.mechanism, row.case.runtime, one.level, brief(checks[LOOP], one)
        )
        for row in answer.rows
        for one in row.findings
        if one.code == LOOP
    }
    return tuple(each.values())


def of_loops(answer: Answer) -> Iterator[Block]:
    """The same in lines, where rows have no marks of their own; nothing where there are none."""
    if said := loops_said(answer):
        lines = [(mark(one.level), f"{LOOP} ", plain(f"{one.mechanism} {one.runtime}: {one.said}")) for one in said]
        yield Labelled(lines, style="", between=1)


def unusable(answer: Answer) -> Iterator[Text]:
    """That the figures are not to be used, or that the machine is unfit, where that is found of the whole run."""
    checks = checks_of(answer.declared)
    for one in answer.findings:
        if one.level == "error" or one.code == GUARD:
            said = made_literal(plain(meaning(checks[one.code], one)))
            yield Text.assemble(mark(one.level), " ", (said, LEVEL_STYLES[one.level]))


def by_chance(rows: Sequence[Row]) -> float:
    """How many of these rows would be marked where nothing is wrong, at most: nought of rows without such noise."""
    return sum(check.by_chance(row) for row in rows if row.trials for check in row.declared.checks)


def of_chance(rows: Sequence[Row]) -> Iterator[Text]:
    """The same as a line below the marks; nothing where there are none."""
    expected = by_chance(rows)
    if expected and any(grave(row) for row in rows):
        of = f"{quantities.at_most(expected)} of {counted(len(rows), 'row')}"
        yield Text(f"By chance alone up to {of} would be marked.", "dim")


def of_machine(answer: Answer) -> Iterator[Text]:
    """What is found of the machine and of the run, in one line; nothing where nothing is."""
    checks = checks_of(answer.declared)
    parts = [
        Text.assemble((one.code, LEVEL_STYLES[one.level] if one.level != "note" else ""), facts and f" ({facts})")
        for one in answer.findings
        if one.code not in SHOWN_ELSEWHERE
        for facts in [plain(brief(checks[one.code], one))]
    ]
    if parts:
        yield Text.assemble(("Machine and run: ", "bold"), Text("; ").join(parts), ".")


def _badness(finding: Finding) -> float:
    facts = [finding.facts[name] for name in WORST_BY if name in finding.facts]
    return next((abs(fact) for fact in facts if isinstance(fact, float | int)), 0.0)


def explain(answer: Answer, word: str) -> str:
    """The command that explains a word, with the run's figures where it is stored."""
    return proposed("explain", word, *([str(answer.run.id)] if answer.run.id else []))


def gravest(answer: Answer) -> str:
    """A code to be explained: the gravest that is found; empty where nothing is."""
    codes = [*(one.code for one in found(answer.rows)), *(one.code for one in answer.findings)]
    return next((code for code in codes if code not in SHOWN_ELSEWHERE), "")
