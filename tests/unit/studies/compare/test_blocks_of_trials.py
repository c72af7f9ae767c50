"""Six orders, each as likely; and what is masked is decided by pings and failures alone."""

from collections import Counter

import pytest

from threadping.studies.compare.blocks import ORDERS, SideTrial, TrialBlock, is_spoilt, masked, order


def test_orders_are_uniform_and_those_of_other_blocks_pairs_and_seeds_are_others() -> None:
    drawn = [order(seed, pair, block) for seed in range(10) for pair in range(10) for block in range(60)]
    assert set(drawn) == set(ORDERS) and len(ORDERS) == 6
    assert all(900 < times < 1100 for times in Counter(drawn).values())
    for here, there in ((drawn[:-1], drawn[1:]), (drawn[:-60], drawn[60:]), (drawn[:-600], drawn[600:])):
        assert 0.14 < sum(one == other for one, other in zip(here, there, strict=True)) / len(here) < 0.19
    assert order(7, 1, 2) == order(7, 1, 2)


@pytest.mark.parametrize(
    ("pings", "out"),
    [
        (((24, 25), (25, 26), (26, 24), (24, 24)), "...."),
        (((24, 25), (25, 32), (32, 24), (24, 24)), ".xx."),  # crossed, there and back
        (((24, 24), (24, 24), (33, 33), (24, 24)), "..x."),  # in another state
        (((33, 33), (33, 33), (33, 33), (24, 24)), "...x"),
        (((None, None), (None, None), (None, None), (None, None)), "...."),
        (((24, None), (None, 24), (None, None), (40, None)), "...x"),
    ],
)
def test_masks(pings: tuple[tuple[float | None, float | None], ...], out: str) -> None:
    """Values, and which side a trial is of, make no difference."""
    for sides, values in (("abab", (1.0, 9.0, 4.0, 2.0)), ("bbaa", (5.0, 5.0, 5.0, 5.0))):
        block = TrialBlock(
            tuple(
                SideTrial("a" if side == "a" else "b", value, *around)
                for side, value, around in zip(sides, values, pings, strict=True)
            )
        )
        assert masked(block) == tuple(one == "x" for one in out)
        assert is_spoilt(block) is (out.count("x") > 1)


def test_a_trial_without_a_value_that_has_a_logarithm_is_masked() -> None:
    assert masked(
        TrialBlock((SideTrial("a", None), SideTrial("b", 0.0), SideTrial("a", 1.0), SideTrial("b", 1.0)))
    ) == (True, True, False, False)
