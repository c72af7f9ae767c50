"""Examples of the help, and the commands that an output proposes: each can be typed."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import commands_in, parsed
from tests.end_to_end.conftest import Command, fake_jvm, interrupted
from tests.fakes.answers import put_fake_probe
from tests.unit.cli.test_main import each

FAKES = {
    "FAKE_MECHANISMS": "steady,slow,cas-one-line,xadd-one-line,release-one-line,condition",
    "FAKE_LOCKS": "mutex,ticket-lock,fetch-add,shared-mutex",
    "FAKE_RINGS": "disruptor,sequenced-ring",
    "FAKE_PACED": "release-one-line,condition,disruptor",
    "FAKE_CALLS": "monitor,condition",
    "FAKE_CLOCKS": "clock-monotonic",
    "FAKE_CALIBRATED": "release-two-lines,condition",
    "FAKE_GAPS_NS": "2000x20",
    "FAKE_WAKE_NS": "9000",
    "FAKE_BARRIERS": "std-barrier,spin-all",
    "FAKE_CPUS": "4",
}
ELSEWHERE = {
    "fleet": "needs a scheduler",
    "network": "the fake probe has no network",
    "java-": "the fake probe is no JVM",
    "articles disruptor": "its figures are Java's",
    "--mechanism futex": "the fake futex has an outlier of each cause, too many for 256 pairs",
    "resume": "no run was interrupted",
    "--since last": "no check-up was made before",
    "--mechanism false-sharing": "the fake probe lacks it",
    "--from last": "no matrix is stored",
    "condition,futex": "the fake probe lacks futex",
}
"""What is in examples that only tests/unit/cli/test_main.py reads, and why."""

ENDS = {"ping 0,1 -c 60 -i 200ms --above 60ns": 3}
"""How examples end that do not with 0."""

READING = {"show", "report", "explain", "runs", "last"}
"""Words of examples that read runs which are there."""

MEASURED = ("run signal --mechanism steady", "compare signal --mechanism cas-one-line,release-one-line")
"""Those runs."""


def examples() -> Iterator[str]:
    for context, command in each():
        for words, _ in command.examples:
            if not any(part in f"{words} " for part in ELSEWHERE) and context.info_name not in ELSEWHERE:
                yield words


SHORT = {
    **{"compare wakeup": "10s", "compare": "5s", "recommend queue": "5s", "recommend cpus": "2s"},
    **{"run jitter": "1m", "run": "5s", "recommend wait": "8s", "doctor": "10s", "matrix": "1s"},
}
"""Budgets of examples that name none: the default would start thousands of trials."""


def shortened(words: str) -> list[str]:
    """Write the numbers of stored runs, end a ping, and give what searches or compares a short budget."""
    found = shlex.split(re.sub(r"\b1([12])\b(?!,)", r"\1", words).replace("--budget 10m", "--budget 5s"))
    budget = next((most for begin, most in SHORT.items() if words.startswith(begin)), None)
    if budget and "--budget" not in found and not {*found} & READING:
        return [*found, "--budget", budget]
    return [*found, "-c", "1"] if found[0] == "ping" else found


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the two runs are kept that examples read, once one does."""
    return tmp_path_factory.mktemp("two-runs") / "runs.sqlite3"


@pytest.mark.parametrize("words", dict.fromkeys(examples()))
def test_an_example_does_what_it_says(
    words: str, with_fake: Command, tmp_path: Path, store: Path, two_runs: Path
) -> None:
    if {*words.split()} & READING:
        for measured in MEASURED if not two_runs.exists() else ():
            named = ("--budget", "6s", "--store", str(two_runs))
            assert with_fake(*measured.split(), *named, env=FAKES).returncode == 0
        shutil.copy(two_runs, store)
    (tmp_path / "matrix.csv").write_text(",,\n38.2,,\n61.5,62.1,\n")
    if words.startswith("runs import page"):
        assert with_fake("report 1 -o page.html").returncode == 0
    done = with_fake(*shortened(words), env=FAKES, rounds=1).ended(ENDS.get(words, 0))
    assert done.stdout or {"-o", "rm", "report", "import", "export"} & {*words.split()}


