"""Paragraphs that hang from their first word, and lines that are printed as they are."""

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

NARROWEST = 20
"""Text is not squeezed into less, even where it then runs over the edge."""


class Paragraph(Struct, frozen=True):
    """A `lead`, filled up to `indent`, then a body, wrapped and indented by as much."""

    body: Text
    lead: Text = Text()
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it as wide as the console."""
        lines = wrapped(console, self.body, max(NARROWEST, options.max_width - self.indent))
        for number, line in enumerate(lines):
            first = Text().append_text(self.lead) if number == 0 else Text()
            first.append(" " * (self.indent - first.cell_len))
            yield tidy(first.append_text(line))


def wrapped(console: Console, text: Text, width: int) -> list[Text]:
    """The lines of a text at this width; a word that is longer is broken."""
    return [tidy(line) for line in text.wrap(console, width)] or [Text()]


def tidy(line: Text) -> Text:
    """A line that is printed as it is: without blanks at its end, and never wrapped again."""
    line.rstrip()
    line.no_wrap, line.overflow = True, "ignore"
    return line
