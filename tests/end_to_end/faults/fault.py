"""What a fault is: how it is brought about, and what must come of it; and the bench on which that happens."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from platform import machine
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from tests.end_to_end.conftest import THREADPING, Command, Done
from tests.fakes.answers import PROGRAM, put_fake_probe
from tests.golden.fixture import APART, CAS, RUN
from tests.unit.store.examples import a_trial, add
from threadping.model.run import RunStatus
from threadping.store.store import Store, open_store

MEASURE = "run signal --placement same-l3 --budget 1s"
"""A measurement of one case and three trials."""

ANSWER, SILENCE = "its answer", "nothing"
"""What is said where nothing needs to be."""


Before = Callable[["Bench"], object]
"""Brings a fault about."""

Way = Callable[["Bench", str], Done]
"""A way to run a command."""


class Kept(NamedTuple):
    """What a fault must leave, in a person's words, and the question to the store or the files that shows it."""

    words: str
    holds: Callable[["Bench"], None]


class How(NamedTuple):
    """How a fault that a text tells is brought about, and what it must leave."""

    kept: Kept
    before: Before | None = None
    run: Way | None = None


@dataclass(frozen=True)
class Fault:
    """One row of the table.

    Attributes:
        title: what happened, as a person would tell it.
        command: what was asked of threadping.
        code: its exit code.
        says: its error without the name of the program or, where it is none, a sentence of its output; what differs
            from machine to machine is an ellipsis.
        kept: what is left.
        before: brings the fault about.
        run: how the command is started.
        env: more variables; those of the fake probe say what it does.
    """

    title: str
    command: str
    code: int
    says: str
    kept: Kept
    before: Before | None = None
    run: Way | None = None
    env: dict[str, str] = field(default_factory=dict)

    def happens(self, bench: "Bench") -> Done:
        """Bring it about, and run the command."""
        bench.env.update(self.env)
        if self.before:
            self.before(bench)
        bench.remember()
        return (self.run or Bench.run)(bench, self.command)


def records(file: str) -> Iterator[tuple[str, str, int, str]]:
    """Read the text beside a module: a fault's title, what brings it about, its exit code and its sentence."""
    for record in Path(file).with_suffix(".txt").read_text().split("\n\n"):
        title, cause, answer = (line.strip() for line in record.splitlines())
        code, _, says = answer.partition(" ")
        yield title, cause, int(code), says


def fault(title: str, cause: str, code: int, says: str, how: How) -> Fault:
    """Return the fault of a record whose cause is a command, behind the variables that it is given."""
    variables, _, words = cause.partition("threadping ")
    env = dict(word.split("=", 1) for word in shlex.split(variables))
    return Fault(title, words, code, says, how.kept, how.before, how.run, env)


def read_faults(file: str, how: Mapping[str, How]) -> tuple[Fault, ...]:
    """Return the faults of the text beside a module; one of which `how` says nothing begins nothing."""
    found = tuple(fault(*record, how.get(record[0], How(NOTHING))) for record in records(file))
    assert how.keys() <= {one.title for one in found}
    return found


def put_a_run(store: Store) -> None:
    run = store.begin(replace(RUN, id=0, cases=(replace(CAS, placement=APART),)))
    add(store, run.id, *(a_trial(case=run.cases[0], position=place) for place in range(2)))
    store.finish(replace(run, status="complete"))


@cache
def _store_of_a_run() -> bytes:
    with TemporaryDirectory() as folder:
        with open_store(f"{folder}/runs.sqlite3") as store:
            put_a_run(store)
        return Path(f"{folder}/runs.sqlite3").read_bytes()


