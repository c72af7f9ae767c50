"""hgrm: percentile distributions as HdrHistogram prints them and its plotter reads them, one below the other."""

import io

from threadping.quantities import counted
from threadping.views.export.timed import Timed, about, histogram
from threadping.views.export.told import Told


def write(told: Told) -> str:
    """Write each distribution below a comment that says what it is of; halved round trips are one way."""
    text = io.BytesIO()
    text.write(f"{about(told.run)}\n".encode())
    for timed in told.timed:
        text.write(f"\n{_head(timed)}\n".encode())
        of_all = [one.distributions[timed.of.name] for one in timed.trials]
        histogram(of_all).output_percentile_distribution(text, timed.of.parts)
    return text.getvalue().decode()


def _head(timed: Timed) -> str:
    censored = sum(one.distributions[timed.of.name].censored for one in timed.trials)
    halved = f", each divided by {timed.of.parts}" if timed.of.parts > 1 else ""
    added = f"{counted(len(timed.trials), 'trial')} added up, {censored:,} censored"
    return f"#[{timed.title}: {timed.of.noun}{halved}, nanoseconds, {added}]"
