"""A plan that is made again from what is stored of its run is the plan that it was."""

import msgspec
from msgspec.structs import replace

from tests.golden.fixture import RUN
from tests.unit.analysis.examples import SIGNAL
from tests.unit.studies.matrix.planted import machine, pairing
from threadping.model.run import Premises
from threadping.planning.budget import Budget, make_plan, plan_of, premises_of, starts_of
from threadping.planning.defaults import Pace, Start, in_blocks
from threadping.studies.matrix.tournament import cases_of, make_tournament

STARTS = {"cpp": Start(0.05), "java-17": Start(0.25, compiles=True)}
PACES = {"signal": Pace(in_blocks)}


def stored(premises: Premises) -> Premises:
    return msgspec.convert(msgspec.json.decode(msgspec.json.encode(premises)), Premises)


def test_a_plan_is_made_again_from_its_run() -> None:
    cases = [replace(SIGNAL, mechanism=f"m{place}", runtime=label) for place, label in enumerate([*STARTS] * 2)]
    plan = make_plan(cases, Budget(90, STARTS, PACES, 3, outliers=None, until=0.03))
    plan = replace(plan, survey=((0, 1), (1, 2)), survey_s=0.5)
    run = replace(RUN, cases=plan.cases, rounds=plan.rounds, seed=plan.seed, until=plan.until)
    premises = stored(premises_of(plan, STARTS))
    assert len(set(plan.longest)) > 1 and plan.spare_s > 1
    assert plan_of(run, premises, PACES) == plan
    assert starts_of(premises) == STARTS


def test_what_is_alike_in_all_pairs_of_a_matrix_is_stored_once() -> None:
    of = pairing(range(16))
    found = make_tournament(of, cases := cases_of(of, machine(16, 4, 8)), STARTS, 60.0, 3, PACES)
    premises = premises_of(found.plan, STARTS)
    assert len(msgspec.json.encode(premises)) < 500
    run = replace(RUN, cases=(), rounds=found.plan.rounds, seed=3, until=0.01)
    assert plan_of(run, stored(premises), found.plan.paces, cases) == found.plan
