"""Runs and trials to store. No two fields of one kind hold the same value, so that a swapped column is seen."""

from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from tests.conftest import CONTRACT, make_distribution
from tests.golden.fixture import RUN
from threadping.analysis.analyse import FORM
from threadping.model.cases import Case, Home, Placement, WarmupPolicy
from threadping.model.contract import OUTLIERS, Request, Result
from threadping.model.run import Failure, Observation, Owner, Premises, Run, RunStatus, Spent, Trial
from threadping.probes.owner import owner_of_this_process
from threadping.store.store import Store

_Kind = TypeVar("_Kind")


def example(name: str, kind: type[_Kind], **changes: Any) -> _Kind:
    text = (CONTRACT / "examples" / "good" / f"{name}.json").read_bytes()
    return msgspec.convert(msgspec.json.decode(text) | changes, kind)


CASE = Case(
    experiment="signal",
    mechanism="cas-one-line",
    params={"spins": 40, "wait": "pause", "zero": 0},
    runtime="java-17 -XX:+UseParallelGC",
    placement=Placement("same-l3", (3, None, 0), "process"),
    blocking=True,
    lines=256,
    varied=("wait", "spins"),
    warmup=WarmupPolicy(1, 500_000_000),
    timed="wait for the lock",
    home=Home("node 1", (4, 5)),
)
TRIAL = Trial(
    round=2,
    position=5,
    case=CASE,
    request=example("request-pinned", Request),
    result=example("result-native", Result),
    failure=None,
    log="one line\n\tand \0 a NUL, a \ufffd, an \N{SNOWMAN} and \U0001f9f5\r\n",
    started="2025-03-04T05:06:07.089+00:00",
    wall_ns=2**53 + 1,
    spent=Spent(1.25, 2.5, 3.75),
)
BEGUN = datetime.now(UTC).isoformat(timespec="seconds")  # one for all, or two that a second parts are not equal
HUNG = Failure("hung", "It outlived its bound of 3 s and was killed.")


def a_case(**changes: Any) -> Case:
    return replace(CASE, **changes)


def a_trial(**changes: Any) -> Trial:
    return replace(TRIAL, **changes)


def a_failed_trial(**changes: Any) -> Trial:
    return replace(TRIAL, **{"result": None, "failure": HUNG, "log": "", **changes})


def seen(trial: Trial, **changes: Any) -> Observation:
    figures = {"latency_ns.typical": 26.3, "counters.cut": 0.1 + 0.2, "none": 1e30}
    distributions = {"latency_ns": make_distribution((11, 2**53 + 1), (2, 3), 4), "none": make_distribution((), ())}
    about = (trial.round, trial.position, trial.case, trial.failure, trial.wall_ns)
    return replace(Observation(*about, figures, distributions, FORM + 1, trial.started, ("No view of it.",)), **changes)


def a_run(**changes: Any) -> Run:
    """One that this process has just begun."""
    begun: dict[str, Any] = {
        "started": BEGUN,
        "owner": owner_of_this_process(),
        "status": "running",
        "ended": None,
        "id": 0,
    }
    cases = (CASE, a_case(mechanism="condition", params={}, blocking=False))
    words = {"arguments": ("run", "signal", "--budget", "1m", ""), "note": "as begun"}
    machine = replace(RUN.machine, hypervisor=None, cpu_quota=1.5, memory_bytes=2**40 + 7)
    premises = Premises({"cpp": (0.5, True)}, (0.25,), ((0.125, 0.75),), (1.5,), OUTLIERS, ((0, 1),), 0.0625, "20-40")
    odd = {"machine": machine, "cases": cases, "budget_s": 59.75, "seed": 2**53 - 1, "premises": premises}
    return replace(RUN, **{"ended": None, "id": 0, **begun, **words, **odd, **changes})


def an_owner(**changes: Any) -> Owner:
    return replace(owner_of_this_process(), **changes)


def end(store: Store, run_id: int, status: RunStatus = "complete", **changes: Any) -> None:
    store.finish(replace(store.run(str(run_id)), status=status, **changes))


def add(store: Store, run_id: int, *trials: Trial) -> None:
    for trial in trials:
        store.add_batch(run_id, [(trial, seen(trial))])
