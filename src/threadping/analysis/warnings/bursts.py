"""Whether a tail is of several trials, or of one burst."""

from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, SLACK, worth


def _one_burst(row: Row) -> Facts | None:
    """The highest percentile that samples carry and that is not shown, since too few trials reach it."""
    for one in (of for of in row.declared.timed if of.column and row.value(f"{of.name}.samples")):
        found = row.timed(one.name)
        samples = worth(found)
        hidden = [
            name
            for name, q in QUANTILES.items()
            if samples * (1 - q) >= CARRYING_SAMPLES - SLACK and f"{one.name}.{name}" not in row.figures
        ]
        if hidden:
            return {"which": ", ".join(hidden), "noun": one.noun, "trials": len(found)}
    return None


CHECKS = (RowCheck("one-burst", "note", _one_burst),)