class Bench:
    """A machine, a store and a folder of one fault: commands run there, with the fake probe in place of the real."""

    def __init__(
        self,
        with_fake: Command,
        environment: dict[str, str],
        probes: Path,
        store: Path,
        patch: pytest.MonkeyPatch,
        holds: ExitStack,
    ) -> None:
        """Nothing has happened to it yet; `patch` is undone, and what it `holds` closed, when the fault is over."""
        self.with_fake, self.environment, self.probes, self.store, self.patch = (
            with_fake,
            environment,
            probes,
            store,
            patch,
        )
        self.folder = store.parent
        self.env: dict[str, str] = {"FAKE_MECHANISMS": "steady"}
        self.rounds = 3
        self.remembered: dict[str, bytes] = {}
        self.holds = holds
        self.runs_before = 0

    def run(self, command: str) -> Done:
        """Run a command in this process, on a clock that counts."""
        return self.with_fake(*shlex.split(command), env=self.env, rounds=self.rounds)

    def start(self, command: str, *around: str, real: bool = True, **how: object) -> "subprocess.Popen[str]":
        """Start a command in a process of its own, as a terminal does; `around` stands before it, such as a shell.

        Its probes are processes too, and the clock the machine's, unless it is not the `real` program.
        """
        if not real:
            (program := self.probes / "threadping").write_text(PROGRAM)
            program.chmod(0o755)
        process: subprocess.Popen[str] = subprocess.Popen(
            [*around, THREADPING if real else program, *shlex.split(command)],
            **{
                "env": {**self.environment, "THREADPING_PROBES": str(self.probes), **self.env},
                "cwd": self.folder,
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "text": True,
                "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                **how,
            },  # type: ignore[call-overload]
        )
        return process

    def store_a_run(self) -> None:
        """Put a run of two trials into the store, of a machine that is not here."""
        if not self.store.exists():
            self.store.write_bytes(_store_of_a_run())
            return
        with open_store(str(self.store)) as store:
            put_a_run(store)

    def write(self, name: str, content: bytes | str) -> Path:
        """Put a file beside the store."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def probe(self, script: str) -> None:
        """Put a shell script in the probe's place, in which `works` is the fake one."""
        put_fake_probe(self.probes / "works")
        self.write_program(self.probes / "threadping-probe", f"works={self.probes / 'works'}\n{script}\n")

    def write_program(self, path: Path, script: str) -> None:
        """Put a shell script there, to be executed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)

    def remember(self) -> None:
        """What is there before the command."""
        self.remembered = self.files()
        self.runs_before = self.runs()

    def files(self) -> dict[str, bytes]:
        """What the files are that a person has: neither probes, nor the lock, nor what SQLite keeps beside a store."""
        own = (one for one in self.folder.iterdir() if one.is_file() and one.name != "lock")
        return {one.name: one.read_bytes() for one in own if not one.name.endswith(("-wal", "-shm"))}

    def reasons(self) -> list[str]:
        """Why trials of the last run failed."""
        try:
            with open_store(str(self.store), create=False) as store:
                found = store.observations(store.run("last"))
        except Exception:  # a store that is the fault itself
            return []
        return list(dict.fromkeys(one.failure.message for one in found if one.failure))

    def runs(self) -> int:
        """How many runs the store has; none where it is no store."""
        try:
            with open_store(str(self.store), create=False) as store:
                return len(store.listed(1000)[0])
        except Exception:  # a store that is the fault itself
            return 0


def in_shell(script: str, *, real: bool = True) -> Way:
    """The command in a process of its own, started by a shell that first does something; `"$@"` is the command."""

    def run(bench: Bench, command: str) -> Done:
        process = bench.start(command, "sh", "-c", script, "sh", real=real)
        stdout, stderr = process.communicate(timeout=60)
        return Done(process.returncode, stdout, stderr)

    return run


def normal(text: str, bench: Bench) -> str:
    """In one line, without what differs between two machines: folders, processes, times."""
    text = " ".join(text.split())
    text = text.replace(f"({machine()})", "(\N{HORIZONTAL ELLIPSIS})")
    for folder in (bench.folder, Path(os.path.realpath(sys.executable)).parent.parent):
        text = text.replace(str(folder), "\N{HORIZONTAL ELLIPSIS}")
    for pattern, instead in (
        (r"process \d+", "process \N{HORIZONTAL ELLIPSIS}"),
        (r"since \d\d:\d\d:\d\d", "since \N{HORIZONTAL ELLIPSIS}"),
        (r"\b[\d.]+ s after", "\N{HORIZONTAL ELLIPSIS} s after"),
        (r"(?<=127.0.0.1:)\d+|(?<=port )\d+", "\N{HORIZONTAL ELLIPSIS}"),
        (r"(?<=matching regex ').*?(?='( - at|\)|$))", "\N{HORIZONTAL ELLIPSIS}"),
        (r"\d+(?=-65535)|(?<=Write --cpus )0-\d+", "\N{HORIZONTAL ELLIPSIS}"),
        (r", other-load \(\d+\)", ""),  # which is the load of the machine that tests
        (r"(?<=threadping-run-1-)\w+", "\N{HORIZONTAL ELLIPSIS}"),
        (r"(?<=\b1 of )\d+(?= rounds)", "\N{HORIZONTAL ELLIPSIS}"),  # by how fast this machine starts a process
        (r"found in \[.*?\]", "found in [\N{HORIZONTAL ELLIPSIS}]"),
        (r"(?:/tmp|/dev/shm)/[\w./-]+", "\N{HORIZONTAL ELLIPSIS}"),
    ):
        text = re.sub(pattern, instead, text)
    return text


def said(done: Done, bench: Bench) -> str:
    """The line that a person reads first of what went wrong: the error, without the program's name."""
    for line in done.stderr.splitlines():
        if line.startswith("threadping: "):
            return normal(line.removeprefix("threadping: "), bench)
    return ""


