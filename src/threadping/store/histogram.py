"""What a trial timed one by one as an HdrHistogram V2: the form in which other tools read them.

Three significant digits from 1 ns to an hour: a value is at most 0.1% off, and 0 is kept as 0.
"""

from threadping.contract import Distribution

LOWEST_NS = 1
HIGHEST_NS = 3_600_000_000_000
SIGNIFICANT_DIGITS = 3


def encode(timed: Distribution) -> str:
    """Encode times (ns) as base64 of the compressed V2 form; one above an hour counts as an hour."""
    from hdrh.histogram import HdrHistogram  # 10 ms that `list` does not wait for

    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
    for value_ns, count in zip(timed.values_ns, timed.counts, strict=True):
        histogram.record_value(min(value_ns, HIGHEST_NS), count)  # it drops, silently, what is above its range
    encoded: bytes = histogram.encode()
    return encoded.decode("ascii")
