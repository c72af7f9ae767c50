"""Every real probe and every mechanism of every experiment: what only a process can answer, the same for all.

Each mechanism measures once in each runtime. What else is asked is asked of one runtime of each language: the others
run the same sources. Every placement and every parameter of every mechanism is asked in the languages' own tests, where
no process has to start. A runtime or a mechanism that is added is asked without a line here: both are learnt from the
probes. An experiment adds where its threads stand (CREWS).
"""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CACHE, CONTRACT, make_request
from threadping.analysis.reading import FOLLOWING
from threadping.contract import (
    ExperimentDescription,
    MechanismDescription,
    ParamDescription,
    Params,
    Request,
    Result,
)
from threadping.experiments import EXPERIMENTS
from threadping.model import Runtime
from threadping.probes.description import Described, describe, read_topology
from threadping.probes.languages import LANGUAGES
from threadping.probes.runtimes import find_runtimes
from threadping.probes.trial import run_trial
from threadping.probes.words import words

ARCHIVES = CACHE / "threadping" / "classes"
RUNTIMES = [LANGUAGES[one.probe].prepare(one, ARCHIVES, lambda _: None) for one in find_runtimes(os.environ).runtimes]
FIRSTS = list({runtime.probe: runtime for runtime in reversed(RUNTIMES)}.values())
"""The first runtime of each language."""
START_SECONDS = 60.0

of_each_language = pytest.mark.parametrize("runtime", FIRSTS, ids=lambda runtime: runtime.label)
in_each_runtime = pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.label)


@cache
def described(runtime: Runtime) -> Described:
    return describe(runtime)


def asked(runtime: Runtime, experiment: ExperimentDescription, mechanism: MechanismDescription, *more: str) -> str:
    return "-".join([runtime.label, experiment.name, mechanism.name, *more])


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
CREWS: dict[str, dict[str, tuple[int | None, ...]]] = {
    "signal": {**APART, "same-cpu": (ALLOWED[-1],) * 2, "unpinned": (None,) * 2},
    "lock": {"alone": (ALLOWED[-1],), "unpinned": (None,) * 3},
    "notify": {**APART, "unpinned": (None,) * 4},
    "ring": {**APART, "unpinned": (None,) * 2},
}
"""For each experiment where its threads are to stand; two of lock's stand apart where its parameters are asked for."""


def mechanisms_somewhere() -> list[Any]:
    """Every mechanism in every runtime; where it stands differs from one to the next, and from runtime to runtime."""
    stood = (
        (runtime, experiment, mechanism, place)
        for number, (runtime, experiment, mechanism) in enumerate(mechanisms())
        for place in [list(CREWS[experiment.name])[number % len(CREWS[experiment.name])]]
    )
    return [
        pytest.param(
            *(runtime, experiment, mechanism, CREWS[experiment.name][place if mechanism.pinnable else "unpinned"]),
            id=asked(runtime, experiment, mechanism, place),
        )
        for runtime, experiment, mechanism, place in stood
    ]


def parameters() -> list[Any]:
    """Every value worth asking for of each parameter of a language, asked of the first mechanism that has it."""
    first = {
        (runtime, experiment.name, param.name): (experiment, mechanism, param)
        for runtime, experiment, mechanism in reversed(mechanisms())
        if runtime in FIRSTS
        for param in mechanism.params
        if param.name not in EXPERIMENTS[experiment.name].asking.by_role  # another number of threads
    }
    return [
        pytest.param(
            *(runtime, experiment, mechanism, _with_partner(param, value)),
            id=asked(runtime, experiment, mechanism, f"{name}={value}"),
        )
        for (runtime, _, name), (experiment, mechanism, param) in first.items()
        for value in param.choices or param.range or ()
        if value != param.default
    ]


def _with_partner(param: ParamDescription, value: int | str) -> Params:
    partner: Params = {param.only_with.param: param.only_with.value} if param.only_with else {}
    if param.name == "in-flight":  # no more of them than the queue holds
        partner = {"size": value}
    return {**partner, param.name: value}


