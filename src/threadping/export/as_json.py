"""JSON: one object with the run, the machine and the rows; what is absent is an absent key, never a guess."""

from collections.abc import Sequence
from typing import Any

import msgspec

from threadping.model import Row, Run

RUN_KEYS = ("id", "started", "ended", "status", "version", "seed", "budget_s", "rounds", "arguments", "runtimes")


def export(run: Run, rows: Sequence[Row]) -> str:
    """Write `{"run", "machine", "rows"}`, indented."""
    told: dict[str, Any] = {name: getattr(run, name) for name in RUN_KEYS}
    told |= {"cases": len(run.cases), "skipped": run.skipped, "note": run.note}
    encoded = msgspec.json.encode({"run": told, "machine": run.machine, "rows": rows})
    return msgspec.json.format(encoded, indent=2).decode() + "\n"
