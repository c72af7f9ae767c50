"""What will be measured, and how long that takes: said before it begins."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import Case, Skipped
from threadping.report import figures, words
from threadping.report.layout import Paragraph
from threadping.report.remarks import without
from threadping.report.views import view_of

LABELS = 13


def announcement(
    cases: Sequence[Case], rounds: int, trial_s: float, seconds: float, skipped: Sequence[Skipped]
) -> RenderableType:
    """Say what a plan will do: how much and how long, then what of, then what not.

    Args:
        cases: what is measured.
        rounds: how often each case is.
        trial_s: what a trial takes, without the start of its process.
        seconds: what the whole takes.
        skipped: what is not measured, and why.
    """
    paragraphs = [Paragraph(_plan(len(cases), rounds, trial_s, seconds)), *_selection(cases)]
    return Group(*paragraphs, *without("Not measured", skipped))


def _plan(cases: int, rounds: int, trial_s: float, seconds: float) -> Text:
    return Text.assemble(
        (f"Measuring {words.counted(cases, 'case')} in {words.counted(rounds, 'round')}", "bold"),
        f": {words.counted(rounds * cases, 'trial')} of {figures.time(trial_s * 1e9)}, about ",
        (figures.duration(seconds), "bold"),
        " in all. Ctrl-C ends it early and keeps what was measured.",
    )


def _selection(cases: Sequence[Case]) -> Iterator[Paragraph]:
    told = {
        "experiments": [words.plain(case.experiment) for case in cases],
        "mechanisms": [words.mechanism(case) for case in cases],
        "runtimes": [words.plain(case.runtime) for case in cases],
        "threads": [str(case.threads) for case in cases if view_of(case.experiment).tells_threads],
        "placements": [words.standing(case) for case in cases],
    }
    warmups = [case.warmup.text for case in cases]
    if words.tells_warmups(warmups):
        told["warm-ups"] = warmups
    for label, names in told.items():
        if names:
            yield Paragraph(Text("; ".join(dict.fromkeys(names))), Text(label, "dim"), LABELS)
