"""A made-up run of `wakeup`, from the fake probe's exact answers: two mechanisms, one and sixteen pairs."""

from itertools import cycle, islice

from msgspec.structs import replace

from tests.golden.fixture import DECLARED, RUN
from tests.unit.analysis.examples import WAKEUP, observed, result
from threadping.analysis.analyse import analyse
from threadping.model.cases import Placement

CASES = tuple(
    replace(WAKEUP, mechanism=mechanism, placement=Placement("same-l3", tuple(islice(cycle((0, 1)), 2 * pairs))))
    for pairs in (1, 16)
    for mechanism in ("futex", "pipe")
)
OBSERVATIONS = tuple(
    replace(observed(case, result(case)), round=number, started=f"2026-03-01T09:30:{number:02}Z")
    for number in range(1, 7)
    for case in CASES
)
CALLS = replace(RUN, cases=CASES, skipped=())
ANSWER = analyse(CALLS, OBSERVATIONS, (), DECLARED)
