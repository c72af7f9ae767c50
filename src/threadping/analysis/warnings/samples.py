"""Whether what was timed one by one carries its percentiles, and can be told apart by the clock."""

from threadping.analysis.declaration import Evidence, Facts, Percentiles, RowCheck
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, SLACK, worth

HIGHEST, NEEDED = "p99.9", round(CARRYING_SAMPLES / (1 - QUANTILES["p99.9"]))

COARSE = 0.02
"""A step of the clock as a share of the figure that it shows in."""

SKEWED = 0.1
"""How far the clocks of two CPUs may be apart, as a share of the median of what crosses from one to the other."""


def _told(seen: Evidence) -> list[Percentiles]:
    return [one for one in seen.declared.timed if seen.row.value(f"{one.name}.samples")]


def _few(seen: Evidence) -> Facts | None:
    for one in _told(seen):
        if f"{one.name}.{HIGHEST}" not in seen.row.figures:
            samples = worth([trial.distributions[one.name] for trial in seen.counted])
            return {"samples": int(samples + SLACK), "noun": one.noun, "needed": NEEDED}
    return None


def _censored(seen: Evidence) -> Facts | None:
    """Whether durations that overlapped a window's edge could move the highest percentile that is told."""
    for one in seen.declared.timed:
        carried = [q for name, q in QUANTILES.items() if f"{one.name}.{name}" in seen.row.figures]
        beyond = seen.value(f"{one.name}.samples") * (1 - max(carried, default=0.0))
        censored = seen.value(f"{one.name}.censored")
        if censored > beyond:
            return {"censored": censored, "beyond": beyond, "window": seen.value("counters.sampling_window_ns")}
    return None


def _coarse(seen: Evidence) -> Facts | None:
    """Steps of 1 ns, the unit of every time here, are fine enough."""
    step = seen.value("counters.clock_step_ns", 1.0)
    for one in _told(seen):
        middle = seen.value(f"{one.name}.p50", seen.value(f"{one.name}.max"))
        if step > 1 and step / one.parts > COARSE * middle:
            return {"step": step, "shown": step / one.parts}
    return None


def _skewed(seen: Evidence) -> Facts | None:
    """Whether clocks are certainly so far apart that a duration which crosses from one to the other hangs on it."""
    skew, bound = seen.value("counters.skew_ns"), seen.value("counters.skew_bound_ns")
    for one in seen.declared.timed:
        middle = seen.row.value(f"{one.name}.p50") if one.across else None
        if middle is not None and skew > SKEWED * middle:
            return {"skew": skew, "bound": bound, "noun": one.noun, "middle": middle}
    return None


def _negative(seen: Evidence) -> Facts | None:
    """Only more than one in a hundred moves a percentile that is looked at."""
    for one in seen.declared.timed:
        negative, samples = (seen.value(f"{one.name}.{what}") for what in ("negative", "samples"))
        if negative > (negative + samples) / 100:
            return {"negative": negative, "noun": one.noun, "all": negative + samples}
    return None


CHECKS = (
    RowCheck("negative", "warning", _negative),
    RowCheck("few-samples", "note", _few),
    RowCheck("censored", "warning", _censored),
    RowCheck("coarse-clock", "note", _coarse),
    RowCheck("clock-skew", "warning", _skewed),
)
