"""What the benchmark of pages puts together and measures."""

from pathlib import Path

from benchmarks.page.__main__ import put_together
from tests.golden.fixture import MOVED
from threadping.conduct.stored import answered
from threadping.store.database import open_store


def test_runs_put_together_are_one_of_all_their_trials(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "one.sqlite3")) as one, open_store(str(tmp_path / "two.sqlite3")) as two:
        one.take(MOVED.stored)
        put_together(one, ["1", "last"], two)
        found = answered(two, "1")
    assert (len(found.trials), len(found.states.pings)) == (2 * len(MOVED.trials), 2 * len(MOVED.states.pings))
    times = [ping.at for ping in found.states.pings]
    assert times == sorted(times)
    assert found.run.cases == MOVED.run.cases
    assert [ping.trials for ping in found.states.pings] == [
        ping.trials + more for more in (0, len(MOVED.trials)) for ping in MOVED.states.pings
    ]
