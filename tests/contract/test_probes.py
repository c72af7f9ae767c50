"""Every real probe, every mechanism, every placement of this machine: the same questions.

A runtime or a mechanism that is added is asked without a line here: both are learnt from the probes.
"""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT, make_request
from threadping.contract import MechanismDescription, Params, Request, SignalResult
from threadping.experiments.params import settings, variations
from threadping.model import Placement, Runtime, with_params
from threadping.probes.description import Described, describe
from threadping.probes.runtimes import find_runtimes
from threadping.probes.trial import run_trial

RUNTIMES = find_runtimes(os.environ).runtimes
START_SECONDS = 60.0


@cache
def described(runtime: Runtime) -> Described:
    return describe(runtime)


def mechanisms() -> list[Any]:
    return [
        pytest.param(runtime, mechanism, id=f"{runtime.label}-{mechanism.name}")
        for runtime in RUNTIMES
        for experiment in described(runtime).description.experiments
        for mechanism in experiment.mechanisms
        if mechanism.needs is None
    ]


def variations_of_mechanisms() -> list[Any]:
    """Every mechanism with every other word that one of its parameters may be, and with the ends of each number."""
    return [
        pytest.param(runtime, mechanism, setting.params, id=f"{runtime.label}-{with_params(mechanism.name, *told)}")
        for runtime, mechanism in (param.values for param in mechanisms())
        for setting in (*variations(mechanism), *(s for one in _ends(mechanism) for s in settings(mechanism, one)))
        for told in [(setting.params, setting.varied)]
    ]


def _ends(mechanism: MechanismDescription) -> list[dict[str, tuple[str, ...]]]:
    return [{param.name: tuple(map(str, param.range))} for param in mechanism.params if param.range]


def refused_params() -> list[Any]:
    """For each parameter of a runtime values that it may not have, asked of the first mechanism that has it."""
    first = {
        (runtime, param.name): (mechanism, param)
        for runtime, mechanism in reversed([param.values for param in mechanisms()])
        for param in mechanism.params
    }
    return [
        pytest.param(runtime, mechanism, {name: bad}, id=f"{runtime.label}-{mechanism.name}-{name}={bad}")
        for (runtime, name), (mechanism, param) in first.items()
        for bad in (["telepathy", 3] if param.choices else [param.range[0] - 1, param.range[1] + 1, "many"])
    ]


def placements() -> list[Placement]:
    allowed = sorted(os.sched_getaffinity(0))
    found = [Placement("same-cpu", (allowed[-1], allowed[-1])), Placement("unpinned", (None, None))]
    return [Placement("apart", (allowed[0], allowed[1])), *found] if len(allowed) > 1 else found


def run_raw(runtime: Runtime, request: Any, folder: Path) -> tuple[int, Any]:
    """Run a probe with any request at all; its exit status and the message in its result file."""
    request_file, result_file = folder / "request.json", folder / "result.json"
    request_file.write_bytes(request if isinstance(request, bytes) else msgspec.json.encode(request))
    command = [*runtime.command, "run", "--request", str(request_file), "--result", str(result_file)]
    done = subprocess.run(command, capture_output=True, timeout=100, check=False)
    message = json.loads(result_file.read_text())
    jsonschema.validate(message, json.loads((CONTRACT / "result.schema.json").read_text()))
    assert list(folder.glob("*.part")) == []
    return done.returncode, message


def test_there_is_a_probe() -> None:
    assert RUNTIMES, "no probe is built: run make setup"


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
def test_every_probe_describes_itself_in_the_contracts_words(runtime: Runtime) -> None:
    message = json.loads(msgspec.json.encode(described(runtime).description))
    jsonschema.validate(message, json.loads((CONTRACT / "describe.schema.json").read_text()))
    assert {experiment["name"] for experiment in message["experiments"]} == {"signal"}


def test_every_probe_has_the_same_version_as_threadping() -> None:
    from importlib.metadata import version

    assert {described(runtime).description.version for runtime in RUNTIMES} == {version("threadping")}


def test_a_mechanism_of_one_name_is_the_same_in_every_language() -> None:
    """What a mechanism costs is each language's own, and so is whether it can be between processes."""
    facts: dict[str, set[tuple[Any, ...]]] = {}
    for runtime in RUNTIMES:
        for mechanism in described(runtime).description.experiments[0].mechanisms:
            params = [(p.name, p.default, p.choices, p.range, p.only_with) for p in mechanism.params]
            of_all = tuple(param for param in params if param[0] != "between")
            fact = (mechanism.blocking, mechanism.pinnable, mechanism.lines, of_all)
            facts.setdefault(mechanism.name, set()).add(fact)
    assert {name: found for name, found in facts.items() if len(found) > 1} == {}