MAY_DIFFER = {"notify": ("wake-ups",), "lock": ("hand-overs",)}
"""Counts that say how often something happened: a call that finds nobody waiting wakes nobody, and a lock may stay with
the thread that had it."""


BESIDES = {"ring": ("batch",)}
"""Distributions of something else than time."""


def request_for(
    experiment: ExperimentDescription, mechanism: MechanismDescription, cpus: tuple[int | None, ...] | None = None
) -> Request:
    """A short trial of the mechanism, over a few lines where it is measured over many."""
    where = next(iter(CREWS[experiment.name].values())) if cpus is None else cpus
    return make_request(mechanism.name, where, min(mechanism.lines, 4), experiment.name)


def assert_ping(
    result: Result, experiment: ExperimentDescription, mechanism: MechanismDescription, params: Params | None = None
) -> None:
    """What a result holds beyond what every trial's is checked for.

    In a trial as short as these nothing may happen: who spins may wait for all of it, and so may who pauses. Where they
    are not pinned two that spin may share a CPU.
    """
    may_share = not mechanism.blocking and any(len(thread.cpus_start) > 1 for thread in result.threads)
    pauses = any(name.endswith("pause") for name in params or ())
    may_be_idle = len(result.threads) > len(ALLOWED) or may_share or pauses
    assert result.measured.ops > 0 or may_be_idle
    assert sum(thread.cpu_ns for thread in result.threads) > 0 or may_be_idle
    roles = [experiment.role_names[position % len(experiment.roles)] for position in range(len(result.threads))]
    assert [thread.role for thread in result.threads] == roles
    assert result.windows.total_ops > 0 or may_be_idle
    assert set(result.windows.measured.kind) == {"throughput", "sampling"} or result.measured.cut
    assert sorted(result.distributions) == sorted((*mechanism.timed, *BESIDES.get(experiment.name, ())))
    for name, count in result.counts.items():
        assert count.exact == (result.mechanism != "unprotected" and name not in MAY_DIFFER.get(experiment.name, ()))
        assert 0 <= count.found <= count.made
    assert all(count.found for count in result.counts.values() if count.exact)
    assert result.counts or result.measured.cut


def run_raw(runtime: Runtime, request: Any, folder: Path) -> tuple[int, Any]:
    """Run a probe with any request at all; its exit status and the message in its result file."""
    request_file, result_file = folder / "request.json", folder / "result.json"
    request_file.write_bytes(request if isinstance(request, bytes) else msgspec.json.encode(request))
    command = [*runtime.command, "run", "--request", str(request_file), "--result", str(result_file)]
    done = subprocess.run(command, capture_output=True, timeout=100, check=False, cwd=folder)
    message = json.loads(result_file.read_text())
    jsonschema.validate(message, json.loads((CONTRACT / "result.schema.json").read_text()))
    assert list(folder.glob("*.part")) == []
    return done.returncode, message


def test_there_is_a_probe() -> None:
    assert RUNTIMES, "no probe is built: run make setup"


