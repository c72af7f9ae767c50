"""Runs and trials to store. No two fields of one kind hold the same value, so that a swapped column is seen."""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from threadping.contract import Distribution, Request, Result, Topology
from threadping.model import (
    Case,
    Failure,
    Home,
    Machine,
    Observation,
    Owner,
    Placement,
    Run,
    Runtime,
    Skipped,
    Trial,
    WarmupPolicy,
)
from threadping.store import Store, owner_of_this_process

_EXAMPLES = Path(__file__).parents[3] / "contract" / "examples" / "good"
_Kind = TypeVar("_Kind")


def example(name: str, kind: type[_Kind], **changes: Any) -> _Kind:
    return msgspec.convert(json.loads(_text(name)) | changes, kind)


@cache  # some tests cannot read it any more, having become somebody else
def _text(name: str) -> str:
    return (_EXAMPLES / f"{name}.json").read_text()


def a_case(**changes: Any) -> Case:
    case = Case(
        experiment="signal",
        mechanism="cas-one-line",
        params={"spins": 40, "wait": "pause", "zero": 0, "big": 2**80},
        runtime="java-17 -XX:+UseParallelGC",
        placement=Placement("same-l3", (3, None, 0), "process"),
        blocking=True,
        lines=256,
        varied=("wait", "spins"),
        warmup=WarmupPolicy(1, 500_000_000),
        timed="wait for the lock",
        home=Home("node 1", (4, 5)),
    )
    return msgspec.structs.replace(case, **changes)


def a_trial(**changes: Any) -> Trial:
    trial = Trial(
        round=2,
        position=5,
        case=a_case(),
        request=example("request-pinned", Request),
        result=example("result-native", Result),
        failure=None,
        log="one line\n\tand \0 a NUL, a \ufffd, an ☃ and \U0001f9f5\r\n",
        started="2025-03-04T05:06:07.089+00:00",
        wall_ns=2**53 + 1,
    )
    return msgspec.structs.replace(trial, **changes)


def a_failed_trial(**changes: Any) -> Trial:
    failure = Failure("hung", "It outlived its bound of 3 s and was killed.")
    return msgspec.structs.replace(a_trial(result=None, failure=failure, log=""), **changes)


def seen(trial: Trial, **changes: Any) -> Observation:
    observation = Observation(
        round=trial.round,
        position=trial.position,
        case=trial.case,
        failure=trial.failure,
        wall_ns=trial.wall_ns,
        figures={"latency_ns.typical": 26.3, "counters.cut": 0.1 + 0.2},
        distributions={"latency_ns": Distribution((11, 2**53 + 1), (2, 3), 4), "none": Distribution((), (), 0)},
        form=7,
    )
    return msgspec.structs.replace(observation, **changes)


def a_run(**changes: Any) -> Run:
    run = Run(
        started="2025-01-02T03:04:05+00:00",
        machine=Machine(
            hostname="box",
            cpu_model="A CPU @ 3.00GHz",
            kernel="6.1.0",
            os="An OS 12",
            hypervisor=None,
            governor="performance",
            clock_source="tsc",
            cpu_quota=1.5,
            memory_bytes=2**40 + 7,
            topology=example("topology", Topology),
        ),
        runtimes=(
            Runtime("cpp", "cpp", ("/opt/probe",), "g++ 12.2.0 -O3"),
            Runtime("java-17", "java", ("java", "-XX:+UseBiasedLocking", "-jar", "p.jar"), "OpenJDK 17.0.9"),
        ),
        cases=(a_case(), a_case(mechanism="condition", params={}, blocking=False)),
        skipped=(Skipped("cross-node", "This machine has one NUMA node."),),
        rounds=11,
        budget_s=59.75,
        seed=2**53 - 1,
        version="1.2.3",
        arguments=("signal", "--budget", "1m", ""),
        owner=owner_of_this_process(),
        note="as begun",
    )
    return msgspec.structs.replace(run, **changes)


def an_owner(**changes: Any) -> Owner:
    return msgspec.structs.replace(owner_of_this_process(), **changes)


def add(store: Store, run_id: int, *trials: Trial) -> None:
    for trial in trials:
        store.add(run_id, trial, seen(trial))
