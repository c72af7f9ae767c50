"""Signals end a command while it starts, and kills end it at any trial."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Command
from tests.fakes.answers import put_fake_probe
from threadping.model.errors import ThreadpingError
from threadping.model.run import Observation, Run
from threadping.store.store import open_store

ON_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "threadping.cli.app":
            for number in NUMBERS:
                os.kill(os.getpid(), number)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has Ctrl-C switched off,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and what nohup starts the closing of the terminal
sys.meta_path.insert(0, Finder())
from threadping.__main__ import main
main()
"""


@pytest.mark.parametrize("came", [("SIGINT",), ("SIGTERM",), ("SIGHUP",), ("SIGINT", "SIGINT", "SIGTERM", "SIGHUP")])
def test_what_ends_it_while_it_is_imported_is_one_line_and_130(came: tuple[str, ...]) -> None:
    numbers = [int(signal.Signals[name]) for name in came]
    program = ON_IMPORT.replace("NUMBERS", str(numbers))
    done = subprocess.run([sys.executable, "-c", program, "list"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "threadping: Interrupted.\n")


KILLS, TRIALS = 6, 5
RUN = ("run", "signal", "--mechanism", "steady", "--placement", "same-l3", "--budget", "5s")


def put_counting_probe(probes: Path, begun: Path) -> None:
    """The fake probe, which writes a line for each trial that begins; reference pings are none."""
    put_fake_probe(probes / "works")
    count = f"""[ "$1" = run ] && grep -q '"mechanism":"steady"' "$3" && echo >> {begun}"""
    (probes / "threadping-probe").write_text(f'#!/bin/sh\n{count}\nexec {probes / "works"} "$@"\n')


def killed_when(begun: Path, trials: int, late_s: float, command: Command, *words: str) -> None:
    """Run a command in a copy of this process, killed `late_s` seconds after `trials` trials have begun."""
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
    elif run.status == "complete":  # it ended before the kill
        assert with_fake("runs resume last").returncode == 2
    else:
        assert run.status == "interrupted"
        assert with_fake("runs resume last").returncode == 0
        whole, every = last(store)
        assert whole and (whole.id, whole.status) == (run.id, "complete")
        assert every[: len(stored)] == stored
        assert len(every) == len({(one.round, one.position) for one in every}) >= 3
    assert [*temporary.iterdir()] == []
