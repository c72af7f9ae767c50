"""A session as a table, as Markdown for docs/, and as one JSON object."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.agreement.answers import Answer, answer
from benchmarks.agreement.questions import HEADINGS, Group, questions
from benchmarks.agreement.ratios import Interval, Spread
from benchmarks.agreement.records import Session, Subject

HEADS = ("ours / theirs", "theirs", "ours", "processes", "ratio", "by median block", "limit", "met")
LEGEND = (
    "One-way nanoseconds: the median over processes (lower to upper quartile). Ratio: ours / theirs with its 95% "
    "bootstrap interval over processes; by median block: the same, with our median block instead of our mean of all."
)
NOTHING = "-"


def answers_of(session: Session, groups: Sequence[Group]) -> list[Answer]:
    """Answer every question that the measured subjects allow."""
    subjects = list(dict.fromkeys(one.subject for one in session.measurements))
    asked = questions(sorted(subjects, key=lambda one: (one.runtime, one.mechanism)), groups).asked
    return [answer(question, session.measurements, session.seed) for question in asked]


def as_table(session: Session, answers: Sequence[Answer]) -> RenderableType:
    """Print for a person at a terminal."""
    parts: list[RenderableType] = [Text(heading(session), "bold")]
    for group, of_group in _grouped(answers):
        table = Table(title=HEADINGS[group], title_justify="left", title_style="bold")
        for index, head in enumerate(HEADS):
            table.add_column(head, justify="right" if 0 < index < 6 else "left")
        for one in of_group:
            table.add_row(*cells(one))
        parts.append(table)
    return Together(*parts, *(Text(line) for line in (LEGEND, *remarks(session))))


def as_markdown(session: Session, answers: Sequence[Answer]) -> str:
    """Write what docs/ can take as it is."""
    lines = [heading(session), "", LEGEND]
    for group, of_group in _grouped(answers):
        lines += ["", f"**{HEADINGS[group]}**", "", _markdown_row(HEADS)]
        lines.append(_markdown_row("---:" if 0 < index < 6 else "---" for index in range(len(HEADS))))
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
    cpus = " and ".join(map(str, session.cpus))
    return f"{session.started}, {session.machine}, CPUs {cpus} ({session.placement}). {programs}."


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
    """One answer as a row under HEADS."""
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
    return f"{side.median:.1f} ({side.low:.1f} to {side.high:.1f})" if side else NOTHING


def _interval(ratio: Interval | None) -> str:
    return f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]" if ratio else NOTHING


def _grouped(answers: Sequence[Answer]) -> Iterator[tuple[Group, list[Answer]]]:
    for group in Group:
        if of_group := [one for one in answers if one.group == group]:
            yield group, of_group


def _markdown_row(cells: Sequence[str] | Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
