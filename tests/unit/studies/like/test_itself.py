"""The tool as a probe: what it describes, the CPUs that it has, a result that is believed, and how it is bounded."""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.unit.studies.like.examples import C2C, ONE
from threadping.model.contract import Description, Result
from threadping.studies.like import itself
from threadping.studies.like.tools import tools

REQUEST = {"mechanism": "bench-1", "pin": "thread", "outliers": None, "bound_ns": 1_000_000}
CPU = min(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def here() -> object:
    """The CPUs of this process stay as they are, whatever a tool is given."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def tool_at(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def ran(path: str, *cpus: int | None, **more: object) -> dict[str, object]:
    return itself.run(C2C, path, {**REQUEST, **more, "threads": [{"cpu": cpu} for cpu in cpus or (None, None)]})


def test_it_describes_a_mechanism_for_each_number_that_is_run() -> None:
    for tool in tools().values():
        said = msgspec.convert(itself.describe(tool, "/opt/it"), Description, strict=False)
        assert [one.name for one in said.experiments[0].mechanisms] == [one.name for one in tool.runs]


def test_what_it_prints_is_a_window_of_as_many_operations(tmp_path: Path) -> None:
    made = msgspec.convert(ran(tool_at(tmp_path / "c2c", "echo ,; echo 30.5,")), Result)
    assert (made.windows.ns, made.windows.ops) == ((18_300_000,), ((300_000,), (300_000,)))
    assert made.measured.ops == 600_000 and made.counts["hand-overs"].made == 600_000


def test_it_has_the_cpus_of_the_request_alone(tmp_path: Path) -> None:
    path = tool_at(tmp_path / "c2c", f"grep Cpus_allowed_list /proc/$$/status > {tmp_path}/seen; echo ,; echo 30.5,")
    made = msgspec.convert(ran(path, CPU, CPU), Result)
    assert {thread.cpus_start for thread in made.threads} == {(CPU,)}
    assert (tmp_path / "seen").read_text().split()[1] == str(CPU)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("echo hello", "unsupported", "or another version of it: it printed 'hello'."),
        ("exit 4", "internal", "core-to-core-latency ended with exit status 4 and said: nothing."),
        ("kill -9 $$", "internal", "core-to-core-latency ended with exit status -9 and said: nothing."),
    ],
)
def test_what_is_no_number_is_an_error_of_the_contract(tmp_path: Path, text: str, code: str, said: str) -> None:
    error = ran(tool_at(tmp_path / "c2c", text))["error"]
    assert isinstance(error, dict) and error["code"] == code and error["message"].endswith(said)


def test_a_tool_that_hangs_is_killed_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itself, "PATIENCE", 0)
    error = ran(tool_at(tmp_path / "c2c", "exec sleep 600"))["error"]
    assert isinstance(error, dict) and error["code"] == "stalled" and "was killed" in error["message"]


def test_a_program_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    path = tmp_path / "c2c"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    error = ran(str(path))["error"]
    assert isinstance(error, dict) and error["message"].startswith("core-to-core-latency cannot be started: ")


def test_the_tool_dies_with_its_probe(tmp_path: Path) -> None:
    path, mark = tool_at(tmp_path / "c2c", "echo $$ > $MARK; exec sleep 600"), tmp_path / "mark"
    request = {**REQUEST, "bound_ns": 10**12, "threads": [{"cpu": None}] * 2}
    (tmp_path / "request.json").write_bytes(msgspec.json.encode(request))
    files = ["--request", str(tmp_path / "request.json"), "--result", str(tmp_path / "result.json")]
    command = [sys.executable, "-m", itself.__name__, C2C.name, path, "run", *files, "--parent", str(os.getpid())]
    probe = subprocess.Popen(command, env={**os.environ, "MARK": str(mark)})
    try:
        _until(lambda: mark.exists() and mark.read_text().strip() != "")
    finally:
        probe.kill()
        probe.wait()
    tool = Path(f"/proc/{mark.read_text().strip()}/stat")
    _until(lambda: not tool.exists() or tool.read_text().rpartition(")")[2].split()[0] in "ZX")


def _until(holds: object) -> None:
    """Wait for something that comes; a minute at most."""
    assert callable(holds)
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_numbers_know_how_they_are_run() -> None:
    assert ONE.run and ONE.run.operations == 600_000 and C2C.runs == list(C2C.numbers[:2])
