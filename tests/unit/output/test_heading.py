"""What stands above an answer: how long a run measured, and how often it was resumed."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden.fixture import RUN
from threadping.model.contract import OUTLIERS
from threadping.model.run import Premises, Resumed
from threadping.output.heading import how_often_resumed, to_resume, took

BEGAN = "2026-03-01T09:30:00+00:00"
PREMISES = Premises({}, (), (), (), OUTLIERS)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ended": "2026-03-01T09:31:00+00:00"}, "1 min"),
        ({"ended": "2026-03-01T10:31:59+00:00"}, "1 h 2 min"),
        ({"ended": "2026-03-01T10:32:01+00:00"}, ""),  # beyond twice its budget and an hour
        ({"ended": "2026-03-01T08:30:02+00:00"}, ""),  # the clock was set back
        ({"ended": "1970-01-01T00:00:00+00:00"}, ""),
        ({"ended": "2026-03-01T08:30:02+00:00", "took_s": 42.4}, "42 s"),  # by another clock
        ({"ended": "2029-05-01T08:30:02+00:00", "took_s": 61.0}, "1 min 1 s"),  # which leaves interruptions out
        ({"ended": None}, ""),
        ({"ended": "2026-03-01T09:31:00+00:00", "took_s": float("nan")}, "1 min"),  # what a stranger's run may hold
        ({"ended": None, "took_s": float("inf")}, ""),
        ({"ended": None, "took_s": -1.0}, ""),
    ],
)
def test_how_long_a_run_took_is_told_by_a_clock_that_nobody_sets_or_not_at_all(
    changes: dict[str, Any], expected: str
) -> None:
    assert took(replace(RUN, **{"started": BEGAN, "budget_s": 60.0, "took_s": None, **changes})) == expected


def test_what_stopped_too_soon_can_be_resumed_and_says_how_often_it_was() -> None:
    stopped = replace(RUN, id=3, status="interrupted", premises=PREMISES)
    assert to_resume(stopped) == to_resume(replace(stopped, status="failed"))
    assert [*to_resume(stopped)] == ["threadping resume 3"]
    for other in ({"id": 0}, {"status": "complete"}, {"status": "running"}, {"premises": None}):
        assert to_resume(replace(stopped, **other)) == {}
    said = [[*how_often_resumed(replace(RUN, resumed=(Resumed(BEGAN, 1, 2),) * times))] for times in range(4)]
    assert said == [[], ["resumed once"], ["resumed twice"], ["resumed 3 times"]]
