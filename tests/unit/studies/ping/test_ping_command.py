"""Which pings `--above` shows."""

from collections.abc import Sequence

import pytest

from threadping.model.trials import PingLine, ReferencePing
from threadping.studies.ping.command import crosses


@pytest.mark.parametrize(
    ("values", "crossing"),
    [
        ((26, 127, 126, 60, 26), [127, 60]),  # 60 is not above 60
        ((127, 26), [127, 26]),
        ((26, None, 127, None, 127), [127]),
        ((26, 30), []),
    ],
)
def test_a_ping_crosses_where_the_one_before_was_on_the_other_side(
    values: Sequence[float | None], crossing: list[float]
) -> None:
    pings = [PingLine(ReferencePing((0, 1), seq, 0, ns), seq, seq) for seq, ns in enumerate(values)]
    other = PingLine(ReferencePing((0, 2), 0, 0, 500), 0, 0)
    heard = [[other, *pings[: place + 1]] for place in range(len(pings))]
    assert [taken[-1].ping.ns for taken in heard if crosses(taken, 60)] == crossing
