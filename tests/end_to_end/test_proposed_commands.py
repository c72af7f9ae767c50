"""Whatever a command proposes to type next is taken, on runs of probes, JVMs, parameters and a store of one's own."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import commands_in, parsed
from tests.conftest import put_fake_probe
from tests.end_to_end.conftest import Command, fake_jvm, interrupted

FAKES = {
    "FAKE_MECHANISMS": "steady,slow,tunable,cas-one-line,release-one-line,condition",
    "FAKE_LOCKS": "mutex,ticket-lock",
    "FAKE_RINGS": "disruptor,sequenced-ring",
    "FAKE_PACED": "release-one-line,condition,disruptor,sequenced-ring",
    "FAKE_CALLS": "futex,monitor",
}
MEASURED = (
    "run --budget 8s",
    "signal --budget 4s --mechanism steady,slow --cpus 0,1",
    "signal --budget 4s --mechanism tunable --wait spin,pause --param pauses=2 --runtime {own}",
    "signal --budget 20s --mechanism steady --runtime {jvm}",
    "ring --budget 4s",
    "ring --budget 8s --runtime {own} --runtime cpp",
    "paced --budget 4s --rate 10k,20k --mechanism release-one-line",
    "lock --budget 6s --threads 1,2",
    "notify --budget 6s --pairs 1",
    "compare signal --budget 9s --mechanism steady,slow",
    "compare signal --budget 6s --mechanism steady --runtime cpp --runtime {own}",
    "advise --rate 10k --p99 25us --budget 6s --runtime cpp",
    "advise --rate 10k --p99 1ns --budget 6s --runtime {own}",
    "published --budget 10s --runtime {jvm} --of disruptor",
    "which queue --budget 12s",
    "place -n 2 --of pipeline --budget 3s",
    "matrix --budget 3s",
)
"""What is measured; {own} is a probe of somebody's own, {jvm} a JVM that is not found by itself."""

READ = ("show {run}", "show {run} --trials", "show {run} --outliers", "states {run}", "explain not-measured {run}")


@pytest.fixture
def own(tmp_path: Path) -> str:
    folder = tmp_path / "my build"
    folder.mkdir()
    put_fake_probe(folder / "mine")
    return f"cpp={folder / 'mine'}"


@pytest.fixture
def jvm(tmp_path: Path, fake_probes: Path) -> str:
    return str(fake_jvm(tmp_path / "opt" / "jdk", fake_probes, 25) / "bin" / "java")


def proposals(text: str) -> Iterator[str]:
    for command in commands_in(text):
        assert not re.search(r"\b(RUN|CODE|WORD|PAGE|FILE|OTHER)\b", command), f"a placeholder: {command}"
        yield command


@pytest.mark.parametrize("measured", MEASURED)
def test_what_is_proposed_can_be_typed(
    measured: str, with_fake: Command, own: str, jvm: str, store: Path, tmp_path: Path
) -> None:
    named = ("--store", str(tmp_path / "my runs.db"))
    words = [word.format(own=shlex.quote(own), jvm=shlex.quote(jvm)) for word in measured.split()]
    done = with_fake(*words, *named, env=FAKES)
    assert done.returncode == 0, done.stderr
    said = [done.stderr, done.stdout]
    for reading in READ:
        if "matrix" not in measured or reading == "show {run}":
            read = with_fake(*reading.format(run="last").split(), *named, env=FAKES)
            said += [read.stdout, read.stderr]
    proposed = list(dict.fromkeys(one for text in said for one in proposals(text)))
    assert proposed
    for command in proposed:
        parsed(command)
        arguments = _shortened(shlex.split(command)[1:])
        followed = with_fake(*arguments, env=FAKES, rounds=1)
        assert followed.returncode == 0, (command, followed.stderr)
        assert not store.exists(), f"another store than the one that was named: {command}"


def _shortened(arguments: list[str]) -> list[str]:
    """With a budget that a test has time for."""
    if "--budget" in arguments:
        arguments[arguments.index("--budget") + 1] = "60s"
    return arguments


def test_an_interruption_and_a_mistake_name_the_store(
    with_fake: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = ("--store", str(tmp_path / "my runs.db"))
    measured = ("signal", "--budget", "3s", "--mechanism", "steady", *named)
    assert with_fake(*measured, env=FAKES).returncode == 0
    with monkeypatch.context() as patch:
        patch.setattr("threadping.conduct.runner.Runner._record", interrupted)
        said = [with_fake(*measured, env=FAKES)]
    assert said[0].returncode == 130
    said += [with_fake(*words.split(), *named, env=FAKES) for words in ("resume 1", "compare 1", "matrix --resume 1")]
    for one in said:
        commands = [*commands_in(" ".join(one.stderr.split()))]
        assert commands, one.stderr
        for command in commands:
            assert str(tmp_path) in command
            parsed(command)
