"""A probe as a process: its arguments, its exit status, its result file, what it says of itself and refuses, and the
parent with which it ends. None of it needs a CPU for itself, as the trials of test_probes.py do."""

import json
import os
import re
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

from tests.conftest import CONTRACT, make_request
from tests.contract.loops import OF_LIBRARIES
from tests.contract.real_probes import (
    FIRSTS,
    RUNTIMES,
    START_SECONDS,
    described,
    in_each_runtime,
    mechanisms,
    of_each_language,
    patient_request,
    run_raw,
    validator_of,
)
from tests.trials import run_trial
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Runtime
from threadping.model.contract import Request
from threadping.model.reading import FOLLOWING
from threadping.probes import java
from threadping.probes.language import probes_folder, words
from threadping.probes.runtimes import LANGUAGES, describe

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
    for said in ([], ["dance"], ["describe", "me"], complete[:3], [*complete, "--parent", "me"], [*complete, "twice"]):
        assert run(runtime, tmp_path, *said).returncode == 2, said
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


ELSEWHERE = {"cpp": set[str](), "rust": {"network", "jitter", "self-test"}, "java": {"network", "jitter", "self-test"}}
"""Experiments that a language lacks."""

JVMS = [runtime for runtime in RUNTIMES if runtime.probe == "java"]


@pytest.mark.parametrize("runtime", JVMS, ids=lambda runtime: runtime.label)
def test_a_virtual_machine_starts_from_an_archive_of_the_probes_classes(runtime: Runtime, tmp_path: Path) -> None:
    java, *arguments = runtime.command
    command = [java, "-Xlog:class+load", *arguments, "describe"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    sources = dict(re.findall(r"(threadping\.\S+) source: (.*)", done.stdout))
    assert "shared objects file" in sources["threadping.probe.Main"]


@pytest.mark.parametrize("runtime", JVMS[-1:], ids=lambda runtime: runtime.label)
def test_a_virtual_machine_measures_with_each_of_its_collectors_and_its_heap_in_a_file(
    runtime: Runtime, tmp_path: Path
) -> None:
    """Some of them back their heap by a file, whatever a probe may print."""
    unlocked = "-XX:+UnlockExperimentalVMOptions"
    asked = (runtime.command[0], unlocked, "-XX:+PrintFlagsFinal", "-version")
    listed = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout
    collectors = re.findall(r"^ *bool (Use(?!\w*SystemGC)\w+GC) ", listed, flags=re.MULTILINE)
    assert "UseSerialGC" in collectors
    request = replace(patient_request("signal", "condition", "same-cpu", 1), measure_ns=1_000_000)
    with_flags = LANGUAGES["java"].with_flags
    for flag in [*(f"-XX:+{name}" for name in collectors), f"-XX:AllocateHeapAt={tmp_path}"]:
        flags = (unlocked, "-Xmx64m", flag)  # what ZGC prepares for a larger heap takes most of its start
        outcome = run_trial(with_flags(runtime, flags), request, start_seconds=START_SECONDS)
        assert outcome.result, (flags, outcome.failure, outcome.log)


def test_a_virtual_machine_without_management_beans_describes_itself_and_measures(tmp_path: Path) -> None:
    """As those that jlink makes for one program."""
    for runtime in (one for one in FIRSTS if one.probe == "java"):
        least = LANGUAGES["java"].with_flags(
            runtime, ("--limit-modules", "java.base,jdk.unsupported", "-XX:-UsePerfData")
        )
        assert describe(least).description.toolchain.flags == ()
        request = replace(patient_request("signal", "condition", "same-cpu", 1), measure_ns=1_000_000)
        outcome = run_trial(least, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)


@in_each_runtime
def test_every_probe_describes_itself_in_the_contracts_words(runtime: Runtime) -> None:
    message = json.loads(msgspec.json.encode(described(runtime).description))
    validator_of("describe").validate(message)
    assert {experiment["name"] for experiment in message["experiments"]} == set(EXPERIMENTS) - ELSEWHERE[runtime.probe]


def test_every_probe_has_the_same_version_as_threadping() -> None:
    from importlib.metadata import version

    assert {described(runtime).description.version for runtime in RUNTIMES} == {version("threadping")}


def test_a_mechanism_of_one_name_is_the_same_in_every_language() -> None:
    """But for what it costs, whether it can be between processes, and for instructions that Java does not have."""
    facts: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    for _, experiment, mechanism in mechanisms():
        params = [
            (
                p.name,
                p.default,
                tuple(c for c in p.choices or () if c not in ("tpause", "umwait", "monitorx")),
                p.range,
                p.only_with,
            )
            for p in mechanism.params
        ]
        of_all = tuple(param for param in params if param[0] != "between")
        fact = (mechanism.blocking, mechanism.timed, mechanism.pinnable, mechanism.lines, of_all)
        facts.setdefault((experiment.name, mechanism.name), set()).add(fact)
    assert {name: found for name, found in facts.items() if len(found) > 1} == {}


def test_an_experiment_is_described_alike_in_every_language_and_python_knows_its_words() -> None:
    found = {
        (e.name, tuple(role.name for role in e.roles), e.threads, e.windows)
        for r in RUNTIMES
        for e in described(r).description.experiments
    }
    assert found == {
        ("signal", ("ping", "pong"), (2, 2), "ops"),
        ("lock", ("contender", "reader", "writer", "reader-writer"), (1, 4096), "ns"),
        ("wakeup", ("notifier", "waiter"), (2, 4096), "ns"),
        ("queue", ("producer", "consumer"), (2, 4096), "ns"),
        ("load", ("sender", "receiver"), (2, 2), "ns"),
        ("barrier", ("coordinator", "worker"), (2, 4096), "ns"),
        ("network", ("ping",), (1, 1), "ops"),
        ("jitter", ("reader",), (1, 4096), "ns"),
        ("self-test", ("ping", "pong"), (2, 2), "ops"),
    }
    assert {
        role.name
        for runtime in RUNTIMES
        for experiment in described(runtime).description.experiments
        for role in experiment.roles
        if not role.counts
    } == FOLLOWING
    assert {(e.name, m.timed) for _, e, m in mechanisms()} == {
        ("signal", ("round-trip",)),
        ("lock", ("acquire",)),
        ("lock", ("increment",)),
        ("wakeup", ("call", "wake")),
        ("queue", ("latency",)),
        ("load", ("latency",)),
        ("barrier", ("call",)),
        ("network", ("round-trip",)),
        ("jitter", ("gap",)),
        ("self-test", ("round-trip",)),
    }


def test_words_are_said_of_every_mechanism_and_parameter_in_one_place_and_of_nothing_else() -> None:
    experiments = [experiment for runtime in RUNTIMES for experiment in described(runtime).description.experiments]
    found = {(one.name, mechanism.name) for one in experiments for mechanism in one.mechanisms}
    params = {(one.name, param.name) for one in experiments for m in one.mechanisms for param in m.params}
    said = {(name, mechanism) for name, of_it in words().experiments.items() for mechanism in of_it.mechanisms}
    said_of_params = {(name, param) for name, of_it in words().experiments.items() for param in of_it.params}
    assert (found - said, params - said_of_params) == (set(), set())
    assert [mechanism.name for one in experiments for mechanism in one.mechanisms if mechanism.words] == []
    if {runtime.probe for runtime in RUNTIMES} == set(LANGUAGES):
        assert (said - found, said_of_params - params - OF_LIBRARIES) == (set(), set())


@of_each_language
@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        ({"mechanism": "telepathy"}, "unknown-mechanism", 2),
        ({"experiment": "divination"}, "unknown-experiment", 2),
        ({"params": {"strength": 3}}, "unknown-param", 2),
        ({"params": {"wait": "spin", "pauses": 3}}, "bad-request", 2),
        ({"threads": [{"cpu": 0}, {"cpu": 60000}]}, "pin-failed", 1),
    ],
)
def test_what_a_probe_cannot_do_it_says(
    runtime: Runtime, change: dict[str, Any], code: str, status: int, tmp_path: Path
) -> None:
    """Each code once; what else leads to one of them is asked in the languages' own tests."""
    usual = make_request("cas-one-line", experiment=change.get("experiment", "signal"))
    request = {**json.loads(msgspec.json.encode(usual)), **change}
    returned, message = run_raw(runtime, msgspec.convert(request, Request), tmp_path)
    assert (message["error"]["code"], returned) == (code, status)
    if code == "pin-failed":
        assert "60000" in message["error"]["message"]


