"""A session as a table, as Markdown for docs/, and as one JSON object."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.answers import Answer
from benchmarks.benchmark import Benchmark
from benchmarks.ratios import Interval, Spread
from benchmarks.records import Session, Subject

NOTHING = "-"


def answers_of(benchmark: Benchmark, session: Session, groups: Sequence[str]) -> list[Answer]:
    """Answer every question of these groups that the measured subjects allow."""
    subjects = list(dict.fromkeys(one.subject for one in session.measurements))
    asked = benchmark.questions(sorted(subjects, key=lambda one: (one.runtime, one.mechanism)), groups).asked
    return [benchmark.answer(question, session.measurements, session.seed) for question in asked]


def heads(benchmark: Benchmark) -> tuple[str, ...]:
    """What stands above the columns."""
    return ("ours / theirs", "theirs", "ours", "processes", "ratio", benchmark.by_median, "limit", "met")


def as_table(benchmark: Benchmark, session: Session, answers: Sequence[Answer]) -> RenderableType:
    """Print for a person at a terminal."""
    parts: list[RenderableType] = [Text(heading(session), "bold")]
    for heading_of_group, of_group in _grouped(benchmark, answers):
        table = Table(title=heading_of_group, title_justify="left", title_style="bold")
        for index, head in enumerate(heads(benchmark)):
            table.add_column(head, justify="right" if 0 < index < 6 else "left")
        for one in of_group:
            table.add_row(*cells(one))
        parts.append(table)
    return Together(*parts, *(Text(line) for line in (benchmark.legend, *remarks(session))))


def as_markdown(benchmark: Benchmark, session: Session, answers: Sequence[Answer]) -> str:
    """Write what docs/ can take as it is."""
    lines = [heading(session), "", benchmark.legend]
    columns = heads(benchmark)
    for heading_of_group, of_group in _grouped(benchmark, answers):
        lines += ["", f"**{heading_of_group}**", "", _markdown_row(columns)]
        lines.append(_markdown_row("---:" if 0 < index < 6 else "---" for index in range(len(columns))))
        lines += [_markdown_row(cells(one)) for one in of_group]
    if told := remarks(session):
        lines += ["", *(f"- {remark}" for remark in told)]
    return "\n".join(lines) + "\n"


def as_json(session: Session, answers: Sequence[Answer]) -> bytes:
    """Write everything, each process's figures included."""
    whole: dict[str, Any] = {"answers": answers, "session": session}
    return msgspec.json.format(msgspec.json.encode(whole)) + b"\n"


def heading(session: Session) -> str:
    """Say when, where, and with what."""
    programs = "; ".join(f"{name}: {version}" for name, version in session.programs.items())
    cpus = f"CPU{'s' if len(session.cpus) > 1 else ''} {' and '.join(map(str, session.cpus))}"
    return f"{session.started}, {session.machine}, {cpus} ({session.placement}). {programs}."


def remarks(session: Session) -> list[str]:
    """Say what was left out, and whose processes failed."""
    failures: dict[Subject, list[str]] = defaultdict(list)
    processes = Counter(one.subject for one in session.measurements)
    for one in session.measurements:
        if one.failure is not None:
            failures[one.subject].append(one.failure)
    return [
        *session.left_out,
        *(
            f"{subject.title}: {len(told)} of {processes[subject]} processes failed. The first: {told[0]}"
            for subject, told in failures.items()
        ),
    ]


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
    """Write at least three digits: of five nanoseconds a tenth is two percent."""
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _interval(ratio: Interval | None) -> str:
    return f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]" if ratio else NOTHING


def _grouped(benchmark: Benchmark, answers: Sequence[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    for group, heading_of_group in benchmark.headings.items():
        if of_group := [one for one in answers if one.group == group]:
            yield heading_of_group, of_group


def _markdown_row(cells: Sequence[str] | Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