SUMMARY = re.compile(r"\d+ of \d+ cases? could not be measured: ")
"""What a run says at its end of cases without a figure, before their first error."""


def check(fault: Fault, done: Done, bench: Bench) -> None:
    """The exit code, the sentence, and what is kept are those of the fault."""
    whole, error = normal("\n".join([done.stderr, done.stdout, *bench.reasons()]), bench), said(done, bench)
    assert "Traceback" not in whole
    assert done.returncode == fault.code, whole
    if fault.says == ANSWER:
        assert (error, "run" in "".join(done.stdout.split())) == ("", True), whole
    elif fault.says == SILENCE:
        assert (error, done.stdout) == ("", "")
    elif error and not SUMMARY.match(error):
        assert error == fault.says, whole
    else:
        assert fault.says in whole
        assert not error or error.endswith("--trials` shows each trial.")
    fault.kept.holds(bench)


# ---- what is kept ----


def _begins_nothing(bench: Bench) -> None:
    assert bench.runs() == bench.runs_before


NOTHING = Kept("nothing was begun", _begins_nothing)


def _changes_nothing(bench: Bench) -> None:
    assert bench.files() == bench.remembered


UNCHANGED = Kept("every file unchanged", _changes_nothing)


def trials(good: int, of: int | None = None, status: str = "complete") -> Kept:
    """So many good trials of all of them, in a run that ended so."""

    def holds(bench: Bench) -> None:
        with open_store(str(bench.store), create=False) as store:
            run = store.run("last")
            found = store.observations(run)
        assert (len([one for one in found if one.failure is None]), len(found), run.status) == (good, all_of, status)

    all_of = good if of is None else of
    number = f"all {good} trials" if good == all_of else f"{good} of {all_of} trials, and why the others failed"
    return Kept(number if good else f"why {all_of} trials failed", holds)


def others_use(share: float) -> Before:
    """Other programs use this share of the CPU time."""
    return lambda bench: bench.patch.setattr("threadping.conduct.runner.others_since", lambda _cpus: lambda: share)


def without_failures(bench: Bench, status: RunStatus, least: int) -> None:
    with open_store(str(bench.store), create=False) as store:
        run = store.run("last")
        found = store.observations(run)
    assert (run.status, len(found) >= least, all(one.failure is None for one in found)) == (status, True, True)


WHOLE = Kept("all trials", partial(without_failures, status="complete", least=1))
ALL_3 = How(trials(3))
NONE_TWICE = Kept("all 3 trials, none twice", trials(3).holds)
STORED = How(UNCHANGED, Bench.store_a_run)
"""Nothing is done to a store with a run."""


def case_trials(**good: int) -> Kept:
    """So many good trials of each mechanism; of one that has none, at least one that says why."""

    def holds(bench: Bench) -> None:
        with open_store(str(bench.store), create=False) as store:
            found = store.observations(store.run("last"))
        for name, number in good.items():
            mine = [one.failure is None for one in found if one.case.mechanism == name.replace("_", "-")]
            assert (sum(mine), bool(mine)) == (number, True), name

    return Kept("all trials of the other case, and why these failed", holds)