@pytest.mark.parametrize("placement", placements(), ids=lambda placement: placement.name)
@pytest.mark.parametrize(("runtime", "mechanism"), mechanisms())
def test_every_mechanism_measures_everywhere_and_loses_no_signal(
    runtime: Runtime, mechanism: Any, placement: Placement
) -> None:
    if not mechanism.pinnable and placement.name != "unpinned":
        pytest.skip("its threads have no CPU of their own")
    lines = 1 if mechanism.blocking else 4
    request = make_request(mechanism.name, placement.cpus, lines)
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.failure is None, outcome.log
    result = outcome.result
    assert isinstance(result, SignalResult)
    assert [thread.role for thread in result.threads] == ["ping", "pong"]
    for thread, cpu in zip(result.threads, placement.cpus, strict=True):
        if cpu is not None:
            assert thread.cpus_start == thread.cpus_end == (cpu,)
    assert result.measured.ops > 0
    assert sum(thread.cpu_ns for thread in result.threads) > 0
    assert any(result.blocks.lines) or result.blocks.partial is not None
    assert (result.managed is None) == (runtime.probe == "cpp")


@pytest.mark.parametrize(("runtime", "mechanism", "params"), variations_of_mechanisms())
def test_every_parameter_measures_and_loses_no_signal(runtime: Runtime, mechanism: Any, params: Params) -> None:
    request = make_request(mechanism.name, placements()[0].cpus, 1 if mechanism.blocking else 4)
    outcome = run_trial(runtime, replace(request, params=params), start_seconds=START_SECONDS)
    assert outcome.failure is None, outcome.log
    assert outcome.result is not None
    assert outcome.result.measured.ops > 0


@pytest.mark.parametrize(("runtime", "mechanism", "params"), refused_params())
def test_a_parameter_that_may_not_be_is_refused(
    runtime: Runtime, mechanism: Any, params: Params, tmp_path: Path
) -> None:
    request = replace(make_request(mechanism.name), params=params, lines=1)
    returned, message = run_raw(runtime, request, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)


@pytest.mark.parametrize("placement", placements()[:-1], ids=lambda placement: placement.name)
@pytest.mark.parametrize("name", ["cas-one-line", "condition"])
@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
def test_a_process_is_pinned_whole(runtime: Runtime, name: str, placement: Placement) -> None:
    request = replace(make_request(name, placement.cpus, 1), pin="process")
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    for thread in outcome.result.threads:
        assert thread.cpus_start == thread.cpus_end == tuple(sorted({cpu for cpu in placement.cpus if cpu is not None}))


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
@pytest.mark.parametrize(("rounds", "ops"), [(2, 1_000), (1, 200_000)], ids=["short-rounds", "one-long-round"])
def test_a_warmup_is_carried_out_as_asked(runtime: Runtime, rounds: int, ops: int) -> None:
    """A round of more than 100,000 operations is one uninterrupted loop."""
    request = make_request("cas-one-line", placements()[0].cpus, 1)
    warmup = replace(request.warmup, rounds=rounds, ops=ops, limit_ns=20_000_000_000)
    request = replace(request, warmup=warmup, bound_ns=40_000_000_000)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two spinning threads on one CPU hand over a few hundred times a second")
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    assert outcome.result.warmup.complete
    assert outcome.result.warmup.ops >= rounds * ops


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
def test_a_full_pool_is_visited_whole_when_there_is_time(runtime: Runtime) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two spinning threads on one CPU visit few lines")
    request = replace(make_request("release-two-lines", placements()[0].cpus, 16), measure_ns=400_000_000)
    outcome = run_trial(runtime, replace(request, bound_ns=20_000_000_000), start_seconds=START_SECONDS)
    assert isinstance(outcome.result, SignalResult), outcome.failure
    assert all(outcome.result.blocks.lines)
    assert sum(outcome.result.singles.counts) > 0


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        ({"mechanism": "telepathy"}, "unknown-mechanism", 2),
        ({"experiment": "divination"}, "unknown-experiment", 2),
        ({"params": {"strength": 3}}, "unknown-param", 2),
        ({"params": {"pauses": 3}}, "bad-request", 2),
        ({"params": {"wait": "spin", "pauses": 3}}, "bad-request", 2),
        ({"threads": [{"cpu": 0}]}, "bad-request", 2),
        ({"threads": [{"cpu": 0}, {"cpu": 60000}]}, "pin-failed", 1),
    ],
)
def test_what_a_probe_cannot_do_it_says(
    runtime: Runtime, change: dict[str, Any], code: str, status: int, tmp_path: Path
) -> None:
    request = {**json.loads(msgspec.json.encode(make_request("cas-one-line"))), **change}
    returned, message = run_raw(runtime, msgspec.convert(request, Request), tmp_path)
    assert (message["error"]["code"], returned) == (code, status)
    if code == "pin-failed":
        assert "60000" in message["error"]["message"]


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)
@pytest.mark.parametrize("name", ["request-unknown-field", "request-newer-schema", "request-truncated"])
def test_what_a_probe_does_not_understand_it_does_not_measure(runtime: Runtime, name: str, tmp_path: Path) -> None:
    bad = (CONTRACT / "examples" / "bad" / f"{name}.json").read_bytes()
    returned, message = run_raw(runtime, bad, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)
