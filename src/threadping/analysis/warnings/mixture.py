"""Where the scheduler may put the threads on one CPU or on several: what an operation is there, and how long it was."""

from threadping import quantities
from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck


def _mixture(row: Row) -> Facts | None:
    """Only where somebody looked on how many CPUs they stood."""
    share, headline = row.value("mixture.same_cpu"), row.headline
    if share is None or headline is None or not row.mixes:
        return None
    unit = row.leading.unit
    kinds = (("together", "on one CPU", share), ("apart", "on several", 1 - share))
    parts = [
        f"{_written(value, unit)} {where} ({quantities.percent(of)} of the time)"
        for name, where, of in kinds
        if (value := row.value(f"mixture.{name}_{unit}")) is not None
    ]
    said = [*parts, f"on average {_written(headline.value, unit)}"] if len(parts) > 1 else parts
    return {"kinds": ", ".join(said), "share": share} if said else None


def _written(value: float, unit: str) -> str:
    return quantities.time(value) if unit == "ns" else f"{quantities.count(value)}/s"


CHECKS = (RowCheck("mixture", "note", _mixture),)
