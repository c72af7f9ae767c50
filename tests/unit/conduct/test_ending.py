"""What a run ends with that was interrupted, and whose answer cannot be written."""

import errno

import pytest

from tests.golden.fixture import ANSWER
from threadping.conduct.carrying import analysed_or_raise
from threadping.errors import Interrupted
from threadping.model.events import RunEnded

SEEN = tuple(one.observation for one in ANSWER.trials)
CLOSED = OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize(
    ("while_shown", "ends"), [(None, Interrupted), (BrokenPipeError(), Interrupted), (CLOSED, OSError)]
)
def test_what_interrupted_a_run_counts_unless_its_answer_could_not_be_shown(
    while_shown: OSError | None, ends: type[Exception]
) -> None:
    ended = RunEnded(ANSWER.run, SEEN, (), Interrupted("Interrupted."))
    with pytest.raises(ends) as raised, analysed_or_raise(ended) as answer:
        assert answer.rows
        if while_shown:
            raise while_shown
    assert raised.value is (while_shown if ends is OSError else ended.problem)
