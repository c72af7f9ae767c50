"""kill -9 at any moment: what had been measured is there, and all goes on as if nothing had been."""

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import put_fake_probe
from tests.end_to_end.conftest import Command
from threadping.model.errors import ThreadpingError
from threadping.model.run import Observation, Run
from threadping.store.database import open_store

KILLS, TRIALS = 6, 5
RUN = ("signal", "--mechanism", "steady", "--placement", "same-l3", "--budget", "5s")


def put_counting_probe(probes: Path, begun: Path) -> None:
    """The fake probe, which writes a line for each trial that begins; reference pings are none."""
    put_fake_probe(probes / "works")
    count = f"""[ "$1" = run ] && grep -q '"mechanism":"steady"' "$3" && echo >> {begun}"""
    (probes / "threadping-probe").write_text(f'#!/bin/sh\n{count}\nexec {probes / "works"} "$@"\n')


def killed_when(begun: Path, trials: int, late_s: float, command: Command, *words: str) -> None:
    """Run it in a copy of this process, which is killed so late after so many trials have begun."""
    child = os.fork()
    if not child:
        try:
            command(*words, env={"FAKE_PAUSE": "0.03"}, rounds=TRIALS)
        finally:
            os._exit(0)
    while len(begun.read_bytes()) < trials and not os.waitpid(child, os.WNOHANG)[0]:
        time.sleep(0.002)
    time.sleep(late_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def last(store: Path) -> tuple[Run | None, list[Observation]]:
    """The last run and what is stored of it; none where it had not begun."""
    try:
        with open_store(str(store), create=False) as opened:
            return (run := opened.run("last")), opened.observations(run)
    except ThreadpingError:
        return None, []


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_kill_costs_the_trial_that_ran_and_the_run_goes_on_as_if_nothing_had_been(
    with_fake: Command, fake_probes: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice, begun, temporary = random.Random(seed), tmp_path / "begun", tmp_path / "temporary"
    begun.touch()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    put_counting_probe(fake_probes, begun)
    killed_when(begun, dice.randrange(TRIALS), dice.uniform(0, 0.06), with_fake, *RUN)
    number, (run, stored) = len(begun.read_bytes()), last(store)
    assert number - 1 <= len(stored) <= number
    assert all(one.failure is None for one in stored)
    if store.exists():
        with closing(sqlite3.connect(store)) as database:
            assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    if run is None:
        assert with_fake(*RUN).returncode == 0
    elif run.status == "complete":  # it was quicker
        assert with_fake("resume", "last").returncode == 2
    else:
        assert run.status == "interrupted"
        assert with_fake("resume", "last").returncode == 0
        whole, every = last(store)
        assert whole and (whole.id, whole.status) == (run.id, "complete")
        assert every[: len(stored)] == stored
        assert len(every) == len({(one.round, one.position) for one in every}) >= 3
    assert [*temporary.iterdir()] == []
