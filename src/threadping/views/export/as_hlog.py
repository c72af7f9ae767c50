"""hlog: an interval log as HdrHistogram's own tools read it: a line for each trial, tagged with its case."""

import re
from collections.abc import Iterator
from datetime import datetime

from threadping.model import Observation
from threadping.quantities import counted
from threadping.views.export.timed import Timed, about, histogram
from threadping.views.export.told import Told

LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
VERSION = "1.3"
"""Of the log's format: HistogramLogWriter.java of HdrHistogram 2.2. Its Python port makes the histograms; the port's
writer of logs knows no tags, and rounds each interval's maximum down to milliseconds."""

NS_A_MS = 1e6


def write(told: Told) -> str:
    """Write what was timed, as it was timed, in nanoseconds; intervals in seconds since 1970, maxima in ms."""
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Told) -> Iterator[str]:
    yield about(told.run)
    yield "#[Values are nanoseconds, as they were timed: round trips are not halved]"
    yield f"#[Histogram log format version {VERSION}]"
    yield LEGEND
    for timed in told.timed:
        for one in timed.trials:
            if censored := one.distributions[timed.of.name].censored:
                yield f"#[{counted(censored, 'duration')} censored in the next interval]"
            yield _interval(timed, one)


def _interval(timed: Timed, one: Observation) -> str:
    found = histogram([one.distributions[timed.of.name]])
    begun, ms = datetime.fromisoformat(one.started).timestamp(), found.get_max_value() / NS_A_MS
    name = tag(f"{timed.title} {timed.of.name}")
    return f"Tag={name},{begun:.3f},{one.wall_ns / 1e9:.3f},{ms:.3f},{found.encode().decode()}"


def tag(title: str) -> str:
    """A title without what a tag may not hold: `signal/cas-one-line/cpp/same-l3`."""
    return re.sub(r"[\s,]+", "/", title.strip())
