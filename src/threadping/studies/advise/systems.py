"""What an advice means to other systems that have ways to wait: what to write into their configuration."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import ceil

import msgspec
from msgspec import Struct

from threadping.model.errors import UsageError
from threadping.model.run import Requirement
from threadping.studies.advise.advice import Advice
from threadping.studies.advise.judging import JudgedWay

SPINS = "spins"
GGML_LOOKS = 1024 * 128
"""So often a waiting thread looks, a PAUSE each, for each of ggml's levels of polling (ggml-cpu.c, n_rounds)."""

SLEEPS = 0.9
"""A waiter that slept so often for each message spun in vain before: its CPU time tells how long that took."""


class System(Struct, frozen=True):
    """A system that has ways to wait.

    Attributes:
        title: what is configured.
        mechanisms: those of ours that stand for its ways.
        param: the parameter by which those differ.
        lines: what to write, by its value; `*` for every number.
        crowd: the same of those that let a crowd go; none where it has no crowds.
        runtime: in which the system is written, where several of ours have the mechanism; empty for any.
    """

    title: str
    mechanisms: tuple[str, ...]
    param: str
    lines: Mapping[str, str]
    crowd: tuple[str, ...] = ()
    runtime: str = ""


@cache
def systems() -> Mapping[str, System]:
    """All of them by their names."""
    return msgspec.toml.decode((files(__package__) / "systems.toml").read_bytes(), type=dict[str, System])


def mechanisms_of(required: Requirement) -> tuple[str, ...]:
    """Those of ours that stand for the ways of the system that was asked for; raises UsageError where it has none."""
    system = systems()[required.system]
    found = system.crowd if required.workers else system.mechanisms
    if not found:
        asked, others = ("--workers", "messages") if required.workers else ("--rate", "crowds")
        raise UsageError(f"--for {required.system} does not go with {asked}: what it configures waits for {others}.")
    return found


def configure(advice: Advice) -> str | None:
    """What to write into the configuration of the system that was asked for; None where nothing is advised."""
    system, chosen = systems()[advice.required.system], advice.chosen
    if chosen is None:
        return None
    value = chosen.case.params[system.param]
    line = system.lines.get(str(value)) or system.lines["*"]
    if system.param != SPINS:
        return line
    spin_ns = spin_time(advice.ways, chosen.case.runtime) if value else 0.0
    if spin_ns is None:
        return None
    ns = spin_ns * int(value)
    polls = ceil(int(value) / GGML_LOOKS)
    times = {"polls": polls, "ns": round(ns), "us": ceil(ns / 1e3), "ms": ceil(ns / 1e6), "s": f"{ns / 1e9:.2g}"}
    return line.format(value=value, **times)


def spin_time(ways: Sequence[JudgedWay], runtime: str) -> float | None:
    """How long a spin takes (ns), a load and a PAUSE, by what ways that slept for each message took of the CPU.

    The more they spin before they sleep, the more CPU time each message takes: what a further spin adds. None where
    fewer than two ways of the runtime slept.
    """
    slept = sorted(
        (int(one.case.params[SPINS]), one.cpu_ns / max(1, one.case.threads - 1))
        for one in ways
        if SPINS in one.case.params and one.case.runtime == runtime and one.sleeps >= SLEEPS and one.cpu_ns
    )
    if len(slept) < 2:
        return None
    (fewest, least_ns), (most, most_ns) = slept[0], slept[-1]
    return (most_ns - least_ns) / (most - fewest) if most > fewest and most_ns > least_ns else None
