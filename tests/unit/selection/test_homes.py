"""Where cells are made: whose CPUs, for which threads, and what there is no home for."""

import pytest

from threadping.model import Home, Placement
from threadping.selection.places import homes

APART = Placement("same-l3", (1, 0))
WHOLE = Placement("same-l3", (1, 0), "process")
ANYWHERE = Placement("unpinned", (None, None))


@pytest.mark.parametrize(
    ("asked", "placement", "found"),
    [
        ((), APART, [None]),
        ((), ANYWHERE, [None]),
        # Where the first thread stands anyway is no home of its own:
        (("pong", "ping", "1"), APART, [Home("pong", (0,)), None, Home("node 1", (4, 5))]),
        (("ping",), Placement("same-l3", (1, 0, 1)), [None]),
        (("ping", "pong"), Placement("same-cpu", (1, 1)), [None]),  # once
        (("ping", "pong"), WHOLE, [None]),  # a process that is pinned whole stands on all its CPUs
        (("1",), WHOLE, [Home("node 1", (4, 5))]),
        (("pong",), ANYWHERE, []),
        (("pong", "0"), ANYWHERE, [Home("node 0", (0, 1))]),
        (("0",), Placement("same-node", (0, 1), "process"), [None]),
    ],
)
def test_a_home_is_a_roles_or_a_nodes_and_the_usual_one_has_no_name(
    asked: tuple[str, ...], placement: Placement, found: list[Home | None]
) -> None:
    assert homes(asked, placement, ("ping", "pong"), {"0": (0, 1), "1": (4, 5)}) == found
