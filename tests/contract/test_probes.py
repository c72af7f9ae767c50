"""Every real probe and every mechanism of every experiment: what only a process can answer, the same for all.

Each mechanism measures once in each language, whose runtimes take turns: they run the same sources. Every placement and
every parameter of every mechanism is asked in the languages' own tests, where no process has to start. A runtime or a
mechanism that is added is asked without a line here: both are learnt from the probes. An experiment adds the
placement of its threads (real_probes.py).
"""

from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from tests.contract.real_probes import (
    ALLOWED,
    FIRSTS,
    RUNTIMES,
    STANDING,
    START_SECONDS,
    assert_ping,
    mechanisms,
    of_each_language,
    patient_request,
)
from tests.trials import run_trial
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Runtime
from threadping.model.contract import MechanismDescription, ParamDescription, Params, Request
from threadping.probes.runtimes import read_topology


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
    # No more in flight than the queue holds; a stream that is over soon; a burst for each window.
    more: dict[str, Params] = {"depth": {"size": value}, "consumer-work": {"size": 1024}, "burst": {"rate": 1_000_000}}
    return {**partner, **more.get(param.name, {}), param.name: value}


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
                left = [*unasked, *[""] * (of == "barrier")] if language == "rust" else new.values()
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
                    elif of == "barrier":  # in Rust each of them: more rounds than 8 bits count
                        request = replace(request, warmup=replace(request.warmup, ops=150))
                    words = [runtime.label, of, mechanism.name, place, pin, *key.split()[1:]]
                    found.append(pytest.param(runtime, experiment, mechanism, request, id="-".join(words)))
    return found


def test_there_is_a_probe() -> None:
    assert RUNTIMES, "no probe is built: run make setup"


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
@pytest.mark.skipif(len(ALLOWED) < 2, reason="two CPUs are pinged")
def test_a_trial_pings_the_pairs_that_it_is_asked_for_before_and_after_it_measures(runtime: Runtime) -> None:
    request = replace(patient_request("signal", "cas-one-line", "apart", 4), pings=((ALLOWED[0], ALLOWED[1]),))
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    expected = [(request.pings[0], when) for when in ("before", "after")]
    assert [(one.cpus, one.when) for one in outcome.result.pings] == expected
