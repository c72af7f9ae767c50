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
    RowCheck(
        code="negative",
        level="warning",
        find=_negative,
        brief="{negative} of {all} {noun}",
        means="{negative} of {all} {noun} ended before they began, by the clocks of two CPUs: these disagree by more "
        "than what was timed. They are in no percentile, so that the lower ones are too high.",
        remedy="`clock-skew` says how far the clocks are apart; rates do not hang on them.",
    ),
    RowCheck(
        code="few-samples",
        level="note",
        find=_few,
        brief="{samples} {noun}; p99.9 needs {needed}",
        means="What was timed is worth {samples} {noun}, which do not carry every percentile (p99.9 needs {needed}, "
        "ten beyond it): what they cannot carry is absent, not guessed.",
        remedy="Give longer trials (--trial), more --budget, or fewer cases.",
    ),
    RowCheck(
        code="censored",
        level="warning",
        find=_censored,
        brief="{censored} timed operations overlapped a window's edge",
        means="{censored} timed operations overlapped the edge of a window, so that how long they took is in no "
        "percentile; beyond the highest that is told are {beyond} samples. The tail is longer than it looks: a wait "
        "longer than a window ({window:time}) is never seen whole. Who starves for longer shows in the shares.",
    ),
    RowCheck(
        code="coarse-clock",
        level="note",
        find=_coarse,
        brief="steps of {shown:time}",
        means="This machine's clock moves in steps of {step:time}: what is timed one by one is known to {shown:time}, "
        "and percentiles are told as if it were spread evenly over a step. Figures of whole windows have no steps.",
    ),
    RowCheck(
        code="clock-skew",
        level="warning",
        find=_skewed,
        brief="{skew:time} beside a median of {middle:time}",
        means="The clocks of two CPUs are at least {skew:time} apart (at most {bound:time}, by what they told each "
        "other before and after), more than a tenth of the median of {noun} ({middle:time}), which begin by one clock "
        "and end by the other: they may be so much too long, or too short. Rates do not hang on it.",
        remedy="If the kernel's clock source is tsc, ask whether the hypervisor keeps the CPUs' counters in step; a "
        "round trip halved (`signal`) needs one clock only.",
    ),
)
