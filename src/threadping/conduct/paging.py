"""Write the page of runs: what each study has to show of each of them."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from threadping import files
from threadping.analysis.answer import Answer
from threadping.characters import LEGIBLE, plain
from threadping.conduct.registry import all_studies
from threadping.quantities import memory
from threadping.views.page.page import page
from threadping.views.page.sections import Section

ENDING, WHAT = (".html",), "the page"


def write_page(answers: Sequence[Answer], path: Path, *, identify: bool = False) -> None:
    """Write the page of answers and say so; raises OutputUnwritable."""
    content = page(answers, identify=identify, sections=sections_of).encode("utf-8", LEGIBLE)
    files.write(path, content, WHAT)
    print(f"{plain(str(path))}: {memory(len(content))}", file=sys.stderr)


def sections_of(answer: Answer) -> Iterator[Section]:
    """What every study shows of a run."""
    return (section for study in all_studies() for section in study.sections(answer))
