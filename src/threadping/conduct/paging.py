"""Write the page of runs."""

from collections.abc import Sequence
from pathlib import Path

from threadping.analysis.answer import Answer
from threadping.conduct.registry import article_of, side_by_side
from threadping.conduct.streams import say_written
from threadping.model import files, numbers
from threadping.model.characters import LEGIBLE
from threadping.output.carried import analyse_carried, carry_run
from threadping.output.page.page import page

ENDING, WHAT = (".html",), "the page"


def page_of(answers: Sequence[Answer], *, identify: bool = False) -> str:
    """The page of one answer, or of several side by side: the same for the same runs.

    With `identify` it names hosts and users' folders.
    """
    runs = [carry_run(one.stored, identify=identify) for one in answers]
    shown = [analyse_carried(one, kept) for one, kept in zip(answers, runs, strict=True)]
    letters = [numbers.letters(place) if len(shown) > 1 else "" for place in range(len(shown))]
    articles = [article_of(one, letter) for one, letter in zip(shown, letters, strict=True)]
    return page(articles, side_by_side(shown, letters), runs)


def write_page(answers: Sequence[Answer], path: Path, *, identify: bool = False) -> None:
    """Write the page of answers and say so; raises OutputUnwritable."""
    files.write(path, page_of(answers, identify=identify).encode("utf-8", LEGIBLE), WHAT)
    say_written(path)
