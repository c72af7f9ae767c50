"""The examples that a help begins with do what they say, by a probe of exact figures that has what they name."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Command
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
    "FAKE_CROWDS": "std-barrier,spin-all",
    "FAKE_CPUS": "4",
}
ELSEWHERE = {
    "fleet": "needs a scheduler",
    "hop": "the fake probe has no network",
    "java-": "the fake probe is no JVM",
    "--of disruptor": "its figures are Java's",
    "--mechanism futex": "the fake futex has an outlier of each cause, too many for 256 pairs",
    "resume": "no run was interrupted",
    "--since last": "no check-up was made before",
    "--run ./": "no other tool is here",
    "--mechanism false-sharing": "the fake probe lacks it",
    "--matrix last": "no matrix is stored",
}
"""What is in examples that only tests/unit/cli/test_help.py reads, and why."""

ENDS = {"ping 0,1 -c 60 -i 200ms --above 60ns": 3}
"""How examples end that do not with 0."""


READING = {"show", "report", "explain", "states", "list", "rm", "import", "last"}
"""Words of examples that read runs which are there."""

MEASURED = ("signal --mechanism steady", "compare signal --mechanism cas-one-line,release-one-line")
"""Those runs."""


def examples() -> Iterator[str]:
    for context, command in each():
        for words, _ in command.examples:
            if not any(part in f"{words} " for part in ELSEWHERE) and context.info_name not in ELSEWHERE:
                yield words


def shortened(words: str) -> list[str]:
    """With the numbers of runs that there are, and a ping that ends."""
    found = shlex.split(re.sub(r"\b1([12])\b(?!,)", r"\1", words))
    return [*found, "-c", "1"] if found[0] == "ping" else found


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the two runs are kept that examples read, once one does."""
    return tmp_path_factory.mktemp("two-runs") / "runs.sqlite3"


@pytest.mark.parametrize("words", [*examples()])
def test_an_example_does_what_it_says(
    words: str, with_fake: Command, tmp_path: Path, store: Path, two_runs: Path
) -> None:
    if {*words.split()} & READING:
        for measured in MEASURED if not two_runs.exists() else ():
            named = ("--budget", "9s", "--store", str(two_runs))
            assert with_fake(*measured.split(), *named, env=FAKES).returncode == 0
        shutil.copy(two_runs, store)
    (tmp_path / "matrix.csv").write_text(",,\n38.2,,\n61.5,62.1,\n")
    if words.startswith("import page"):
        assert with_fake("report", "1", "-o", "page.html").returncode == 0
    done = with_fake(*shortened(words), env=FAKES, rounds=1)
    assert done.returncode == ENDS.get(words, 0), done.stderr
    assert done.stdout or {"-o", "rm", "report", "import"} & {*words.split()}


def test_what_is_left_out_is_in_some_example() -> None:
    every = " ".join(f"{context.info_name} {words} " for context, one in each() for words, _ in one.examples)
    assert all(part in every for part in ELSEWHERE)
