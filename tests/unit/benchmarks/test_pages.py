"""What the benchmark of pages puts together and measures."""

import sys
from pathlib import Path

import pytest

from benchmarks.page.__main__ import put_together, spent
from benchmarks.records import Unmeasured
from tests.golden.fixture import MOVED
from threadping.cli.history import answered
from threadping.store import open_store


def test_runs_put_together_are_one_of_all_their_trials(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "one.sqlite3")) as one, open_store(str(tmp_path / "two.sqlite3")) as two:
        one.take(MOVED.run, [each.observation for each in MOVED.trials], MOVED.states.pings)
        put_together(one, ["1", "last"], two)
        found = answered(two, "1")
    assert (len(found.trials), len(found.states.pings)) == (2 * len(MOVED.trials), 2 * len(MOVED.states.pings))
    times = [ping.at for ping in found.states.pings]
    assert times == sorted(times)
    assert found.run.cases == MOVED.run.cases
    assert [ping.trials for ping in found.states.pings] == [
        ping.trials + more for more in (0, len(MOVED.trials)) for ping in MOVED.states.pings
    ]


def test_what_a_process_takes_is_its_own() -> None:
    small = spent((sys.executable, "-S", "-c", ""))
    large = spent((sys.executable, "-S", "-c", "held = b'1' * 200_000_000; print(sum(range(1_000_000)))"))
    assert large.memory_mb > 195
    assert large.cpu_s > small.cpu_s
    with pytest.raises(Unmeasured, match="no room"):
        spent((sys.executable, "-c", "import sys; sys.exit('no room')"))
