"""The fake probe's latency between CPUs, planted by the environment."""

from __future__ import annotations

import os

from tests.fakes.fake_description import SPINNING, named
from tests.fakes.fake_messages import read, write

TYPE_CHECKING = False  # it starts hundreds of times: imports would take longer than all that it does
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]


def one_way_ns(request: Message) -> float:
    """A trial of cas-one-line takes what the last reference ping took; a ping has 64 lines."""
    planted = os.environ.get("FAKE_APART")
    if os.environ.get("FAKE_OF_L3"):
        return planted_ns([thread["cpu"] for thread in request["threads"]], request["seed"])
    if request["mechanism"] != "cas-one-line" or not planted:
        noise: float = float(os.environ.get("FAKE_NOISE", "0")) * (request["seed"] % 997) / 997
        return (100.0 if request["mechanism"] in SPINNING else 2000.0) * (1 + noise)
    count = f"{planted}.count"
    pinged = int(read(count)) if os.path.exists(count) else 0
    if request["lines"] == 64:
        pinged += 1
        write(count, str(pinged))
    levels = read(planted).split()
    return float(levels[(pinged - 1) % len(levels)])


def planted_ns(cpus: list[int | None], seed: int) -> float:
    """Pairs of one L3 are 24 ns apart, others 87, and FAKE_NOISE more or less; CPUs of FAKE_OFFLINE went away.

    The scheduler puts each thread on an L3 of its own.
    """
    gone = [int(cpu) for cpu in named("FAKE_OFFLINE")]
    if any(cpu in gone for cpu in cpus):
        return 0.0
    l3s = {-at if cpu is None else cpu // int(os.environ["FAKE_OF_L3"]) for at, cpu in enumerate(cpus, 1)}
    noise: float = float(os.environ.get("FAKE_NOISE", "0")) * (seed % 997) / 997
    return (24.0 if len(l3s) == 1 else 87.0) * (1 + noise)
