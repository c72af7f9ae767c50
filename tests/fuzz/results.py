"""Mutated results of probes, through all that reads them: a failure or figures, never an exception.

`python -m tests.fuzz.results 500000 [SEED]` tries 500,000 mutants and prints their outcomes.
"""

import copy
import json
import math
import random
import sys
from collections import Counter
from typing import Any

import msgspec

from tests.conftest import make_request
from tests.fakes.fake_results import exact_result
from threadping.analysis.analyse import observe
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case, Placement, Runtime
from threadping.model.contract import HOUR_NS
from threadping.model.run import Observation, Trial
from threadping.probes.process import ProcessEnd
from threadping.probes.trial import Launch, Outcome, read_outcome
from threadping.store.tables import pack, unpack

MECHANISMS = {"signal": "steady", "lock": "ticket-lock", "wakeup": "futex", "queue": "disruptor", "load": "condition"}
RUNTIME = Runtime("cpp", "cpp", ("probe",), "")
PLACEMENT = Placement("same-l3", (0, 1))

NUMBERS = (0, 1, -1, 2, 16, 255, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, HOUR_NS)
TEXTS = ("", "x", "\ud800", "throughput", "sampling")
VALUES: tuple[Any, ...] = (None, True, False, *TEXTS, [], {}, [0], {"ns": 1}, *NUMBERS)

DEEP = 5_000 * "["
"""Raw JSON, written without an encoder."""

RAW_NUMBERS = ("NaN", "-Infinity", "1e999", "1" + 5_000 * "0", "-0", "0.1e", "01")


def launches() -> list[tuple[Case, Launch]]:
    found = []
    for experiment, mechanism in MECHANISMS.items():
        request = make_request(mechanism, experiment=experiment)
        case = Case(experiment, mechanism, request.params, "cpp", PLACEMENT, False, request.lines)
        found.append((case, Launch(RUNTIME, request, 1.0, EXPERIMENTS[experiment].pace.promised)))
    return found


def places(tree: Any) -> list[tuple[Any, Any]]:
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in [(tree, key), *places(tree[key])]]


def mutate(tree: Any, chance: random.Random) -> str:
    """Change some places of a message: a value, a missing, new or repeated field, two swapped fields."""
    found = places(tree)
    numbers = [(inside, key) for inside, key in found if type(inside[key]) in (int, float)]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        what = chance.randrange(12)
        inside, key = chance.choice(numbers if what < 8 else found)
        if key not in (inside if isinstance(inside, dict) else range(len(inside))):
            continue  # it went with an earlier change
        match what:
            case 8:
                inside[key] = copy.deepcopy(chance.choice(VALUES))
            case 9:
                other, there = chance.choice(numbers)
                inside[key] = copy.deepcopy(other.get(there) if isinstance(other, dict) else other[:1])
            case 10:
                del inside[key]
            case 11 if isinstance(inside, list):
                inside.extend(copy.deepcopy(inside[:4]) * chance.choice((1, 3)))
            case 11:
                inside[chance.choice(("x", "of", "error", "schema"))] = copy.deepcopy(chance.choice(VALUES))
            case _ if isinstance(inside[key], int | float):
                near = (inside[key] + chance.choice((-1, 1)), inside[key] * chance.choice((0, 2, 1_000, 2**40)))
                inside[key] = chance.choice((*near, chance.choice(NUMBERS)))
    text = json.dumps(tree)
    match chance.randrange(40):
        case 0:
            at = chance.randrange(len(text))
            return text[:at] + chance.choice(("", "\0", "[", "}", "\N{SNOWMAN}", text[at : at + 50])) + text[at + 1 :]
        case 1:
            return text.replace(chance.choice((": 1", ": 0", ": 100")), f": {chance.choice(RAW_NUMBERS)}", 1)
        case 2:
            return text.replace("null", DEEP, 1)
    return text


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
    for _ in range(number):
        case, launch, exact = chance.choice(known)
        raw = mutate(copy.deepcopy(exact), chance).encode("utf-8", "surrogatepass")
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
