"""What a counter does not hold of what was counted."""

from rich.text import Text

from threadping.report import figures


def lost(made: int, found: int) -> Text:
    """The share of the increments that is not there; a negative one where there are more than were made."""
    if made == found:
        return Text("0", "dim")
    share = (made - found) / max(1, made)
    return Text(f"-{figures.percent(-share)}" if share < 0 else figures.percent(share), "bold red")
