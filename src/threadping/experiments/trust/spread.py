"""Whether trials agree, are enough, and can be told apart by the clock."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from msgspec import UNSET

from threadping.contract import Result
from threadping.model import Row, Verdict
from threadping.stats.percentiles import CARRYING_SAMPLES, QUANTILES


def few_trials(results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether there are enough to see how they differ."""
    if len(results) < 3:
        yield Verdict(
            "few-trials",
            "warning",
            f"{counted(len(results), 'trial')} cannot show how trials differ: the interval says little. Give a larger "
            "--budget.",
        )


def disagreement(figures: Sequence[float]) -> Iterator[Verdict]:
    """Whether whole trials, a figure each, are of different things."""
    if max(figures) > 1.5 * min(figures):  # beyond what another set of lines explains
        fold = f"{max(figures) / min(figures):.1f}-fold" if min(figures) > 0 else "without bounds"
        yield Verdict(
            "trials-disagree",
            "warning",
            f"Whole trials differ {fold}: something changed between them (virtual CPUs moved to other cores, "
            "frequency, other load), and one figure cannot stand for both. Look at `threadping show RUN --trials`.",
        )


def wide_interval(figure: float, ci95: tuple[float, float], whose: str) -> Iterator[Verdict]:
    """Whether the figure is known; `whose` begins the sentence."""
    low, high = ci95
    if high - low > 0.2 * figure:
        half_width = f"{(high - low) / 2 / figure:.0%}" if figure else "nothing"
        yield Verdict(
            "wide-interval",
            "warning",
            f"{whose} known only to about {half_width}. Give a larger --budget, or quieten the machine.",
        )


def few_samples(row: Row, what: str) -> Iterator[Verdict]:
    """Whether the samples, which `what` names, carry every percentile."""
    if row.latency_ns is not None and row.latency_ns.p99_9 is UNSET:
        needed = round(CARRYING_SAMPLES / (1 - QUANTILES["p99_9"]))
        yield Verdict(
            "few-samples",
            "info",
            f"{row.samples} {what} do not carry every percentile (p99.9 needs {needed}). Give a larger --budget.",
        )


def censored(row: Row, results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether durations that overlapped a window's edge could move the highest percentile that is told."""
    told = [q for name, q in QUANTILES.items() if row.latency_ns and getattr(row.latency_ns, name) is not UNSET]
    beyond = row.samples * (1 - max(told, default=0.0))
    if row.censored > beyond:
        windows = [ns for result in results for ns in result.windows.of("timed").ns]
        length = f" ({fmean(windows) / 1e6:.3g} ms)" if windows else ""
        yield Verdict(
            "censored",
            "warning",
            f"{row.censored} timed operations overlapped the edge of a window, so that how long they took is in no "
            f"percentile; beyond the highest that is told are {beyond:.0f} samples. The tail is longer than it looks: "
            f"a wait longer than a window{length} is never seen whole. Who starves for longer shows in the shares.",
        )


def coarse_clock(row: Row, results: Sequence[Result], steps: str, parts: int, undisturbed: str) -> Iterator[Verdict]:
    """Whether the clock's steps show in the figures; steps of 1 ns, the unit of every time here, are fine enough.

    Args:
        row: the case's row.
        results: its trials that can be counted; at least one.
        steps: the percentiles that come in steps.
        parts: into how many a timed stretch is divided to become a figure.
        undisturbed: what the steps do not touch, as a sentence.
    """
    step = max(result.clock.resolution_ns for result in results)
    if row.latency_ns is not None and step > 1 and step / parts > 0.02 * row.latency_ns.mean:
        yield Verdict(
            "coarse-clock",
            "info",
            f"This machine's clock moves in steps of {step} ns, so {steps} come in steps of {step / parts:g}. "
            f"{undisturbed}",
        )


def counted(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