@pytest.mark.parametrize("runtime", [runtime for runtime in RUNTIMES if runtime.probe == "java"], ids=lambda r: r.label)
def test_a_virtual_machine_starts_from_an_archive_of_the_probes_classes(runtime: Runtime, tmp_path: Path) -> None:
    java, *arguments = runtime.command
    command = [java, "-Xlog:class+load", *arguments, "describe"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    sources = dict(re.findall(r"(threadping\.\S+) source: (.*)", done.stdout))
    assert "shared objects file" in sources["threadping.probe.Main"]


@in_each_runtime
def test_every_probe_describes_itself_in_the_contracts_words(runtime: Runtime) -> None:
    message = json.loads(msgspec.json.encode(described(runtime).description))
    jsonschema.validate(message, json.loads((CONTRACT / "describe.schema.json").read_text()))
    assert {experiment["name"] for experiment in message["experiments"]} == set(EXPERIMENTS)


def test_every_probe_has_the_same_version_as_threadping() -> None:
    from importlib.metadata import version

    assert {described(runtime).description.version for runtime in RUNTIMES} == {version("threadping")}


def test_a_mechanism_of_one_name_is_the_same_in_every_language() -> None:
    """What a mechanism costs is each language's own, and so is whether it can be between processes."""
    facts: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    for _, experiment, mechanism in mechanisms():
        params = [(p.name, p.default, p.choices, p.range, p.only_with) for p in mechanism.params]
        of_all = tuple(param for param in params if param[0] != "between")
        fact = (mechanism.blocking, mechanism.timed, mechanism.pinnable, mechanism.lines, of_all)
        facts.setdefault((experiment.name, mechanism.name), set()).add(fact)
    assert {name: found for name, found in facts.items() if len(found) > 1} == {}


def test_an_experiment_is_described_alike_in_every_language_and_python_knows_its_words() -> None:
    found = {
        (e.name, e.role_names, e.threads, e.windows) for r in RUNTIMES for e in described(r).description.experiments
    }
    assert found == {
        ("signal", ("ping", "pong"), (2, 2), "ops"),
        ("lock", ("worker",), (1, 4096), "ns"),
        ("notify", ("notifier", "waiter"), (2, 4096), "ns"),
        ("ring", ("producer", "consumer"), (2, 4096), "ns"),
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
        ("notify", ("call", "wake")),
        ("ring", ("latency",)),
    }


def test_words_are_said_of_every_mechanism_and_parameter_in_one_place_and_of_nothing_else() -> None:
    experiments = [experiment for runtime in RUNTIMES for experiment in described(runtime).description.experiments]
    found = {(one.name, mechanism.name) for one in experiments for mechanism in one.mechanisms}
    params = {(one.name, param.name) for one in experiments for m in one.mechanisms for param in m.params}
    said = {(name, mechanism) for name, of_it in words().experiments.items() for mechanism in of_it.mechanisms}
    said_of_params = {(name, param) for name, of_it in words().experiments.items() for param in of_it.params}
    assert (found - said, params - said_of_params) == (set(), set())
    assert [mechanism.name for one in experiments for mechanism in one.mechanisms if mechanism.words] == []
    if {runtime.probe for runtime in RUNTIMES} == {"cpp", "java"}:
        assert (said - found, said_of_params - params) == (set(), set())


@pytest.mark.parametrize(("runtime", "experiment", "mechanism", "cpus"), mechanisms_somewhere())
def test_every_mechanism_measures_in_every_runtime_and_loses_nothing(
    runtime: Runtime, experiment: Any, mechanism: Any, cpus: tuple[int | None, ...]
) -> None:
    outcome = run_trial(runtime, request_for(experiment, mechanism, cpus), start_seconds=START_SECONDS)
    assert outcome.result is not None, (outcome.failure, outcome.log)
    assert_ping(outcome.result, experiment, mechanism)
    for thread, cpu in zip(outcome.result.threads, cpus, strict=True):
        if cpu is not None:
            assert thread.cpus_start == thread.cpus_end == (cpu,)
    assert (outcome.result.managed is None) == (runtime.probe == "cpp")


@pytest.mark.parametrize(("runtime", "experiment", "mechanism", "params"), parameters())
def test_every_parameter_measures_and_loses_nothing(
    runtime: Runtime, experiment: Any, mechanism: Any, params: Params
) -> None:
    request = request_for(experiment, mechanism, next(iter(APART.values()), None))
    slow = replace(request, params=params, bound_ns=5_000_000_000)  # an operation of 2,000,000 steps, not yet compiled
    outcome = run_trial(runtime, slow, start_seconds=START_SECONDS)
    assert outcome.result is not None, (outcome.failure, outcome.log)
    assert_ping(outcome.result, experiment, mechanism, params)


@pytest.mark.parametrize(
    ("experiment", "name", "cpus"),
    [
        *(("signal", name, (ALLOWED[0], ALLOWED[-1])) for name in ("cas-one-line", "condition")),
        ("signal", "condition", (ALLOWED[-1],) * 2),
        ("lock", "cas-loop", (ALLOWED[0], ALLOWED[-1], ALLOWED[0])),
    ],
)
@of_each_language
def test_a_process_is_pinned_whole(runtime: Runtime, experiment: str, name: str, cpus: tuple[int, ...]) -> None:
    request = replace(make_request(name, cpus, 1, experiment), pin="process")
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    for thread in outcome.result.threads:
        assert thread.cpus_start == thread.cpus_end == tuple(sorted(set(cpus)))


@of_each_language
@pytest.mark.parametrize(
    ("experiment", "name", "rounds", "ops"),
    [("signal", "cas-one-line", 2, 1_000), ("lock", "cas-loop", 1, 200_000)],
    ids=["short-rounds", "one-long-round"],
)
def test_a_warmup_is_carried_out_as_asked(runtime: Runtime, experiment: str, name: str, rounds: int, ops: int) -> None:
    request = make_request(name, (ALLOWED[0], ALLOWED[-1]), 1, experiment)
    limit_ns = 10_000_000_000
    warmup = replace(request.warmup, rounds=rounds, ops=ops, limit_ns=limit_ns, uninterrupted=rounds == 1)
    request = replace(request, warmup=warmup, bound_ns=40_000_000_000)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two spinning threads on one CPU hand over a few hundred times a second")
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    assert outcome.result.warmup.ended != "limit"
    assert outcome.result.warmup.ops >= rounds * ops


@of_each_language
def test_a_full_pool_is_visited_whole_when_there_is_time(runtime: Runtime) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two spinning threads on one CPU visit few lines")
    request = replace(make_request("release-two-lines", (ALLOWED[0], ALLOWED[-1]), 16), measure_ns=400_000_000)
    outcome = run_trial(runtime, replace(request, bound_ns=20_000_000_000), start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    assert set(outcome.result.windows.of("throughput").line) == set(range(16))
    assert sum(outcome.result.timed().counts) > 0


@of_each_language
def test_every_lock_of_a_pool_is_contended_for_when_there_is_time(runtime: Runtime) -> None:
    request = replace(make_request("cas-loop", (ALLOWED[0], ALLOWED[-1]), 3, "lock"), measure_ns=400_000_000)
    outcome = run_trial(runtime, replace(request, bound_ns=20_000_000_000), start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    measured = outcome.result.windows.measured
    windows = set(zip(measured.line, measured.kind, strict=True))
    assert windows == {(line, kind) for line in range(3) for kind in ("throughput", "sampling")}
    assert sum(outcome.result.timed().counts) > 0


@of_each_language
@pytest.mark.parametrize(("experiment", "name"), [("signal", "release-two-lines"), ("lock", "cas-loop")])
@pytest.mark.parametrize("home", [(ALLOWED[-1],), tuple(ALLOWED), None], ids=["pong", "all", "anywhere"])
def test_the_cells_are_made_where_they_are_to_be(
    runtime: Runtime, experiment: str, name: str, home: tuple[int, ...] | None
) -> None:
    """On a machine with one node there is one answer, and none where a collector may move the cells."""
    request = replace(make_request(name, (ALLOWED[0], ALLOWED[-1]), 3, experiment), home=home)
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result is not None, outcome.failure
    nodes = outcome.result.home.nodes or ()
    assert set(nodes) <= {cpu.node for one in RUNTIMES if one.probe == "cpp" for cpu in read_topology(one).cpus}
    assert runtime.probe == "cpp" or experiment == "signal" or not nodes


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
def test_what_a_probe_does_not_understand_it_does_not_measure(runtime: Runtime, tmp_path: Path) -> None:
    bad = (CONTRACT / "examples" / "bad" / "request-newer-schema.json").read_bytes()
    returned, message = run_raw(runtime, bad, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)
