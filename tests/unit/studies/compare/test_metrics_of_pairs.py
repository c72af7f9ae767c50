"""What `compare` refuses before it measures."""

import pytest
from msgspec.structs import replace

from tests.golden.fixture import APART, make_case
from threadping.model.errors import UsageError
from threadping.studies.compare.cases import Pairs, having

RINGS = [replace(make_case(name, "cpp", APART), experiment="ring") for name in ("sequenced-ring", "disruptor")]
SIGNALS = [make_case(name, "cpp", APART) for name in ("cas-one-line", "release-one-line")]


@pytest.mark.parametrize("asked", ["p99", "mean"])
def test_time_in_a_full_queue_is_refused_before_it_is_measured(asked: str) -> None:
    """It was compared as latency: "B is slower: 7.590x", with exit code 3."""
    rings = (RINGS[0], RINGS[1])
    with pytest.raises(UsageError, match=rf"--metric {asked}. Time in a full queue is no latency: give --in-flight 1"):
        having(Pairs((rings,), ()), asked)
    both = having(Pairs((rings, (SIGNALS[0], SIGNALS[1])), ()), asked)
    assert both.found == ((SIGNALS[0], SIGNALS[1]),)
    assert [one.what for one in both.skipped] == ["ring sequenced-ring cpp same-l3"]
    in_flight = tuple(replace(case, params={"in-flight": "1"}) for case in rings)
    assert len(having(Pairs(((in_flight[0], in_flight[1]),), ()), asked).found) == 1
    assert having(Pairs((rings,), ()), "headline").found == (rings,)


def test_a_figure_that_an_experiment_does_not_have_is_refused() -> None:
    paced = replace(SIGNALS[0], experiment="paced")
    with pytest.raises(UsageError, match=r"--metric rate\. paced has no such figure"):
        having(Pairs(((paced, paced),), ()), "rate")
