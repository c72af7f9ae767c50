"""Which pings `--above` shows."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from threadping.studies.ping.command import crosses


@pytest.mark.parametrize(
    ("values", "crossing"),
    [
        ((26, 127, 126, 60, 26), [127, 60]),  # 60 is not above 60
        ((127, 26), [127, 26]),
        ((26, 30), []),
    ],
)
def test_a_ping_crosses_where_the_one_before_was_on_the_other_side(
    values: Sequence[float], crossing: list[float]
) -> None:
    assert [now for before, now in pairwise([0.0, *values]) if crosses(before, now, 60)] == crossing


def test_a_ping_that_failed_crosses_nothing() -> None:
    assert not crosses(127, None, 60)
