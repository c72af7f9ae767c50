"""What a person sees, as text."""

import io

from rich.console import RenderableType

from threadping.sheets.console import TrimmingConsole
from threadping.sheets.grid import Block

ENVIRONMENT = {"TERM": "xterm", "COLORTERM": "truecolor"}


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
        _environ=ENVIRONMENT,
    )
    console.print(renderable)
    text = file.getvalue()
    assert colour or max(map(len, text.splitlines())) <= width
    return text


def flat(text: str) -> str:
    """The words of a text, one blank between them."""
    return " ".join(text.split())
