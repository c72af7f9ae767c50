"""`threadping runs resume`: what a run of every kind had not measured when it stopped; and what is refused."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.end_to_end.conftest import Command, fake_jvm
from threadping.model.errors import StoreFull
from threadping.model.run import Run
from threadping.probes import trial
from threadping.store.store import Store, open_store

SIGNAL = ("run", "signal", "--mechanism", "steady,slow", "--placement", "same-l3", "--budget", "6s", "--seed", "3")
KINDS: dict[str, tuple[Sequence[str], dict[str, str], int, str]] = {
    "signal": (SIGNAL, {}, 0, "signal: one-way latency"),
    "run": (("run", "--budget", "6s", "--runtime", "cpp"), {"FAKE_LOCKS": "mutex,ticket-lock"}, 0, "lock and unlock"),
    "compare": (
        ("compare", "signal", "--mechanism", "steady,slow", "--placement", "same-l3", "--budget", "12s"),
        {"FAKE_NOISE": "0.01"},
        3,
        "B is 20 times slower: ",
    ),
    "matrix": (
        ("matrix", "--mechanism", "steady", "--budget", "2s"),
        {"FAKE_CPUS": "4", "FAKE_OF_L3": "2"},
        0,
        "same L3",
    ),
    "recommend-wait": (
        ("recommend", "wait", "--rate", "10k", "--runtime", "cpp", "--latency", "p99=25us"),
        {"FAKE_PACED": "release-one-line,condition"},
        0,
        "Nothing here is cheaper.",
    ),
    "reproduce-articles": (
        ("reproduce", "articles", "inter-thread-latency", "--budget", "10s", "--runtime", "cpp"),
        {},
        0,
        "What was concluded",
    ),
    "recommend-queue": (
        ("recommend", "queue", "--budget", "8s", "--runtime", "cpp"),
        {"FAKE_RINGS": "disruptor,mutex-deque"},
        0,
        "On CPUs of their own. Best queue depth 1: disruptor and mutex-deque",
    ),
    "recommend-cpus": (
        ("recommend", "cpus", "--threads", "2", "--shape", "pipeline", "--mechanism", "steady", "--budget", "9s"),
        {"FAKE_NOISE": "0.005", "FAKE_CPUS": "4", "FAKE_OF_L3": "2"},
        0,
        "CPUs 2-3: 3.6",
    ),
}
"""A command of each kind, the fake's environment, its exit code, and what it prints at its end."""
MECHANISMS = "steady,slow,xadd-one-line,seqcst-one-line,release-one-line,condition"