def test_what_is_left_out_is_in_some_example() -> None:
    every = " ".join(f"{context.info_name} {words} " for context, one in each() for words, _ in one.examples)
    assert all(part in every for part in ELSEWHERE)


FAKED = {
    "FAKE_MECHANISMS": "steady,slow,tunable,cas-one-line,release-one-line,condition",
    "FAKE_LOCKS": "mutex,ticket-lock",
    "FAKE_RINGS": "disruptor,sequenced-ring",
    "FAKE_PACED": "release-one-line,condition,disruptor,sequenced-ring",
    "FAKE_CALLS": "futex,monitor",
}
PROPOSED = (
    "run --budget 8s",
    "run signal --budget 4s --mechanism steady,slow --cpus 0,1",
    "run signal --budget 4s --mechanism tunable --wait spin,pause --param pauses=2 --runtime {own}",
    "run signal --budget 5s --mechanism steady --runtime {jvm}",
    "run queue --budget 4s",
    "run queue --budget 4s --runtime {own} --runtime cpp",
    "run load --budget 4s --rate 10k,20k --mechanism release-one-line",
    "run lock --budget 6s --threads 1,2",
    "run wakeup --budget 6s --pairs 1",
    "compare signal --budget 9s --mechanism steady,slow",
    "compare signal --budget 4s --mechanism steady --runtime cpp --runtime {own}",
    "recommend wait --rate 10k --latency p99=25us --budget 4s --runtime cpp",
    "recommend wait --rate 10k --latency p99=1ns --budget 6s --runtime {own}",
    "reproduce articles --budget 10s --runtime {jvm} disruptor",
    "recommend queue --budget 6s",
    "recommend cpus --threads 2 --shape pipeline --budget 3s",
    "matrix --budget 3s",
)
"""What is measured; {own} is a probe of somebody's own, {jvm} a JVM that is not found by itself."""

READ = (
    "show {run}",
    "show {run} --trials",
    "show {run} --outliers",
    "show {run} --states",
    "explain not-measured {run}",
)


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


@pytest.mark.parametrize("measured", PROPOSED)
def test_what_is_proposed_can_be_typed(
    measured: str, with_fake: Command, own: str, jvm: str, store: Path, tmp_path: Path
) -> None:
    named = ("--store", str(tmp_path / "my runs.db"))
    words = [word.format(own=shlex.quote(own), jvm=shlex.quote(jvm)) for word in measured.split()]
    done = with_fake(*words, *named, env=FAKED).ended()
    said = [done.stderr, done.stdout]
    for reading in READ:
        if "matrix" not in measured or reading == "show {run}":
            read = with_fake(*reading.format(run="last").split(), *named, env=FAKED)
            said += [read.stdout, read.stderr]
    proposed = list(dict.fromkeys(one for text in said for one in proposals(text)))
    assert proposed
    for command in proposed:
        parsed(command)
        arguments = _shortened(shlex.split(command)[1:])
        followed = with_fake(*arguments, env=FAKED, rounds=1)
        assert followed.returncode == 0, (command, followed.stderr)
        assert not store.exists(), f"another store than the one that was named: {command}"


def _shortened(arguments: list[str]) -> list[str]:
    """With a budget that a test has time for."""
    if "--budget" in arguments:
        arguments[arguments.index("--budget") + 1] = "5s"
    return arguments


def test_an_interruption_and_a_mistake_name_the_store(
    with_fake: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = ("--store", str(tmp_path / "my runs.db"))
    measured = ("run", "signal", "--budget", "3s", "--mechanism", "steady", *named)
    assert with_fake(*measured, env=FAKED).returncode == 0
    with monkeypatch.context() as patch:
        patch.setattr("threadping.conduct.runner.Runner._measure", interrupted)
        said = [with_fake(*measured, env=FAKED)]
    assert said[0].returncode == 130
    said += [with_fake(*words.split(), *named, env=FAKED) for words in ("runs resume 1", "compare 1", "runs resume 1")]
    for one in said:
        commands = [*commands_in(" ".join(one.stderr.split()))]
        assert commands, one.stderr
        for command in commands:
            assert str(tmp_path) in command
            parsed(command)
