"""Output for people, as text, and for programs."""

import io
from typing import Any

from msgspec.structs import replace
from rich.console import RenderableType

from tests.golden.fixture import ANSWER
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.conduct.study import written
from threadping.output.layout import Block
from threadping.output.printing import TrimmingConsole
from threadping.output.screen import RowView
from threadping.studies.survey import STUDY as SURVEY


def printed(renderable: Block | RenderableType, width: int = 160, *, colour: bool = False, height: int = 25) -> str:
    """Print at a width, which no line exceeds."""
    file = io.StringIO()
    console = TrimmingConsole(
        file=file,
        width=width,
        height=height,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=colour,
        _environ={"TERM": "xterm", "COLORTERM": "truecolor"},
    )
    console.print(renderable)
    text = file.getvalue()
    assert colour or max(map(len, text.splitlines())) <= width
    return text


def of(*rows: Row, **changes: Any) -> Answer:
    """Return the golden run with these rows alone."""
    return replace(ANSWER, rows=rows, **changes)


def flat(text: str) -> str:
    return " ".join(text.split())


def exported(answer: Answer, form: str, trials: bool = False, *, detail: RowView | None = None) -> str:
    """Return the output of `threadping show` for a run's rows, or its trials, in a format."""
    return written(SURVEY, answer, replace(detail or RowView(), trials=trials), form)