@of_each_language
def test_more_threads_than_there_may_be_are_refused_in_the_same_words(runtime: Runtime, tmp_path: Path) -> None:
    request = make_request("mutex", (None,) * 4097, experiment="lock")
    returned, message = run_raw(runtime, request, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)
    assert message["error"]["message"] == "The request's threads must be a list of 1 to 4096 threads."


@pytest.mark.parametrize("runtime", [one for one in FIRSTS if one.probe != "java"], ids=lambda runtime: runtime.label)
def test_4096_threads_for_which_there_is_no_memory_are_refused_with_the_remedy(
    runtime: Runtime, tmp_path: Path
) -> None:
    """Their stacks alone are more than the limit of the shell's, within which a virtual machine does not start."""
    request = make_request("mutex", (None,) * 4096, experiment="lock")
    limited = replace(runtime, command=("sh", "-c", 'ulimit -v 400000; exec "$0" "$@"', *runtime.command))
    returned, message = run_raw(limited, request, tmp_path)
    assert (message["error"]["code"], returned) == ("unsupported", 2)
    assert message["error"]["message"].endswith(
        "raise the limit (ulimit -v, vm.max_map_count), or ask for fewer lines or threads."
    )


@of_each_language
def test_what_a_probe_does_not_understand_it_does_not_measure(runtime: Runtime, tmp_path: Path) -> None:
    bad = (CONTRACT / "examples" / "bad" / "request-newer-schema.json").read_bytes()
    returned, message = run_raw(runtime, bad, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)
