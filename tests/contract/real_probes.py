"""The real probes, what they are asked, and what every result of theirs holds."""

import json
import os
import subprocess
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CACHE, CONTRACT, make_request
from threadping.model.cases import Runtime
from threadping.model.contract import SECOND, ExperimentDescription, MechanismDescription, Params, Request, Result
from threadping.probes.java import with_class_archive
from threadping.probes.runtimes import Described, describe, find_runtimes

ARCHIVES = CACHE / "threadping" / "classes"
EVERY = find_runtimes(os.environ).runtimes
RUNTIMES = [with_class_archive(one, ARCHIVES) if one.probe == "java" else one for one in EVERY]
FIRSTS = list({runtime.probe: runtime for runtime in reversed(RUNTIMES)}.values())
"""The first runtime of each language."""
START_SECONDS = 60.0

of_each_language = pytest.mark.parametrize("runtime", FIRSTS, ids=lambda runtime: runtime.label)
in_each_runtime = pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` fills, once for all workers of pytest-xdist: the first makes it, the others wait."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("a") as lock:
        flock(lock, LOCK_EX)
        if not (folder / "made").exists():
            make(folder)
            (folder / "made").touch()
    return folder


def schema_of(kind: str) -> Any:
    return json.loads((CONTRACT / f"{kind}.schema.json").read_text())


@cache
def validator_of(kind: str) -> jsonschema.Draft202012Validator:
    """For many messages: what `jsonschema.validate` checks of the schema each time, a test of its own checks once."""
    return jsonschema.Draft202012Validator(schema_of(kind))


@cache
def described(runtime: Runtime) -> Described:
    return describe(runtime)


@cache
def mechanisms() -> list[tuple[Runtime, ExperimentDescription, MechanismDescription]]:
    return [
        (runtime, experiment, mechanism)
        for runtime in RUNTIMES
        for experiment in described(runtime).description.experiments
        for mechanism in experiment.mechanisms
        if mechanism.needs is None
    ]


ALLOWED = sorted(os.sched_getaffinity(0))
APART = {"apart": (ALLOWED[0], ALLOWED[1])} if len(ALLOWED) > 1 else {}
STANDING: dict[str, dict[str, tuple[int | None, ...]]] = {
    "signal": {**APART, "same-cpu": (ALLOWED[-1],) * 2, "unpinned": (None,) * 2},
    "lock": {**APART, "alone": (ALLOWED[-1],), "unpinned": (None,) * 3},
    "wakeup": {**APART, "unpinned": (None,) * 4},
    "queue": {**APART, "unpinned": (None,) * 2},
    "load": {**APART, "unpinned": (None,) * 2},
    "barrier": {**APART, "unpinned": (None,) * 2},
    "network": {"alone": (ALLOWED[-1],), "unpinned": (None,)},
    "self-test": {**APART, "unpinned": (None,) * 2},
    "jitter": {**APART, "alone": (ALLOWED[-1],), "unpinned": (None,)},
}
"""Placements of the threads of each experiment; the first is used for its parameters."""


def patient_request(experiment: str, mechanism: str, place: str, lines: int, *, alone: bool = False) -> Request:
    """Other programs may have the CPUs for longer than a second: only a thread that hangs stalls a trial.

    A thread that is `alone` also has time before its first operation: threads that spin on one
    CPU take all of it, which hundreds of trials have not.
    """
    request = make_request(mechanism, STANDING[experiment][place], lines, experiment)
    return replace(request, patience_ns=30 * SECOND, bound_ns=5 * SECOND if alone else request.bound_ns)


MAY_DIFFER = {"wakeup": ("wake-ups",), "lock": ("handoffs",), "network": ("datagrams",), "self-test": ("stalls",)}
"""Counts that say how often something happened: a call that finds nobody waiting wakes nobody, a lock may stay with the
thread that had it, and a datagram may be lost."""

JITTER = ("10us", "30us", "100us", "300us", "1ms", "3ms", "10ms", "30ms", "100ms", "300ms", "1s")
BESIDES = {
    "queue": ("batch",),
    "barrier": ("first", "last", "spread", "done"),
    "network": ("far-end-cpu",),
    "self-test": ("delay-alone",),
    "load": (
        "due-to-sent",
        "sent-to-received",
        *(f"{what}-after-{gap}" for what in ("latency", "idle") for gap in JITTER),
    ),
}
"""Distributions of other than the timed operations."""


def assert_ping(
    result: Result, experiment: ExperimentDescription, mechanism: MechanismDescription, params: Params | None = None
) -> None:
    """Check a result beyond the checks of every trial.

    In a trial as short as these nothing may happen: a spinning or pausing thread may wait for all of it. Where they
    are not pinned two that spin may share a CPU.
    """
    may_share = not mechanism.blocking and any(len(thread.cpus_start) > 1 for thread in result.threads)
    slow = ("critical", "outside", "rate", "arrivals")
    pauses = any(name.endswith("pause") or name in slow for name in params or ())
    may_be_idle = len(result.threads) > len(ALLOWED) or may_share or pauses
    assert result.measured.ops > 0 or may_be_idle
    assert sum(thread.cpu_ns for thread in result.threads) > 0 or may_be_idle
    reads = experiment.name == "lock" and 0 in ((params or {}).get("writers"), (params or {}).get("writes"))
    roles = [experiment.roles[position % len(experiment.roles)].name for position in range(len(result.threads))]
    if experiment.name == "lock":  # whose threads read only where a request says so
        roles = ["reader" if reads else "contender"] * len(result.threads)
    assert [thread.role for thread in result.threads] == roles
    assert result.windows.total_ops > 0 or may_be_idle
    assert set(result.windows.measured.kind) == {"throughput", "sampling"} or result.measured.cut
    assert sorted(result.distributions) == sorted(
        (*mechanism.timed, *BESIDES.get(experiment.name, ()), *(("wait-to-read", "wait-to-write") if reads else ()))
    )
    for name, count in result.counts.items():
        assert count.exact == (result.mechanism != "unprotected" and name not in MAY_DIFFER.get(experiment.name, ()))
        assert 0 <= count.found <= count.made
    assert all(count.found or reads for count in result.counts.values() if count.exact)
    assert result.counts or result.measured.cut


def run_raw(runtime: Runtime, request: Any, folder: Path) -> tuple[int, Any]:
    """Run a probe with any request at all; its exit status and the message in its result file."""
    request_file, result_file = folder / "request.json", folder / "result.json"
    request_file.write_bytes(request if isinstance(request, bytes) else msgspec.json.encode(request))
    command = [*runtime.command, "run", "--request", str(request_file), "--result", str(result_file)]
    done = subprocess.run(command, capture_output=True, timeout=100, check=False, cwd=folder)
    message = json.loads(result_file.read_text())
    validator_of("result").validate(message)
    assert (list(folder.glob("*.part")), done.stdout) == ([], b"")
    return done.returncode, message
