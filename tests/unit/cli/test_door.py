"""Import validation refuses a foreign file in a sentence, or every command can read it; neither costs much."""

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CapturedStream
from tests.fuzz.pages import fuzz, mutants
from tests.golden.fixture import CAS, MOVED, OBSERVATIONS
from threadping.cli import app
from threadping.conduct.pages import load_bundle
from threadping.model.cases import Placement
from threadping.model.contract import Distribution
from threadping.model.errors import PageUnreadable
from threadping.model.run import NOBODY, Comparing, Owner, Pairing, ReferencePing, Requirement, Stored
from threadping.output import bundle
from threadping.output.bundle import CLOSE, OPEN, embed_runs
from threadping.store.store import open_store

WHOLE = replace(MOVED.stored, observations=MOVED.stored.observations[:17])
TRIAL = OBSERVATIONS[0]


def with_run(**changes: Any) -> str:
    """A run with other fields, deep ones with dots: `machine.hostname`."""
    of: Any = msgspec.to_builtins(WHOLE.run)
    for name, value in changes.items():
        *path, leaf = name.split("__")
        inner = of
        for step in path:
            inner = inner[int(step) if step.isdigit() else step]
        inner[leaf] = value
    return embed_runs([replace(WHOLE, run=of)])


def with_trial(**changes: Any) -> str:
    return embed_runs([replace(WHOLE, observations=(replace(TRIAL, **changes), *WHOLE.observations[1:]))])


def with_ping(**changes: Any) -> str:
    return embed_runs([replace(WHOLE, pings=(replace(WHOLE.pings[0], **changes), *WHOLE.pings[1:]))])


def with_study(**studies: Any) -> str:
    return embed_runs([replace(WHOLE, run=replace(WHOLE.run, **studies))])


UNPINNED = replace(CAS, placement=Placement("unpinned", (None, None)))
OF_UNPINNED = replace(WHOLE.run, cases=(), study=Pairing(UNPINNED, (0, 1), ("first",), False))
REFUSED: dict[str, Callable[[], str]] = {
    "a status that there is not": lambda: with_run(status="lost"),
    "a time of no day": lambda: with_run(started="2026-02-31T00:00:00+00:00"),
    "an end that is no time": lambda: with_run(ended="later"),
    "a budget of NaN": lambda: with_run(budget_s=float("nan")),
    "a host name of 10 MB": lambda: with_run(machine__hostname="x" * 10_000_000),
    "a host name of 2 kB": lambda: with_run(machine__hostname="x" * 2_000),
    "groups of none": lambda: with_run(cases__0__group=0),
    "groups of seven": lambda: with_run(cases__0__group=7),
    "no CPUs twice": lambda: with_run(machine__topology__allowed=[0, 99]),
    "a pair that is no case": lambda: with_study(study=Comparing("runtime", "a", "b", ((0, 999),), "mean", 0.03)),
    "a matrix of what is not pinned": lambda: embed_runs([Stored(OF_UNPINNED, (replace(TRIAL, case=UNPINNED),), ())]),
    "a matrix of too many CPUs": lambda: with_study(study=Pairing(CAS, tuple(range(65_536)), ("first",), False)),
    "a matrix of too many pairs": lambda: with_study(study=Pairing(CAS, tuple(range(4_000)), ("first",), False)),
    "an advice with a trial of no case": lambda: with_study(cases=(), study=Requirement(1_000, 1e4)),
    "a trial that began at no time": lambda: with_trial(started="then"),
    "a trial that took less than nothing": lambda: with_trial(wall_ns=-5),
    "a negative figure": lambda: with_trial(figures={**TRIAL.figures, "latency_ns.typical": -5.0}),
    "an endless figure": lambda: with_trial(figures={**TRIAL.figures, "latency_ns.typical": float("inf")}),
    "a figure beyond all": lambda: with_trial(figures={**TRIAL.figures, "latency_ns.typical": 1e300}),
    "a parameter of 2 kB": lambda: with_trial(case=replace(TRIAL.case, params={"wait": "x" * 2_000})),
    "a ping at no time": lambda: with_ping(at=float("nan")),
    "a ping below nothing": lambda: with_ping(ns=-1.0),
    "an endless ping": lambda: with_ping(ns=float("inf")),
    "a ping of no CPU": lambda: with_ping(cpus=(0, 1 << 20)),
    "no runs": lambda: f'{OPEN}{{"format":{bundle.FORMAT},"runs":[]}}{CLOSE}',
    "depth": lambda: f'{OPEN}{{"format":{bundle.FORMAT},"runs":{"[" * 500_000}{CLOSE}',
}


