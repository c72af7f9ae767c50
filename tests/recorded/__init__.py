"""Hybrid machines as `threadping-probe topology` describes them, from files of /sys that were written by hand.

They are numbered as their owners report: a Core Ultra 7 155H (nviennot/core-to-core-latency#142), an Arrow Lake-U, and
a board of Arm's big.LITTLE.
"""

from pathlib import Path

import msgspec

from threadping.model.contract import Topology


def hybrid(name: str) -> Topology:
    return msgspec.json.decode(Path(__file__).with_name(f"{name}.json").read_bytes(), type=Topology)


ULTRA_155H, ULTRA_225U, RK3588 = hybrid("ultra-155h"), hybrid("ultra-225u"), hybrid("rk3588")
