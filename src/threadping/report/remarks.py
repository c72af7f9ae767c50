"""What stands below the ladder: why a figure may not be what it seems, and what has no figure."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from rich.console import RenderableType
from rich.text import Text

from threadping.model import Latency, Run, Skipped
from threadping.report import figures, words
from threadping.report.layout import Paragraph
from threadping.report.marks import STYLES, mark, said
from threadping.report.rungs import Rung
from threadping.report.views import view_of

MOST_TOLD = 6
"""More cases than these are told together, with how far their figures reach."""


def remarks(run: Run, rungs: Sequence[Rung]) -> Iterator[RenderableType]:
    """Every remark."""
    yield from _absent(rungs)
    yield from _verdicts(rungs)
    yield from without("Not measured", run.skipped)
    yield from _failed(run, rungs)


def without(title: str, skipped: Sequence[Skipped]) -> Iterator[RenderableType]:
    """List what is missing, things with one reason together; nothing if nothing is."""
    if not skipped:
        return
    by_reason: dict[str, list[str]] = {}
    for item in skipped:
        by_reason.setdefault(words.plain(item.reason), []).append(words.plain(item.what))
    yield Text()
    yield Text(title, "bold")
    for reason, things in by_reason.items():
        body = Text.assemble((", ".join(dict.fromkeys(things)), "bold"), f": {reason}")
        yield Paragraph(body, Text("-", "dim"), 2)


def cases(numbers: Sequence[int], total: int) -> str:
    """Name cases by their numbers in the ladder."""
    if len(numbers) == total > 1:
        return "all cases"
    return f"case {numbers[0]}" if len(numbers) == 1 else f"cases {words.ranges(numbers)}"


def _verdicts(rungs: Sequence[Rung]) -> Iterator[RenderableType]:
    all_said = said([rung.row for rung in rungs])
    if not all_said:
        return
    yield Text()
    yield Text("Verdicts", "bold")
    for one in all_said:
        verdict = one.verdict
        of = cases([rungs[position].number for position in one.of], len(rungs))
        body = Text.assemble(
            (f"{verdict.severity} {words.plain(verdict.code)}", STYLES[verdict.severity]),
            (f", {of}", "bold"),
            f": {words.plain(verdict.message)}",
        )
        yield Paragraph(body, mark(verdict.severity), 2)


def _failed(run: Run, rungs: Sequence[Rung]) -> Iterator[RenderableType]:
    failed = {rung.number: rung.row for rung in rungs if rung.row.failed_trials}
    if not failed:
        return
    told = [
        f"case {number}, {row.failed_trials} of {words.counted(row.failed_trials + row.trials, 'trial')}"
        for number, row in failed.items()
    ]
    each = f" `threadping show {run.id} --trials` tells how each one ended." if run.id else ""
    yield Text()
    yield Paragraph(Text.assemble(("Failed trials", "bold"), f": {'; '.join(told)}.{each}"))


def _absent(rungs: Sequence[Rung]) -> Iterator[RenderableType]:
    """Say why a percentile is missing, and how many samples there were."""
    for experiment in dict.fromkeys(rung.row.experiment for rung in rungs):
        of_it = [rung for rung in rungs if rung.row.experiment == experiment]
        few = [rung for rung in of_it if rung.row.latency_ns is not None and _lacks(rung.row.latency_ns)]
        if few:
            what = f"too few {view_of(experiment).samples} to tell it, so it is absent, not guessed ({_having(few)})."
            yield Paragraph(Text(what, "dim"), Text(figures.ABSENT, "dim"), 2)


def _having(few: Sequence[Rung]) -> str:
    if len(few) <= MOST_TOLD:
        return ", ".join(f"case {rung.number} has {rung.row.samples:,}" for rung in few)
    samples = [rung.row.samples for rung in few]
    numbers = words.ranges(rung.number for rung in few)
    return f"cases {numbers} have {min(samples):,}{figures.TO}{max(samples):,}"


def _lacks(latency: Latency) -> bool:
    return UNSET in (latency.p50, latency.p99, latency.p99_9, latency.max)
