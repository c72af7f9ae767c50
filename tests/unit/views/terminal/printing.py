"""What a person sees, as text."""

import io

from rich.console import Console, RenderableType

ENVIRONMENT = {"TERM": "xterm", "COLORTERM": "truecolor"}


def printed(renderable: RenderableType, width: int = 160, *, colour: bool = False, height: int = 25) -> str:
    """Print at a width, which no line exceeds; blanks at the ends of lines are not seen."""
    file = io.StringIO()
    console = Console(
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
    lines = file.getvalue().splitlines()
    assert colour or max(map(len, lines)) <= width
    return "".join(f"{line.rstrip()}\n" for line in lines)


def flat(text: str) -> str:
    """The words of a text, one blank between them."""
    return " ".join(text.split())
