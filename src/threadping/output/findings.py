"""Findings of a run and of its rows, in lines."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.checks import LEVELS, Finding, Level
from threadping.analysis.declaration import Row
from threadping.analysis.row_warnings import by_chance
from threadping.analysis.validity import effect_of
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.quantities import counted, ranges
from threadping.model.text import made_literal, plain, proposed
from threadping.output.layout import Block, Labelled

LEVEL_MARKS: dict[Level, str] = {"error": "\N{BALLOT X}", "warning": "!", "note": "i"}
GRAVE = (LEVEL_MARKS["error"], LEVEL_MARKS["warning"])
LEVEL_STYLES: dict[Level, str] = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}
WORST_BY = ("by", "fold", "factor", "half", "share", "failed")
"""Facts by which one finding is worse than another of its code, the first that it has."""

FEW, LOAD = "few-trials", "other-load"
SHOWN_ELSEWHERE = ("virtualised", "vcpu-migration")  # Findings that every heading says in other words


class FindingGroup(Struct, frozen=True):
    """Findings of one code and level, each with the row that it is of."""

    code: str
    level: Level
    of: Sequence[tuple[Row, Finding]]

    @property
    def worst(self) -> tuple[Row, Finding]:
        def badness(of: tuple[Row, Finding]) -> float:
            facts = [of[1].facts[name] for name in WORST_BY if name in of[1].facts]
            return next((abs(fact) for fact in facts if isinstance(fact, float | int)), 0.0)

        return max(self.of, key=badness)


def mark(level: Level | None) -> Text:
    """Return the sign for a level, coloured where there are colours; nothing for None."""
    return Text(LEVEL_MARKS[level], LEVEL_STYLES[level]) if level else Text()


def grave(row: Row) -> Level | None:
    """Return the mark of a row: of a warning or worse (but that it has few trials), or of what forbids to rank it."""
    known = [one for one in row.findings if one.code != FEW]
    level = next((level for level in LEVELS[:2] if any(one.level == level for one in known)), None)
    leads = all(effect_of(one.code, one.level, "rank") != "unusable" for one in known)
    return level if level or leads else "note"


def found(rows: Iterable[Row]) -> list[FindingGroup]:
    """Return what is found of these rows: the gravest first, then what is found of most."""
    together = gathered(((one.code, one.level), (row, one)) for row in rows for one in row.findings)
    everything = [FindingGroup(code, level, of) for (code, level), of in together.items()]
    return sorted(everything, key=lambda one: (LEVELS.index(one.level), -len(one.of), one.code))


def of_rows(rows: Sequence[Row]) -> Iterator[Block]:
    """Print a line for each code with its rows and the worst of them; nothing if nothing was found."""
    lines: list[Sequence[str | Text]] = []
    for one in found(rows):
        row, finding = one.worst
        facts = plain(finding.text("brief"))
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
    """Print next to how many rows other programs ran; nothing if none did. `noun` names the rows."""
    if loaded := sum(any(one.code == LOAD for one in row.findings) for row in answer.rows):
        text = f" other programs ran next to {loaded} of {counted(len(answer.rows), noun)}: "
        yield Text.assemble(mark("warning"), text, (explain(answer, LOAD), "cyan"))


GUARD = "unfit"  # the finding that a check-up would make, seen in passing


def unusable(answer: Answer) -> Iterator[Text]:
    """Say that the figures are not to be used, or that the machine is unfit, where that is found of the whole run."""
    for one in answer.findings:
        if one.level == "error" or one.code == GUARD:
            said = made_literal(plain(one.text("means")))
            yield Text.assemble(mark(one.level), " ", (said, LEVEL_STYLES[one.level]))


def of_chance(rows: Sequence[Row]) -> Iterator[Text]:
    """Print how many rows chance would mark, in a line below the marks; nothing if there are no marks."""
    if any(grave(row) for row in rows) and (expected := sum(map(by_chance, rows))):
        of = f"{quantities.at_most(expected)} of {counted(len(rows), 'row')}"
        yield Text(f"By chance alone up to {of} would be marked.", "dim")


def of_machine(answer: Answer) -> Iterator[Text]:
    parts = [
        Text.assemble((one.code, LEVEL_STYLES[one.level] if one.level != "note" else ""), facts and f" ({facts})")
        for one in answer.findings
        if one.code not in SHOWN_ELSEWHERE
        for facts in [plain(one.text("brief"))]
    ]
    if parts:
        yield Text.assemble(("Machine and run: ", "bold"), Text("; ").join(parts), ".")


def explain(answer: Answer, word: str) -> str:
    return proposed("explain", word, *([str(answer.run.id)] if answer.run.id else []))
