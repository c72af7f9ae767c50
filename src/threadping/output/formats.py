"""The formats of a run's rows that other tools read: one entry for each, the source of options, help and docs.

`run_records.py` writes them: the help of an option imports none of it.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Export(Struct, frozen=True, kw_only=True):
    """A format."""

    ending: str = ""  # how names of its files end, where that is not its name
    # what must be installed for it, of `threadping.model.extras`, and what to call that in a sentence
    extra: tuple[str, str] | None = None
    each_trial: bool = False  # whether it can be of the trials one by one
    of_points: bool = False  # whether it has a figure for each row, and leaves out what is not to be compared


HDR = ("hdrhistogram", "HdrHistogram's formats")

EXPORTS: Mapping[str, Export] = {
    "json": Export(each_trial=True),
    "csv": Export(each_trial=True),
    "hgrm": Export(extra=HDR),
    "hlog": Export(extra=HDR, each_trial=True),
    "run": Export(each_trial=True),
    "bencher": Export(ending="bencher.json", of_points=True),
}


def ending_of(form: str) -> str:
    """Return how names of files of a format end: `.csv`, `.bencher.json`."""
    short = {whole: ending for ending, whole in NAMED_IN_FULL.items()}
    return f".{EXPORTS[form].ending or form}" if form in EXPORTS else f".{short.get(form, form)}"


PICTURES = ("html", "svg", "png")  # formats of files alone: a report page, and charts
NAMED_IN_FULL = {"md": "markdown", "prom": "prometheus"}


def form_of(path: Path) -> str:
    """The format that a file's name says: of those with which it ends, the longest."""
    name, suffix = path.name.lower(), path.suffix.lower()[1:]
    found = [form for form in EXPORTS if name.endswith(ending_of(form))]
    return max(found, key=lambda form: len(ending_of(form)), default=NAMED_IN_FULL.get(suffix, suffix))
