"""The formats of a run's rows that other tools read: one line for each, of which options, help and docs are made.

What writes a format is imported only when it is written: an option's help does not wait for it.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Export(Struct, frozen=True, kw_only=True):
    """A format.

    Attributes:
        says: who reads it, in a few words.
        writer: a function below `threadping.output.export`, which writes an answer or its trials; empty of those
            that every study has, of its own sheets.
        ending: how names of its files end, where that is not its name.
        extra: what must be installed for it, of `threadping.model.extras`, and what to call that in a sentence.
        each_trial: whether it can be of the trials one by one.
        of_points: whether it has a figure for each row, and leaves out what is not to be compared.
    """

    says: str
    writer: str = ""
    ending: str = ""
    extra: tuple[str, str] | None = None
    each_trial: bool = False
    of_points: bool = False


HDR = ("hdrhistogram", "HdrHistogram's formats")

EXPORTS: Mapping[str, Export] = {
    "json": Export(says="docs/json.md", each_trial=True),
    "csv": Export(says="docs/json.md", each_trial=True),
    "hgrm": Export(says="HdrHistogram's percentiles", writer="as_hdr.hgrm", extra=HDR, each_trial=True),
    "hlog": Export(says="its interval log", writer="as_hdr.hlog", extra=HDR, each_trial=True),
    "run": Export(says="import", writer="as_run.whole", each_trial=True),
    "bencher": Export(says="Bencher", writer="as_bencher.metrics", ending="bencher.json", of_points=True),
    "jmh": Export(says="JMH's readers", writer="as_jmh.results", ending="jmh.json", of_points=True),
    "github-benchmark": Export(
        says="github-action-benchmark", writer="as_github.either", ending="github.json", of_points=True
    ),
    "github-smaller": Export(
        says="its customSmallerIsBetter", writer="as_github.smaller", ending="smaller.json", of_points=True
    ),
    "github-bigger": Export(
        says="its customBiggerIsBetter", writer="as_github.bigger", ending="bigger.json", of_points=True
    ),
}


def ending_of(form: str) -> str:
    """How names of files of a format end: `.csv`, `.jmh.json`."""
    return f".{EXPORTS[form].ending or form}"


def form_of(path: Path) -> str:
    """The format that a file's name says: of those with which it ends, the longest."""
    name = path.name.lower()
    found = [form for form in EXPORTS if name.endswith(ending_of(form))]
    return max(found, key=lambda form: len(ending_of(form)), default=path.suffix.lower()[1:])