def stop_after(trials: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the next one runs."""
    run_trials, began = trial.run_trials, iter(range(10_000))

    def interrupted(launches: Any) -> Any:
        if next(began) >= trials:
            raise KeyboardInterrupt
        return run_trials(launches)

    monkeypatch.setattr("threadping.conduct.runner.run_trials", interrupted)


def measured(store: Path, number: int) -> list[tuple[object, ...]]:
    """Return a run's trials in order, without their durations: the tests' clock has another pace."""
    with open_store(str(store)) as opened:
        trials = opened.trials(opened.run(str(number)))
    return [(one.case, one.round, one.side, one.position, one.concurrent, one.request.seed) for one in trials]


@pytest.mark.parametrize("kind", [*KINDS])
def test_a_run_of_every_kind_goes_on_and_ends_as_one_that_nobody_interrupted(
    with_fake: Command, store: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    command, env, code, said = KINDS[kind]
    command = (*command, *(() if "--seed" in command else ("--seed", "3")))
    whole = with_fake(*command, mechanisms=MECHANISMS, env=env)
    assert (whole.returncode, said in whole.stdout) == (code, True), whole.stdout + whole.stderr
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        stopped = with_fake(*command, mechanisms=MECHANISMS, env=env)
    assert stopped.returncode == 130
    assert "`threadping runs resume 2` resumes it." in stopped.stderr
    assert "threadping runs resume 2 measure what is left of it" in stopped.flat
    begun = measured(store, 2)
    rest = with_fake("runs resume 2", mechanisms=MECHANISMS, env=env)
    assert (rest.returncode, said in rest.stdout) == (code, True), rest.stdout + rest.stderr
    assert re.search(r"^run 2(,| \N{MIDDLE DOT}) resumed once", rest.stdout, re.MULTILINE)
    together, alone = measured(store, 2), measured(store, 1)
    assert together[: len(begun)] == begun == alone[: len(begun)] != []
    common = min(len(together), len(alone))
    assert common > len(begun)
    assert together[:common] == alone[:common]


def test_ctrl_c_before_the_first_trial_leaves_an_interrupted_run_that_can_be_resumed(
    with_fake: Command, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("threadping.conduct.conduct.Watch", interrupting)
        with_fake(*SIGNAL).refuses(
            "Interrupted. Run 1 is stored: `threadping show 1`; `threadping runs resume 1` resumes it", 130
        )
    with open_store(str(store)) as opened:
        run = opened.run("1")
    assert (run.status, run.note) == ("interrupted", "Interrupted; what was measured until then is stored and shown.")
    assert with_fake("runs resume 1").returncode == 0
    assert len(measured(store, 1)) > 4


def interrupting(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_run_whose_store_fails_is_kept_whole_in_another_and_resumed_there_or_here(
    with_fake: Command, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, free = Store.add_batch, iter(range(3))

    def full(opened: Store, run: int, ended: Any) -> None:
        if next(free, None) is None:
            raise StoreFull("The disk of the store is full.")
        add(opened, run, ended)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_batch", full)
        done = with_fake(*SIGNAL, env={"XDG_DATA_HOME": str(tmp_path / "data")})
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    kept = re.search(r"is in the store (\S+): `threadping runs resume 1 --store \1` resumes it\.", said)
    assert kept and kept[1].startswith(str(tmp_path / "data" / "threadping"))
    assert "The disk of the store is full. The run was ended; what was measured is shown" in said
    aside = Path(kept[1])
    with open_store(str(store)) as opened, open_store(str(aside)) as other:
        (here, trials), (there, all_trials) = opened.listed()[0][0], other.listed()[0][0]
        assert (trials, all_trials, there.machine.hostname) == (3, 4, here.machine.hostname)
    for place, more in ((store, ()), (aside, ("--store", str(aside)))):
        before = measured(place, 1)
        assert with_fake("runs resume 1", *more).returncode == 0
        assert measured(place, 1)[: len(before)] == before != measured(place, 1)


def forget(store: Path, change: Callable[[Run], Run]) -> None:
    """Store the interrupted run 1 as another threadping, or another process, would have."""
    with open_store(str(store)) as opened:
        run = change(opened.run("1"))
        opened.resume(run)
        if run.status != "running":
            opened.finish(run)


def test_what_did_not_begin_here_or_cannot_go_on_is_refused_in_a_sentence(
    with_fake: Command, store: Path, fake_probes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        with_fake(*SIGNAL)

    def refused(sentence: str) -> None:
        with_fake("runs resume 1").refuses(sentence)

    probe = fake_probes / "threadping-probe"
    content = probe.read_text()
    probe.write_text(f"{content}# another build\n")
    refused("Run 1 cannot be resumed: cpp is another build now (fake 1; it was fake 1).")
    probe.write_text(content)

    with open_store(str(store)) as opened:
        run = opened.run("1")
    forget(store, lambda one: replace(one, status="interrupted", version="0.0.9"))
    refused("Run 1 cannot be resumed: threadping 0.0.9 began it, and this is ")
    forget(store, lambda one: replace(one, version=run.version, machine=replace(run.machine, hostname="elsewhere")))
    refused("Run 1 was measured on another machine: its name was elsewhere, and here it is ")
    forget(store, lambda one: replace(one, machine=run.machine, premises=None))
    refused("Run 1 cannot be resumed: it does not say how its trials were planned")
    forget(store, lambda one: replace(one, premises=run.premises, status="running"))
    refused(f"Run 1 is still being measured, by process {run.owner.pid} of {run.machine.hostname}.")
    with open_store(str(store)) as opened:
        opened.finish(replace(opened.run("1"), status="interrupted"))
    (tmp_path / "one.run").write_text(with_fake("show 1 --format run").stdout)
    elsewhere = tmp_path / "elsewhere.sqlite3"
    assert with_fake("runs import one.run --store", str(elsewhere)).returncode == 0
    with_fake("runs resume 1 --store", str(elsewhere)).refuses("Run 1 cannot be resumed: it was imported")
    assert with_fake("runs resume last").returncode == 0


def test_a_runtime_that_is_gone_is_named(
    with_fake: Command, fake_probes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = fake_jvm(tmp_path / "jdk", fake_probes, 17)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with_fake(*SIGNAL, "--runtime", "java-17", env={"JAVA_HOME": str(home)})
    (home / "bin" / "java").unlink()
    done = with_fake("runs resume last", env={"JAVA_HOME": str(home), "PATH": "/nowhere"})
    done.refuses("Run 1 cannot be resumed: ")
    assert "java" in done.stderr


def test_a_resumed_run_says_how_often_and_when_for_people_and_programs(
    with_fake: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for trials, command in ((3, SIGNAL), (1, ("runs", "resume", "1"))):
        with monkeypatch.context() as patch:
            stop_after(trials, patch)
            assert with_fake(*command).returncode == 130
    assert with_fake("runs resume 1").returncode == 0
    shown = with_fake("show 1").stdout
    assert "resumed twice" in shown
    assert "after 3 trials; " in shown and "after 4 trials" in shown
    run = with_fake("show 1 --format json").json["run"]
    assert [(one["trials"], one["restarted"]) for one in run["resumed"]] == [(3, False), (4, False)]
    assert run["took_s"] > 0
