"""Mutated results of probes, through all that reads them: a failure or figures, never an exception.

`python -m tests.fuzz.results 500000 [SEED]` tries 500,000 mutants and prints their outcomes.
"""

import copy
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from tests.conftest import make_request
from tests.fakes.fake_results import exact_result
from tests.fuzz.mutate import MUTATIONS, change, places
from threadping.analysis.analyse import observe
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case, Placement, Runtime
from threadping.model.run import Observation, Trial
from threadping.probes.process import ProcessEnd
from threadping.probes.trial import Launch, Outcome, read_outcome
from threadping.store.tables import pack, unpack

MECHANISMS = {"signal": "steady", "lock": "ticket-lock", "wakeup": "futex", "queue": "disruptor", "load": "condition"}
RUNTIME = Runtime("cpp", "cpp", ("probe",), "")
PLACEMENT = Placement("same-l3", (0, 1))


def launches() -> list[tuple[Case, Launch]]:
    found = []
    for experiment, mechanism in MECHANISMS.items():
        request = make_request(mechanism, experiment=experiment)
        case = Case(experiment, mechanism, request.params, "cpp", PLACEMENT, False, request.lines)
        found.append((case, Launch(RUNTIME, request, 1.0, EXPERIMENTS[experiment].pace.promised)))
    return found


def mutant(message: Any, paths: Sequence[tuple[Any, ...]], chance: random.Random) -> bytes:
    """Change some values of a message, and of one in ten some bytes."""
    whole = copy.deepcopy(message)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        change(whole, paths, chance)
    raw = json.dumps(whole).encode()
    return chance.choice(MUTATIONS)(chance, raw, (raw,)) if chance.random() < 0.1 else raw


def try_one(case: Case, launch: Launch, raw: bytes, wall_ns: int) -> Outcome:
    """Read it as a trial is read, observed and stored; AssertionError for figures that are none."""
    ended = ProcessEnd(0, "", wall_ns)
    outcome = read_outcome(raw, launch, ended)
    trial = Trial(0, 0, case, launch.request, outcome.result, outcome.failure, "", "2026-01-01T00:00:00+00:00", wall_ns)
    observation = observe(trial, EXPERIMENTS[case.experiment].figures)
    assert all(map(math.isfinite, observation.figures.values())), observation.figures
    assert unpack([pack(observation)], Observation) == [observation] or outcome.failure
    pack(trial)
    return outcome


def fuzz(number: int, seed: int) -> Counter[str]:
    """Try a number of mutants and count their outcomes: codes of failures, or `measured` if accepted."""
    chance, found = random.Random(seed), Counter[str]()
    known = [(*one, exact_result(json.loads(msgspec.json.encode(one[1].request)))) for one in launches()]
    of_each = [(case, launch, exact, [*places(exact)][1:]) for case, launch, exact in known]
    for _ in range(number):
        case, launch, exact, paths = chance.choice(of_each)
        raw = mutant(exact, paths, chance)
        wall_ns = chance.choice((1, 20_000_000, launch.request.bound_ns, 20_000_000_000))
        try:
            outcome = try_one(case, launch, raw, wall_ns)
        except BaseException:
            print(f"seed {seed}, {case.experiment}, {wall_ns} ns: {raw[:100_000]!r}", file=sys.stderr)
            raise
        found[outcome.failure.code if outcome.failure else "measured"] += 1
    return found


if __name__ == "__main__":
    number, seed = (int(one) for one in (*sys.argv[1:3], "1")[:2])
    for code, times in sorted(fuzz(number, seed).items()):
        print(f"{code}: {times:,}")
