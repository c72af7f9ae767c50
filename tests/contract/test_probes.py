"""Every real probe and every mechanism of every experiment: what only a process can answer, the same for all.

Each mechanism measures once in each language, whose runtimes take turns: they run the same sources. Every placement and
every parameter of every mechanism is asked in the languages' own tests, where no process has to start. A runtime or a
mechanism that is added is asked without a line here: both are learnt from the probes. An experiment adds the
placement of its threads (real_probes.py).
"""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT, make_request
from tests.contract.loops import OF_LIBRARIES
from tests.contract.real_probes import (
    ALLOWED,
    FIRSTS,
    RUNTIMES,
    STANDING,
    START_SECONDS,
    assert_ping,
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
from threadping.model.contract import MechanismDescription, ParamDescription, Params, Request
from threadping.model.reading import FOLLOWING
from threadping.probes.language import words
from threadping.probes.runtimes import LANGUAGES, describe, read_topology


@cache
def nodes() -> set[int | None]:
    return {cpu.node for one in FIRSTS if one.probe == "cpp" for cpu in read_topology(one).cpus}


HOMES = ((ALLOWED[-1],), tuple(ALLOWED), None)
LONG = {"100ms", "300ms", "1s"}
"""Values for which a trial takes seconds, and which ask no more than the shorter ones."""


def values(mechanism: MechanismDescription, experiment: str) -> dict[str, Params]:
    """Every value worth asking for of its parameters but the default, by what names it; but no number of threads."""
    return {
        f"{experiment} {param.name}={value}": _with_partner(param, value)
        for param in mechanism.params
        if param.name not in (*EXPERIMENTS[experiment].defaults.by_role, EXPERIMENTS[experiment].defaults.smaller)
        for value in param.choices or param.range or ()
        if value != param.default and value not in LONG
    }


def _with_partner(param: ParamDescription, value: int | str) -> Params:
    partner: Params = {param.only_with.param: param.only_with.value} if param.only_with else {}
    if param.name == "depth":  # no more of them than the queue holds
        partner = {"size": value}
    return {**partner, param.name: value}


def trials() -> list[Any]:
    """Every mechanism and every parameter once in each language; in Rust, whose own tests ask none, every value.

    Each mechanism takes a value that was not asked yet, of a parameter that was not asked if there is one, and the last
    that has the parameter what is left. Its runtimes, its places, its homes and how it is pinned take turns.
    """
    found = []
    for language in dict.fromkeys(runtime.probe for runtime in RUNTIMES):
        having: dict[tuple[str, str], list[Any]] = {}
        for one in mechanisms():
            if one[0].probe == language:
                having.setdefault((one[1].name, one[2].name), []).append(one)
        asked: set[str] = set()
        for last in (False, True):
            for number, ((of, _), ones) in enumerate(having.items()):
                runtime, experiment, mechanism = ones[number % len(ones)]
                unasked = {key: params for key, params in values(mechanism, of).items() if key not in asked}
                new = {param: key for key in reversed(unasked) if (param := key.partition("=")[0]) not in asked}
                left = unasked if language == "rust" else new.values()
                for key in left if last else [*new.values(), *unasked, ""][:1]:
                    params = unasked.get(key, {})
                    asked |= {key, key.partition("=")[0]}
                    places = [*STANDING[of]] if mechanism.pinnable else ["unpinned"]
                    place = places[0 if params else number // 2 % len(places)]
                    pin = "process" if number % 3 == 0 and place != "unpinned" else "thread"
                    request = patient_request(of, mechanism.name, place, min(mechanism.lines, 4))
                    request = replace(request, params=params, pin=pin, home=HOMES[number // 4 % len(HOMES)])
                    if params:  # an operation of 2,000,000 steps, not yet compiled
                        request = replace(request, bound_ns=5_000_000_000)
                    words = [runtime.label, of, mechanism.name, place, pin, *key.split()[1:]]
                    found.append(pytest.param(runtime, experiment, mechanism, request, id="-".join(words)))
    return found


ELSEWHERE = {"cpp": set[str](), "rust": {"network", "jitter", "self-test"}, "java": {"network", "jitter", "self-test"}}
"""Experiments that a language lacks."""

RESTS = ("tpause", "umwait", "monitorx")
JVMS = [runtime for runtime in RUNTIMES if runtime.probe == "java"]
NEWEST = JVMS[-1:]


def test_there_is_a_probe() -> None:
    assert RUNTIMES, "no probe is built: run make setup"


@pytest.mark.parametrize("runtime", JVMS, ids=lambda runtime: runtime.label)
def test_a_virtual_machine_starts_from_an_archive_of_the_probes_classes(runtime: Runtime, tmp_path: Path) -> None:
    java, *arguments = runtime.command
    command = [java, "-Xlog:class+load", *arguments, "describe"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    sources = dict(re.findall(r"(threadping\.\S+) source: (.*)", done.stdout))
    assert "shared objects file" in sources["threadping.probe.Main"]


@pytest.mark.parametrize("runtime", NEWEST, ids=lambda runtime: runtime.label)
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
    for flags in [*((unlocked, f"-XX:+{name}") for name in collectors), (f"-XX:AllocateHeapAt={tmp_path}",)]:
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
            (p.name, p.default, tuple(c for c in p.choices or () if c not in RESTS), p.range, p.only_with)
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


@pytest.mark.parametrize(("runtime", "experiment", "mechanism", "request_"), trials())
def test_every_mechanism_measures_as_asked_and_loses_nothing(
    runtime: Runtime, experiment: Any, mechanism: Any, request_: Request
) -> None:
    """A runtime whose collector moves objects reports no node of its cells."""
    outcome = run_trial(runtime, request_, start_seconds=START_SECONDS)
    if outcome.result and not outcome.result.windows.measured.total_ops:  # in 5 ms: slow, or another had its CPUs
        request_ = replace(request_, measure_ns=20 * request_.measure_ns, bound_ns=20 * request_.bound_ns)
        outcome = run_trial(runtime, request_, start_seconds=START_SECONDS)
    assert outcome.result is not None, (outcome.failure, outcome.log)
    assert_ping(outcome.result, experiment, mechanism, request_.params)
    cpus = [one.cpu for one in request_.threads if one.cpu is not None]
    for thread, one in zip(outcome.result.threads, request_.threads, strict=True):
        if one.cpu is not None:
            allowed = sorted(set(cpus)) if request_.pin == "process" else [one.cpu]
            assert list(thread.cpus_start) == list(thread.cpus_end) == allowed
    assert set(outcome.result.home.nodes or ()) <= nodes()
    assert (getattr(outcome.result.managed, "rested_ns", None) is not None) == (runtime.probe == "java")


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
@pytest.mark.skipif(len(ALLOWED) < 2, reason="two CPUs are pinged")
def test_a_trial_pings_the_pairs_that_it_is_asked_for_before_and_after_it_measures(runtime: Runtime) -> None:
    request = replace(patient_request("signal", "cas-one-line", "apart", 4), pings=((ALLOWED[0], ALLOWED[1]),))
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    assert [(one.cpus, one.when) for one in outcome.result.pings] == [
        (request.pings[0], when) for when in ("before", "after")
    ]


NATIVE = [one for one in FIRSTS if one.probe != "java"]
"""They keep within a limit of the shell's, which a virtual machine does not start in."""


@of_each_language
def test_more_threads_than_there_may_be_are_refused_in_the_same_words(runtime: Runtime, tmp_path: Path) -> None:
    request = make_request("mutex", (None,) * 4097, experiment="lock")
    returned, message = run_raw(runtime, request, tmp_path)
    assert (message["error"]["code"], returned) == ("bad-request", 2)
    assert message["error"]["message"] == "The request's threads must be a list of 1 to 4096 threads."


@pytest.mark.parametrize("runtime", NATIVE, ids=lambda runtime: runtime.label)
def test_4096_threads_for_which_there_is_no_memory_are_refused_with_the_remedy(
    runtime: Runtime, tmp_path: Path
) -> None:
    """Their stacks alone are more than the limit."""
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
