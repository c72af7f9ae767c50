"""An advice held against an independent run of `paced`."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

HELD = 0.99
"""The share of the rate that must be received."""

Row = Mapping[str, Any]


class Confirmed(Struct, frozen=True):
    """What became of one advice.

    Attributes:
        way: what was advised; empty where nothing was.
        sure: whether it was said to be sure.
        fails: in what it failed in the run of its own: `rate`, `p99`, `cpu`; empty where it met all.
        seconds: what the advice took.
    """

    way: str
    sure: bool
    fails: tuple[str, ...]
    seconds: float


def arguments(advice: Mapping[str, Any]) -> list[str]:
    """The arguments of a `threadping paced` that measures just what was advised."""
    params = [f"--param={name}={value}" for name, value in advice["params"].items()]
    named = ["--mechanism", advice["mechanism"], "--runtime", advice["runtime"], "--placement", advice["placement"]]
    return ["paced", *named, *params, "--busy", str(advice["busy"])]


def fails(rows: Sequence[Row], p99_ns: float, cpu_percent: float | None) -> tuple[str, ...]:
    """In what a way fails the requirement: in any state of the machine that the run saw."""
    found: dict[str, bool] = {"rate": not rows}
    for row in rows:
        p99 = (row["latency_ns"] or {}).get("p99")
        found["rate"] |= not row["held_per_s"] or row["held_per_s"] < HELD * row["offered_per_s"]
        found["p99"] = found.get("p99", False) or p99 is None or p99 > p99_ns
        found["cpu"] = found.get("cpu", False) or (cpu_percent is not None and row["cpu_percent"] > cpu_percent)
    return tuple(name for name, failed in found.items() if failed)


def way_of(advice: Mapping[str, Any]) -> str:
    """Name what was advised."""
    given = [f"{name}={value}" for name, value in advice["params"].items() if name in ("wait", "spins")]
    return " ".join([advice["mechanism"], *given, advice["runtime"]])
