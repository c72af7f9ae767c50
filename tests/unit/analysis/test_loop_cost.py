"""What the loop costs around a mechanism of the user's own: how pairs are judged, and what the row says."""

from math import isclose

import msgspec
import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, LOCK, MACHINE, RUN, SIGNAL, quiet
from threadping.analysis.analyse import analyse
from threadping.analysis.checks import brief, message
from threadping.analysis.declaration import Row
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.figure import LoopVerdict, cost_of
from threadping.model.cases import Case, LoopPairs, OwnMechanism, Runtime


def pairs(ours: float, bare: float, number: int = 12, scatter: float = 0.0) -> LoopPairs:
    """Every third pair is slower by `scatter`, and every third quicker, in the trial."""
    each = [ours * (1 + scatter * (place % 3 - 1)) for place in range(number)]
    return LoopPairs("signal", (0, 1), tuple(each), (bare,) * number)


@pytest.mark.parametrize(
    "found, verdict",
    [
        (pairs(101, 100), "within"),  # by both
        (pairs(1010, 1000), "within"),  # 10 ns, but 1%
        (pairs(14, 10), "within"),  # 40%, but 4 ns
        (pairs(990, 1000), "within"),
        (pairs(110, 100), "more"),
        (pairs(90, 100), "less"),
        (pairs(104, 100, scatter=0.04), "unknown"),  # from 0 to 8 ns
        (pairs(100, 100, scatter=0.2), "unknown"),
        (pairs(1030, 1000, scatter=0.02), "unknown"),  # surely more than 5 ns, but from 1% on
        (pairs(101, 100, number=5), "unknown"),
        (pairs(150, 100, number=2), "unknown"),
    ],
)
def test_within_either_is_within_and_beyond_both_is_more(found: LoopPairs, verdict: LoopVerdict) -> None:
    assert cost_of(found).verdict == verdict


def test_the_cost_is_of_pairs_whatever_the_machine_did_between_them() -> None:
    bare = [100.0 * (1 + place) for place in range(12)]
    cost = cost_of(LoopPairs("signal", (0, 1), tuple(one + 1 for one in bare), tuple(bare)))
    assert cost.ns.value == 1 and cost.ns.ends == (1.0, 1.0) and cost.verdict == "within"
    assert isclose(cost_of(pairs(110, 100)).ratio.value, 1.1)


def test_what_is_no_pairs_is_refused_when_it_is_read() -> None:
    whole = msgspec.json.encode(pairs(101, 100))
    assert msgspec.json.decode(whole, type=LoopPairs) == pairs(101, 100)
    for changed in (whole.replace(b'"bare_ns":[100', b'"bare_ns":[100,100'), whole.replace(b"[100", b"[0"), b"{}"):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(changed, type=LoopPairs)


def judged(loop: LoopPairs | None, case: Case = SIGNAL) -> Row:
    """The row of a mechanism of the user's own that has these pairs."""
    own = OwnMechanism(case.mechanism, "./q.hpp", ("/probe",), "digest", "g++", loop)
    run = replace(RUN, machine=MACHINE, cases=(case,), runtimes=(Runtime("cpp", "cpp", ("/cpp",), "", (own,)),))
    (row,) = analyse(run, [quiet(case)] * 6, [], DECLARED).rows
    return row


def said(row: Row) -> tuple[str, str, str]:
    (found,) = (one for one in row.findings if one.code == "harness")
    check = checks_of(DECLARED)["harness"]
    return found.level, brief(check, found), message(check, found)


def test_the_row_says_what_its_loop_costs() -> None:
    level, short, whole = said(judged(pairs(101, 100, scatter=0.01)))
    assert (level, short) == ("note", "1.0 ns (0.0 to 2.0) beside a bare loop's 100 ns: within 2% or 5 ns")
    assert (
        "12 pairs of a trial and a bare loop of the same operations were measured in turn, 2 threads on CPUs 0-1."
        in (whole)
    )


@pytest.mark.parametrize(
    "found, level, ends",
    [
        (pairs(1500, 1000), "warning", "500 ns (500 to 500) beside a bare loop's 1.00 µs: more than 2% and 5 ns"),
        (pairs(90, 100), "warning", "a bare loop is slower, by more than 2% and 5 ns"),
        (pairs(100, 100, scatter=0.2), "note", "whether that is within 2% or 5 ns cannot be told"),
        (pairs(101, 100, number=2), "note", "1.0 ns beside a bare loop's 100 ns: whether that is within 2% or 5 ns ca"),
    ],
)
def test_more_than_that_is_a_warning(found: LoopPairs, level: str, ends: str) -> None:
    seen, short, _ = said(judged(found))
    assert seen == level and ends in short


def test_only_its_own_experiment_and_mechanism_have_it() -> None:
    assert not [one for one in judged(None).findings if one.code == "harness"]
    assert judged(pairs(101, 100)).loop == pairs(101, 100)
    assert judged(pairs(101, 100), LOCK).loop is None
    others = replace(RUN, cases=(SIGNAL,), runtimes=(Runtime("cpp", "cpp", ("/cpp",), ""),))
    assert analyse(others, [quiet(SIGNAL)] * 6, [], DECLARED).rows[0].loop is None