@pytest.mark.parametrize("spoilt", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(spoilt: str) -> None:
    with pytest.raises(PageUnreadable, match=r"^a\.html cannot be imported: .{10,300}\.$") as refused:
        load_bundle(REFUSED[spoilt]().encode(), "a.html")
    assert "matching regex" not in str(refused.value)


def bomb(runs: int = 1) -> bytes:
    """A few kilobytes that expand to six megabytes of values, as often as there are runs."""
    steps = Distribution("ns", (1,) * 3_000_000, (1,) * 3_000_000, 0, 0)
    with patch.object(bundle, "_in_steps", lambda of: of):
        page = embed_runs([Stored(WHOLE.run, (replace(TRIAL, distributions={"latency_ns": steps}),), ())])
    (packed,) = msgspec.json.decode(page.removeprefix(OPEN).removesuffix(CLOSE))["runs"]
    envelope = msgspec.json.encode({"format": bundle.FORMAT, "runs": [packed] * runs}).decode()
    return f"{OPEN}{envelope}{CLOSE}".encode()


@pytest.mark.parametrize("runs", [1, 20])
def test_a_small_page_never_costs_much(runs: int) -> None:
    content = bomb(runs)
    assert len(content) < 5_000 * runs
    with pytest.raises(PageUnreadable, match="it is too large"):  # before it is decoded
        load_bundle(content, "a.html")


def test_a_page_of_many_runs_is_bounded_as_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    values = sum(len(of.values) for seen in WHOLE.observations for of in seen.distributions.values())
    monkeypatch.setattr(bundle, "MOST_OF_ALL", 2 * values)
    owned = replace(WHOLE, run=replace(WHOLE.run, id=77, owner=Owner("here", "boot", 1, 2, "ns", "id")))
    found = [one.run for one in load_bundle(embed_runs([owned] * 2).encode(), "a.html")]
    assert [(run.id, run.owner, run.imported) for run in found] == [(0, NOBODY, True)] * 2  # none of its own
    with pytest.raises(PageUnreadable, match="more figures than any run"):
        load_bundle(embed_runs([WHOLE] * 3).encode(), "a.html")
    monkeypatch.undo()
    monkeypatch.setattr(bundle, "LARGEST_RUN", 2 * len(msgspec.msgpack.encode(WHOLE)))
    with pytest.raises(PageUnreadable, match="too large"):
        load_bundle(embed_runs([WHOLE] * 3).encode(), "a.html")


def test_memory_that_runs_out_and_any_other_fault_of_a_reader_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (MemoryError(), RecursionError("deep"), AssertionError(), AttributeError("of None"), KeyError("x")):
        monkeypatch.setattr("threadping.conduct.pages.digest", lambda _, fault=error: (_ for _ in ()).throw(fault))
        with pytest.raises(PageUnreadable, match=type(error).__name__ if not error.args else str(error.args[0])):
            load_bundle(embed_runs([WHOLE]).encode(), "a.html")


def run(*words: str) -> tuple[int, str]:
    said = CapturedStream(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = app.run(words)
    return code, said.buffer.getvalue().decode()


@pytest.fixture
def location(tmp_path: Path) -> Iterator[str]:
    """A store with one run of this machine, as it measured it, and one with its names that was imported."""
    path = str(tmp_path / "runs.sqlite3")
    with open_store(path) as store:
        ours = store.take(replace(WHOLE, run=replace(WHOLE.run, owner=Owner("", "", 4, 5))))
        file = tmp_path / "theirs.run"
        near = tuple(ReferencePing(one.cpus, one.at, one.trials, 0.5) for one in WHOLE.pings)
        file.write_text(embed_runs([replace(WHOLE, pings=near)]))
        assert run("runs", "import", str(file), "--store", path)[0] == 0
        assert [one.imported for one, _ in store.listed()[0]] == [True, False] and ours.id == 1
    yield path


def test_an_imported_run_says_nothing_of_this_machine(location: str) -> None:
    with open_store(location) as store:
        assert [*store.pings_of_machine(WHOLE.run.machine)[0]] == [1]
        with pytest.raises(Exception, match="Run 2 was imported: it goes on where it was measured"):
            store.resume(store.run("2"))
    code, said = run("compare", "2", "--history", "9", "--store", location)
    assert (code, said[:65]) == (2, "threadping: The store has no earlier run of this machine that sha")


def test_a_clone_with_the_same_names_is_another_machine(location: str) -> None:
    with open_store(location) as store, patch("threadping.probes.owner._machine", lambda: "this one"):
        for there, counts in (("another", False), ("this one", True), ("", True)):  # without an id: by its names
            run = store.take(replace(WHOLE, run=replace(WHOLE.run, owner=Owner("", "", 4, 5, machine=there))))
            assert (run.id in store.pings_of_machine(WHOLE.run.machine)[0]) == counts


EVIL = "\x1b]0;owned\x07\u202e\u200b\u2066\x9b31m\x7f=1+1"


def test_no_control_character_of_a_stranger_reaches_a_terminal_in_any_format(tmp_path: Path) -> None:
    machine = replace(WHOLE.run.machine, hostname=f"={EVIL}", kernel=EVIL, cpu_model=EVIL)
    case = replace(CAS, mechanism=f"+{EVIL}", runtime=f"@{EVIL}")
    seen = tuple(replace(one, case=case) for one in WHOLE.observations if one.case == CAS)[:2]
    evil = replace(WHOLE.run, machine=machine, version=f"1{EVIL}", arguments=(EVIL,), note=EVIL)
    file, path = tmp_path / "evil\x1b[31m.run", str(tmp_path / "runs.sqlite3")
    file.write_text(embed_runs([replace(WHOLE, run=replace(evil, cases=(case,)), observations=seen)]))
    code, said = run("runs", "import", str(file), "--store", path)
    written = {"import": said, "none": run("runs", "import", str(file) + "\x1b.run", "--store", path)[1]}
    for form in ("table", "json", "csv", "hlog"):
        for words in (("show", "1", "--format", form), ("show", "1", "--trials", "--format", form)):
            written[" ".join(words)] = run(*words, "--store", path)[1]
    for others in ("runs list", "runs list --format json", "show 1 --states", "report 1 --format markdown"):
        written[others] = run(*others.split(), "--store", path)[1]
    bad = {name: [char for char in text if not char.isprintable() and char != "\n"] for name, text in written.items()}
    assert code == 0 and {name: found for name, found in bad.items() if found} == {}
    assert min(map(len, written.values())) >= 70
    cells = [cell for line in written["show 1 --format csv"].splitlines() for cell in line.split(",")]
    assert any(cell.lstrip('"').startswith("'=") for cell in cells)
    assert not any(cell.lstrip('"').startswith(("=", "+", "@")) for cell in cells)


SEEDS = int(os.environ.get("THREADPING_FUZZ_SEEDS", "1"))
"""Number of seeds; each makes a hundred mutants: half obey the types, half have damaged bytes."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_spoilt_reports_are_refused_or_read_by_every_command(seed: int) -> None:
    outcomes = fuzz(islice(mutants(seed, structured_each=2), 100), seed, each=20)
    assert {*outcomes} <= {"refused", "refused by import", "read"}
    assert outcomes["read"] > 5 and outcomes["refused"] > 50
