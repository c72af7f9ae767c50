"""A probe as a process: its arguments, its exit status, its result file, and the parent with which it ends."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import make_request
from tests.contract.real_probes import FIRSTS, mechanisms, of_each_language, patient_request, run_raw, validator_of
from threadping.model.cases import Runtime
from threadping.probes import java
from threadping.probes.language import probes_folder

SLEEPING = make_request("condition", (None, None))


def run(runtime: Runtime, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [*runtime.command, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=folder)


def test_a_result_keeps_the_contract(tmp_path: Path) -> None:
    firsts = {(one.probe, of.name): (one, of.name, m.name) for one, of, m in reversed(mechanisms())}
    for runtime, experiment, first in firsts.values():
        status, message = run_raw(runtime, patient_request(experiment, first, "unpinned", 1), tmp_path)
        assert (status, "error" in message) == (0, False), (runtime.label, experiment)


@pytest.mark.parametrize("flag", [one for one in java.NOT_INLINED if "dontinline" in one])
def test_what_is_compiled_apart_is_a_method_of_the_java_probe(flag: str) -> None:
    """A JVM says nothing of a flag whose method there is not."""
    classes, method = flag.partition("dontinline,")[2].replace(".", "/").split("::")
    constant = bytes([1, 0, len(method)]) + method.encode()  # as a class file has the name
    with ZipFile(probes_folder() / java.JAR) as jar:
        assert any(constant in jar.read(name) for name in jar.namelist() if fnmatch(name, f"{classes}.class"))


@of_each_language
def test_its_words_are_few(runtime: Runtime, tmp_path: Path) -> None:
    result = str(tmp_path / "result.json")
    complete = ["run", "--request", str(tmp_path / "request.json"), "--result", result]
    for words in ([], ["dance"], ["describe", "me"], complete[:3], [*complete, "--parent", "me"], [*complete, "twice"]):
        assert run(runtime, tmp_path, *words).returncode == 2, words
    assert run(runtime, tmp_path, "--help").returncode == 0
    assert not (tmp_path / "result.json").exists()


@of_each_language
def test_a_request_that_cannot_be_read_is_a_bad_one(runtime: Runtime, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    for request in (str(tmp_path / "missing.json"), str(tmp_path)):
        assert run(runtime, tmp_path, "run", "--request", request, "--result", str(result)).returncode == 2
        error = json.loads(result.read_text())["error"]
        assert (error["code"], request in error["message"]) == ("bad-request", True)


@of_each_language
def test_a_result_that_cannot_be_written_leaves_nothing_of_it(runtime: Runtime, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_bytes(msgspec.json.encode(SLEEPING))
    (tmp_path / "taken").mkdir()
    for result in (str(tmp_path / "missing" / "result.json"), str(tmp_path / "taken")):
        done = run(runtime, tmp_path, "run", "--request", str(request), "--result", result)
        assert (done.returncode, result in done.stderr) == (1, True)
        assert {file.name for file in tmp_path.iterdir() if "safepoints" not in file.name} == {"request.json", "taken"}


@of_each_language
def test_it_measures_for_its_parent_alone(runtime: Runtime, tmp_path: Path) -> None:
    request, result = tmp_path / "request.json", tmp_path / "result.json"
    request.write_bytes(msgspec.json.encode(SLEEPING))
    words = ["run", "--request", str(request), "--result", str(result), "--parent"]
    assert run(runtime, tmp_path, *words, str(os.getppid())).returncode == 1
    assert not result.exists()
    assert run(runtime, tmp_path, *words, str(os.getpid())).returncode == 0
    assert result.exists()


def measuring(runtime: Runtime, probe: int) -> int:
    """Return the number of a probe's measuring threads: a JVM names them, and a C++ probe has one other thread."""
    threads = []
    for thread in Path(f"/proc/{probe}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # one of the virtual machine's that has ended
            threads.append(thread.joinpath("comm").read_text().strip())
    return sum(thread in ("ping", "pong") for thread in threads) if runtime.probe == "java" else len(threads) - 1


def dies_with_its_parent(command: list[str], folder: Path, ready: Callable[[int], bool]) -> bool:
    """Return whether a ready process ends when the process that started it is killed."""
    start = f"import subprocess, time; print(subprocess.Popen({command!r}).pid, flush=True); time.sleep(100)"
    open_pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", start], cwd=folder, **open_pipes) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        while not ready(child):
            time.sleep(0.01)
        ends = os.pidfd_open(child)
        try:
            parent.kill()
            return bool(select.select([ends], [], [], 30)[0])
        finally:
            os.close(ends)


@of_each_language
def test_it_dies_with_its_parent(runtime: Runtime, tmp_path: Path) -> None:
    """It has made its arrangements when its threads are there; what it measures sleeps for minutes."""
    request, result = tmp_path / "request.json", tmp_path / "result.json"
    request.write_bytes(msgspec.json.encode(replace(SLEEPING, measure_ns=300_000_000_000, bound_ns=400_000_000_000)))
    command = [*runtime.command, "run", "--request", str(request), "--result", str(result)]
    assert dies_with_its_parent(command, tmp_path, lambda probe: measuring(runtime, probe) == 2)
    assert not result.exists()


def test_a_topology_keeps_the_contract(tmp_path: Path) -> None:
    for runtime in (one for one in FIRSTS if one.probe == "cpp"):
        message = json.loads(run(runtime, tmp_path, "topology").stdout)
        validator_of("topology").validate(message)
