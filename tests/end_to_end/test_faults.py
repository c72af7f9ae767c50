"""What happens to the machine while threadping measures: a sentence and an exit code, and what was measured stays."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import THREADPING, Command, rows
from threadping.probes import trial
from threadping.store.store import Store

MEASURE = ("signal", "--mechanism", "steady", "--placement", "same-l3", "--budget", "1s", "--format", "json")


def test_a_temporary_folder_that_goes_while_it_is_measured_costs_only_what_comes_after(
    with_fake: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run_trials = tmp_path / "temporary", trial.run_trials
    folder.mkdir()
    trials = iter(range(100))

    def run_in_what_is_left(*arguments: object, **options: object) -> object:
        if next(trials) == 3:
            folder.rmdir()
        return run_trials(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr("threadping.runner.runner.run_trials", run_in_what_is_left)
    done = with_fake(*MEASURE, rounds=6)
    (row,) = rows(done.stdout)
    assert (row["latency_ns"]["typical"], row["trials"], row["failed_trials"]) == (100.0, 3, 2)
    assert "The temporary folder cannot be used: No such file or directory." in done.stdout
    assert "Traceback" not in done.stderr


def test_where_no_file_may_grow_that_is_one_sentence(environment: dict[str, str], fake_probes: Path) -> None:
    command = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", str(THREADPING), *MEASURE]
    env = {**environment, "THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady", "FAKE_PAUSE": "0.05"}
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The temporary folder cannot be used" in done.stderr and "`ulimit -f`" in done.stderr
    assert "Traceback" not in done.stderr


def hung_terminal() -> int:
    master, terminal = os.openpty()
    os.close(master)
    return terminal


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.parametrize(
    ("opened", "redirected", "why"),
    [
        (hung_terminal, "", "Input/output error"),
        (full_disk, "", "No space left on device"),
        (full_disk, "<&- >&-", "stdout is closed"),
        (full_disk, "<&- >&- 2>&-", None),
    ],
)
def test_an_answer_that_cannot_be_written_is_one_sentence_and_its_run_is_stored(
    with_fake: Command,
    environment: dict[str, str],
    fake_probes: Path,
    opened: Callable[[], int],
    redirected: str,
    why: str | None,
) -> None:
    env = {**environment, "THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady", "FAKE_PAUSE": "0.05"}
    command, output = ["sh", "-c", f'exec "$@" {redirected}', "sh", str(THREADPING), *MEASURE], opened()
    done = subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(output)
    sentence = f"threadping: The output could not be written: {why}. Write it to another place; `threadping show` "
    assert (done.returncode, sentence in done.stderr, "Traceback" in done.stderr) == (1, bool(why), False)
    assert json.loads(with_fake("list", "--format", "json").stdout)["runs"][0]["status"] == "complete"


def test_names_that_are_no_utf_8_are_written_and_shown(with_fake: Command, tmp_path: Path) -> None:
    """Of a chart, an answer, a page, a store and a probe; `\udce9` is how Python keeps the byte."""
    os.link(tmp_path / "probes" / "threadping-probe", tmp_path / "probe\udce9")
    named = ("--chart", "ch\udce9.svg", "-o", "r\udce9.json", "--report", "p\udce9.html", "--store", "s\udce9.sqlite3")
    done = with_fake(*MEASURE, *named, "--runtime", "cpp=./probe\udce9")
    assert (done.returncode, rows(done.stdout)[0]["runtime"]) == (0, r"probe\xe9")
    assert r"cpp=./probe\xe9" in json.loads(done.stdout)["run"]["arguments"]
    assert json.loads((tmp_path / "r\udce9.json").read_text(encoding="utf-8")) == json.loads(done.stdout)
    assert r"p\xe9.html: " in done.stderr
    assert {"ch\udce9.svg", "p\udce9.html", "s\udce9.sqlite3"} < {file.name for file in tmp_path.iterdir()}
    imported = with_fake("import", "p\udce9.html")
    assert (imported.returncode, r"is from p\xe9.html" in imported.stderr) == (0, True)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_while_the_end_is_stored_loses_nothing(
    with_fake: Command, fake_probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Store.finish

    def interrupted(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        finish(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "finish", interrupted)
    done = with_fake(*MEASURE, env={"THREADPING_PROBES": fake_probes.name})  # named from here, which is beside it
    assert done.returncode == 0
    assert [row["latency_ns"]["typical"] for row in rows(done.stdout)] == [100.0]
    assert json.loads(with_fake("list", "--format", "json").stdout)["runs"][0]["status"] == "complete"


@pytest.fixture
def first(environment: dict[str, str], fake_probes: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another threadping that measures, here a ping, until the test ends."""
    env = {**environment, "THREADPING_PROBES": str(fake_probes), "FAKE_PAUSE": "0.05"}
    command = [str(THREADPING), "ping", "0,1", "-i", "0.1", "--format", "json"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline().startswith("{")
        yield process
        process.kill()


def test_the_second_of_two_is_refused_by_the_name_of_the_first_or_has_a_note_of_it(
    with_fake: Command, store: Path, first: "subprocess.Popen[str]"
) -> None:
    name = f"process {first.pid}, `threadping ping`, since "
    for arguments in (MEASURE, ("published",), ("ping", "0,1", "-c", "1")):
        done = with_fake(*arguments)
        done.refuses(f"is measuring on this machine: {name}", 1)
        assert "measure beside it with --anyway." in done.stderr
    assert not store.exists()
    assert with_fake("mechanisms").returncode == 0  # what measures nothing need not wait
    note = json.loads(with_fake(*MEASURE, "--anyway").stdout)["run"]["note"]
    assert note.startswith(f"Measured beside another threadping: {name}")
    assert note in " ".join(with_fake("show", "last").stdout.split())
