"""An advice held against an independent run of `load`."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from msgspec import Struct

HELD = 0.99
"""The share of the rate that must be received."""

Row = Mapping[str, Any]


class Confirmed(Struct, frozen=True):
    """One recommendation and the run that confirmed it.

    Attributes:
        way: what was advised; empty where nothing was.
        sure: whether it was said to be sure.
        fails: in what it failed in the run of its own: `rate`, `p99`, `cpu`; empty where it met all.
        seconds: what the advice took.
        p99_ns: the worst p99 of the run of its own, of any state of the machine; None where it has none.
        core_to_core_ns: of each state that the machine was in meanwhile.
        load: how many threads were ready to run before the advice, over the last minute.
        machine: what was measured on.
        bare_p99_ns: of a hand-written baseline that sleeps, at the same rate, right after; None without --bare.
    """

    way: str
    sure: bool
    fails: tuple[str, ...]
    seconds: float
    p99_ns: float | None = None
    core_to_core_ns: tuple[float, ...] = ()
    load: float = 0.0
    machine: str = ""
    bare_p99_ns: float | None = None


def arguments(advice: Mapping[str, Any]) -> list[str]:
    """The arguments of a `threadping run load` that measures just what was advised."""
    params = [f"--param={name}={value}" for name, value in advice["params"].items()]
    named = ["--mechanism", advice["mechanism"], "--runtime", advice["runtime"], "--placement", advice["placement"]]
    return ["run", "load", *named, *params, "--busy", str(advice["busy"])]


def fails(rows: Sequence[Row], p99_ns: float, cpu_percent: float | None) -> tuple[str, ...]:
    """In what a way fails the requirement: in any state of the machine that the run saw.

    A state of so few messages that they carry no p99 says nothing of it, unless there is no other.
    """
    worst = worst_p99(rows)
    found = {
        "rate": not rows or any((row["sustained_per_s"] or 0) < HELD * row["offered_per_s"] for row in rows),
        "p99": bool(rows) and (worst is None or worst > p99_ns),
        "cpu": cpu_percent is not None and any(row["cpu_percent"] > cpu_percent for row in rows),
    }
    return tuple(name for name, failed in found.items() if failed)


def worst_p99(rows: Sequence[Row]) -> float | None:
    """The largest p99 of all rows that have one."""
    return max((p99 for row in rows if (p99 := (row["latency_ns"] or {}).get("p99")) is not None), default=None)


def share(times: int, of: int) -> str:
    """Return a share and its 95% interval: `19 of 20 (76% to 99%)`.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if not of:
        return "none of none"
    z = NormalDist().inv_cdf(0.975)
    middle, half = times + z * z / 2, z * sqrt(times * (of - times) / of + z * z / 4)
    low, high = ((middle + side * half) / (of + z * z) for side in (-1, 1))
    return f"{times} of {of} ({low:.0%} to {high:.0%})"


def way_of(advice: Mapping[str, Any]) -> str:
    """Name what was advised."""
    given = [f"{name}={value}" for name, value in advice["params"].items() if name in ("wait", "spins")]
    return " ".join([advice["mechanism"], *given, advice["runtime"]])
