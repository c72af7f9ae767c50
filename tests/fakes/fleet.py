"""A fleet of fake hosts: Dask's own workers in this process, each a host of its own that answers with a planted run."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import msgspec
from msgspec.structs import replace

from threadping.model.run import Host, Observation, Stored
from threadping.output.bundle import embed_runs, unpack_runs
from threadping.studies.fleet.cluster import Connection, HostReport, connected

ONE_WAY = ("latency_ns.typical", "latency_ns.mean")
HEADLINES = {"signal": ONE_WAY, "wakeup": ONE_WAY, "lock": ("ops_per_s",), "queue": ("ops_per_s",)}
SPREAD = 0.02
"""Standard deviation of the logarithms of hosts of a kind."""


def host(name: object) -> str:
    return f"host-{name}"


def look_of(old: Mapping[str, HostReport | None]) -> Callable[..., bytes]:
    """Return a worker's report of its host; some report something else, or have no threadping (None)."""

    def look(dask_worker: Any) -> bytes:
        name = host(dask_worker.name)
        usual = HostReport(Host(f"key-{name}", name, name, "", version("threadping"), "fake"), None, time.time())
        said = old.get(name, usual)
        if said is None:
            raise ModuleNotFoundError("No module named 'threadping'")
        return msgspec.msgpack.encode(said)

    return look


def of_host(template: Stored, name: str, slower: float = 1.0) -> Stored:
    """Return the run of a host that differs slightly from others, and is slower by a factor."""
    chance = random.Random(name)
    by_case: dict[object, float] = {}

    def changed(seen: Observation) -> Observation:
        factor = by_case.setdefault(seen.case, chance.gauss(0, SPREAD))
        times = slower * math.exp(factor + chance.gauss(0, SPREAD))
        headlines = HEADLINES[seen.case.experiment]
        figures = {key: value * times if key in headlines else value for key, value in seen.figures.items()}
        return replace(seen, figures=figures)

    run = replace(template.run, machine=replace(template.run.machine, hostname=name))
    return replace(template, run=run, observations=tuple(map(changed, template.observations)))


def measure_of(run: bytes, planted: Mapping[str, float], instead: Mapping[str, bytes]) -> Callable[..., bytes]:
    """Return a worker's run: slightly different on each host, slower by a planted factor, or replaced."""

    def measure(_words: object, _fleet: str, _limit_s: float) -> bytes:
        from distributed import get_worker

        name = host(get_worker().name)
        if name in instead:
            return instead[name]
        (one,) = unpack_runs(run, "the template")
        sent = embed_runs([of_host(one, name, planted.get(name, 1.0))])
        return msgspec.msgpack.encode((sent.encode(), ""))

    return measure


def fake_hosts(
    run: bytes,
    planted: Mapping[str, float] = {},
    instead: Mapping[str, bytes] = {},
    looks: Mapping[str, HostReport | None] = {},
) -> Callable[[str], Any]:
    """In place of `connected`: a connection to whose workers all this was planted."""

    @contextmanager
    def connect(address: str) -> Iterator[Connection]:
        with connected(address) as real:
            yield Connection(real.client, look_of(looks), measure_of(run, planted, instead))

    return connect
