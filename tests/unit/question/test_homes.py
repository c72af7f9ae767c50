"""Where cells are made: whose CPUs, for which threads, and what there is no home for."""

import pytest

from threadping.model import Home, Placement
from threadping.question.homes import homes

NODES = {"0": (0, 1), "1": (4, 5)}
SIGNAL, LOCK = ("ping", "pong"), ("worker",)
APART = Placement("same-l3", (1, 0))
WHOLE = Placement("same-l3", (1, 0), "process")
ANYWHERE = Placement("unpinned", (None, None))

NODE_0, NODE_1 = Home("node 0", (0, 1)), Home("node 1", (4, 5))


@pytest.mark.parametrize(
    ("asked", "placement", "roles", "found"),
    [
        ((), APART, SIGNAL, [None]),
        ((), ANYWHERE, SIGNAL, [None]),
        (("pong",), APART, SIGNAL, [Home("pong", (0,))]),
        (("ping",), APART, SIGNAL, [None]),  # which is where the first thread stands anyway
        (("pong", "ping", "1"), APART, SIGNAL, [Home("pong", (0,)), None, NODE_1]),
        (("worker",), Placement("same-l3", (1, 0, 1)), LOCK, [None]),
        (("ping", "pong"), Placement("same-cpu", (1, 1)), SIGNAL, [None]),  # once
        (("ping", "pong"), WHOLE, SIGNAL, [None]),  # a process that is pinned whole stands on all its CPUs
        (("1",), WHOLE, SIGNAL, [NODE_1]),
        (("pong",), ANYWHERE, SIGNAL, []),
        (("pong", "0"), ANYWHERE, SIGNAL, [NODE_0]),
        (("0",), Placement("same-node", (0, 1), "process"), SIGNAL, [None]),
    ],
)
def test_a_home_is_a_roles_or_a_nodes_and_the_usual_one_has_no_name(
    asked: tuple[str, ...], placement: Placement, roles: tuple[str, ...], found: list[Home | None]
) -> None:
    assert homes(asked, placement, roles, NODES) == found
