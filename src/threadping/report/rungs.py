"""The ladder's rungs: a row with its number, and the cells that are alike in every experiment."""

from msgspec import UNSET, Struct, UnsetType
from rich.text import Text

from threadping.model import Row, Severity
from threadping.report import figures, words
from threadping.report.columns import Column
from threadping.report.marks import mark

BAR_WIDTHS = (12, 36)

NUMBER = Column(name="number", head="#", naming=True, numbers=True, right=False)
MECHANISM = Column(name="mechanism", head="mechanism", naming=True, wraps=True, right=False)
RUNTIME = Column(name="runtime", head="runtime", naming=True, wraps=True, right=False)
THREADS = Column(name="threads", head="threads", naming=True, noun="thread")
PLACEMENT = Column(name="placement", head="placement", naming=True, right=False)
WARMUP = Column(name="warm-up", head="warm-up", naming=True, right=False)

WIDER = "A wider terminal, or --format json, shows"


class Rung(Struct, frozen=True):
    """A row with its number in the output, and the gravest that is said of it and not of all."""

    number: int
    of: int
    row: Row
    severity: Severity | None = None


def numbered(rung: Rung) -> Text:
    """The number, with the mark of the worst verdict that is not said of all."""
    number = Text().append(f"{rung.number:>{len(str(rung.of))}}", "dim")
    return number.append(" ").append_text(mark(rung.severity)) if rung.severity else number


def placed(row: Row) -> Text:
    """Where the threads stand."""
    return Text(words.standing(row))


def no_figure(row: Row) -> Text:
    """Say that there is no figure, and why."""
    return Text(f"no figure: {_why(row)}", "red")


def number(value: float | UnsetType) -> float | None:
    """A figure that may be absent."""
    return None if value is UNSET else value


def count(value: float | None, style: str = "") -> Text:
    """How many, for a table; a dash where that is not known."""
    return Text(figures.ABSENT, "dim") if value is None else Text(figures.count(value), style)


def _why(row: Row) -> str:
    codes = [verdict.code for verdict in row.verdicts if verdict.severity == "error"]
    if codes:
        return f"{words.plain(codes[0])}, see below"
    return f"{words.counted(row.failed_trials, 'trial')} failed" if row.failed_trials else "nothing was measured"
