"""A session as a table, as Markdown for docs/, and as one JSON object."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec
from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.answers import Answer, answer
from benchmarks.questions import Benchmark
from benchmarks.ratios import Spread
from benchmarks.records import Session
from threadping.analysis.percentiles import Estimate

NOTHING = "-"
NUMBERS = range(1, 6)
"""Columns that hold numbers."""


def answers_of(benchmark: Benchmark, session: Session, groups: Collection[str]) -> list[Answer]:
    """Answer every question of these groups that the measured subjects allow."""
    subjects = {one.subject for one in session.measurements}
    asked = benchmark.questions(sorted(subjects, key=lambda one: (one.runtime, one.mechanism, one.lines)), groups).asked
    return [answer(question, session.measurements, paired=session.paired) for question in asked]


def as_table(benchmark: Benchmark, session: Session, answers: Sequence[Answer]) -> RenderableType:
    """Print for a person at a terminal."""
    parts: list[RenderableType] = [Text(heading(session), "bold")]
    for of_group, rows in _tables(benchmark, answers):
        table = Table(title=of_group, title_justify="left", title_style="bold")
        for index, head in enumerate(heads(benchmark)):
            table.add_column(head, justify="right" if index in NUMBERS else "left")
        for row in rows:
            table.add_row(*row)
        parts.append(table)
    return Together(*parts, *(Text(line) for line in (legend(benchmark, session), *notes(session))))


def as_markdown(benchmark: Benchmark, session: Session, answers: Sequence[Answer]) -> str:
    """Return Markdown that docs/ can include unchanged."""
    columns = heads(benchmark)
    ruler = ["---:" if index in NUMBERS else "---" for index in range(len(columns))]
    lines = [heading(session), "", legend(benchmark, session)]
    for of_group, rows in _tables(benchmark, answers):
        lines += ["", f"**{of_group}**", "", *(f"| {' | '.join(row)} |" for row in (columns, ruler, *rows))]
    if noted := notes(session):
        lines += ["", *(f"- {note}" for note in noted)]
    return "\n".join(lines) + "\n"


def as_json(session: Session, answers: Sequence[Answer]) -> bytes:
    """Write everything, each process's figures included."""
    return msgspec.json.format(msgspec.json.encode({"answers": answers, "session": session})) + b"\n"


def heading(session: Session) -> str:
    """Say when, where, and with what."""
    programs = "; ".join(f"{name}: {version}" for name, version in session.programs.items())
    cpus = f"CPU{'s' if len(session.cpus) > 1 else ''} {' and '.join(map(str, session.cpus))}"
    return f"{session.started}, {session.machine}, {cpus} ({session.placement}). {programs}."


def legend(benchmark: Benchmark, session: Session) -> str:
    """Say what the columns are."""
    how = "with its 95% interval over processes"
    if session.paired:
        how = "the median of rounds, in which one followed the other, with its 95% interval"
    return (
        f"{benchmark.measures}: the median over processes (lower to upper quartile). Ratio: ours / theirs {how};"
        f" by median {benchmark.stretch}: the same, with our median "
        f"{benchmark.stretch} instead of our mean of all."
    )


def notes(session: Session) -> list[str]:
    """Say what was left out, and whose processes failed."""
    processes = Counter(one.subject for one in session.measurements)
    failed = [one for one in session.measurements if one.failure is not None]
    failures = Counter(one.subject for one in failed)
    first = {one.subject: one.failure for one in reversed(failed)}
    return [
        *session.left_out,
        *(
            f"{subject.title}: {number} of {processes[subject]} processes failed. The first: {first[subject]}"
            for subject, number in failures.items()
        ),
    ]


def heads(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the heads of the columns."""
    by_median = f"by median {benchmark.stretch}"
    return ("ours / theirs", "theirs", "ours", "processes", "ratio", by_median, "limit", "met")


def cells(one: Answer) -> tuple[str, ...]:
    """One answer as a row under `heads`."""
    processes = sorted({side.processes for side in (one.ours, one.theirs) if side})
    return (
        one.title,
        _spread(one.theirs),
        _spread(one.ours),
        " and ".join(map(str, processes)) or NOTHING,
        _interval(one.ratio),
        _interval(one.by_median_block),
        one.limit or NOTHING,
        one.met or NOTHING,
    )


def _spread(side: Spread | None) -> str:
    return f"{_ns(side.median)} ({_ns(side.low)} to {_ns(side.high)})" if side else NOTHING


def _ns(value: float) -> str:
    """Write at least three digits: 0.1 ns is 2% of five nanoseconds."""
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _interval(ratio: Estimate | None) -> str:
    if ratio is None:
        return NOTHING
    low, high = ratio.ends
    return f"{ratio.value:.3f} [{low:.3f}, {high:.3f}]" if ratio.kind == "ci95" else f"{ratio.value:.3f}"


def _tables(benchmark: Benchmark, answers: Sequence[Answer]) -> Iterator[tuple[str, Iterable[Sequence[str]]]]:
    for group, heading_of_group in benchmark.headings.items():
        if rows := [cells(one) for one in answers if one.group == group]:
            yield heading_of_group, rows
