"""The two sides of a comparison, and the cases of each that belong together."""

from typing import Any

import pytest

from tests.unit.planning.examples import CRITICAL, WAIT, Offer, inventory, lock, mechanism, offer, queue
from threadping.model.cases import WarmupPolicy
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.planning.selection import Selection
from threadping.studies.compare.cases import Pairs, Sides, making_alike, pairs_of, sides

CAS, SWAP = mechanism("cas", params=(WAIT,)), mechanism("swap", params=(WAIT,))
SLEEPER = mechanism("condition", blocking=True)
MUTEX = lock("mutex", params=(CRITICAL,))
BOTH = (offer("cpp", CAS, SWAP, SLEEPER), offer("cpp", MUTEX, experiment="lock"), offer("java-17", CAS, SLEEPER))
STEADY = (WarmupPolicy(0, 1), WarmupPolicy(10, 100_000))


def pairs(*offers: Offer, **selected: Any) -> Pairs:
    names = tuple(dict.fromkeys(one.experiment.name for one in offers))
    selection = Selection(experiments=names, **selected)
    two, here = sides(selection), inventory(*offers)
    alone = (here.described[:1], here.described[1:2]) if two.what == "runtime" else (here.described, here.described)
    return pairs_of(two, selection, here, alone)


def titles(found: Pairs) -> list[str]:
    return [f"{a.title} | {b.title}" for a, b in found.found]


@pytest.mark.parametrize(
    ("selected", "found"),
    [
        ({"runtimes": ("java-17", "java-25")}, Sides("runtime", "java-17", "java-25")),
        ({"mechanisms": ("swap", "cas")}, Sides("mechanism", "swap", "cas")),
        ({"params": {"wait": ("spin", "pause")}}, Sides("wait", "spin", "pause")),
        ({"placements": ("same-l3", "unpinned")}, Sides("placement", "same-l3", "unpinned")),
        ({"threads": (1, 2)}, Sides("threads", "1", "2")),
        ({"busy": (0, 2)}, Sides("busy", "0", "2")),
        ({"warmups": STEADY}, Sides("warmup", "steady", "10x100k")),
        ({"mechanisms": ("a", "b", "c"), "runtimes": ("x", "y")}, Sides("runtime", "x", "y")),
    ],
)
def test_the_option_with_two_values_has_the_sides_the_first_of_them_is_a(selected: Any, found: Sides) -> None:
    assert sides(Selection(**selected)) == found


@pytest.mark.parametrize(
    ("found", "titles"),
    [
        (Sides("busy", "0", "2"), ("idle", "2 busy threads")),
        (Sides("threads", "1", "2"), ("1 thread", "2 threads")),
        (Sides("wait", "spin", "pause"), ("spin", "pause")),
    ],
)
def test_sides_are_shown_by_what_they_are(found: Sides, titles: tuple[str, str]) -> None:
    assert found.titles == titles


@pytest.mark.parametrize(
    ("selected", "sentence"),
    [
        ({}, "no option has two different ones.*or compare a thing with itself: --self"),
        ({"mechanisms": ("a", "b", "c")}, "but --mechanism has 3 values, and no option has two"),
        (
            {"mechanisms": ("cas", "swap"), "params": {"wait": ("spin", "pause")}},
            "but --mechanism cas,swap and --wait spin,pause both have two",
        ),
    ],
)
def test_sides_that_are_not_clear_are_refused_with_what_to_do(selected: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        sides(Selection(**selected))


@pytest.mark.parametrize(
    ("selected", "found"),
    [
        ({"mechanisms": ("cas", "swap")}, ["cas cpp same-l3 | swap cpp same-l3"]),
        (
            {"params": {"wait": ("spin", "pause")}},
            [
                "cas cpp same-l3 | cas wait=pause cpp same-l3",
                "cas java-17 same-l3 | cas wait=pause java-17 same-l3",
                "swap cpp same-l3 | swap wait=pause cpp same-l3",
            ],
        ),
        (
            {"placements": ("same-l3", "same-cpu"), "mechanisms": ("condition",)},
            [f"condition {label} same-l3 | condition {label} same-cpu" for label in ("cpp", "java-17")],
        ),
        (
            {"runtimes": ("cpp", "java-17")},
            ["cas cpp same-l3 | cas java-17 same-l3", "condition cpp same-l3 | condition java-17 same-l3"],
        ),
        ({"busy": (0, 2), "mechanisms": ("swap",)}, ["swap cpp same-l3 | swap cpp same-l3 beside 2 busy threads"]),
        ({"threads": (1, 2), "mechanisms": ("mutex",)}, ["mutex cpp 1 thread same-cpu | mutex cpp same-l3"]),
        (
            {"warmups": STEADY, "mechanisms": ("cas",), "placements": ("same-l3",), "params": {"wait": ("pause",)}},
            [f"cas wait=pause {one} same-l3 | cas wait=pause {one} same-l3 10x100k" for one in ("cpp", "java-17")],
        ),
    ],
)
def test_a_and_b_differ_in_nothing_else_and_stand_on_the_closest_cpus(selected: Any, found: list[str]) -> None:
    assert sorted(titles(pairs(*BOTH, **selected))) == sorted(found)


def test_sides_with_other_numbers_of_threads_stand_on_other_cpus() -> None:
    ring = offer("cpp", queue("ring", "producers", "consumers"), experiment="ring")
    assert titles(pairs(ring, params={"producers": ("1", "2")})) == [
        "ring cpp same-l3 | ring producers=2 cpp 3 threads same-l3"
    ]


def test_a_case_that_only_one_side_has_is_left_out_and_named() -> None:
    found = pairs(*BOTH, runtimes=("cpp", "java-17"))
    alone = {(one.what, one.reason) for one in found.skipped if one.reason.startswith("only")}
    assert ("swap cpp same-l3", "only cpp has it") in alone


def test_only_runtimes_that_are_compared_are_started_again() -> None:
    here = inventory(*BOTH)
    found = pairs(*BOTH, mechanisms=("cas", "swap")).found
    assert [one.label for one in here.only(case for pair in found for case in pair).runtimes] == ["cpp"]
    assert [one.label for one in here.runtimes] == ["cpp", "java-17"]


def test_sides_that_are_the_same_here_or_have_nothing_in_common_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^A and B are the same here: condition cpp same-cpu\."):
        pairs(BOTH[0], mechanisms=("condition",), homes=("ping", "pong"), placements=("same-cpu",))
    with pytest.raises(NothingToMeasure, match=r"^mutex and swap have nothing in common.*only mutex has it"):
        pairs(*BOTH, mechanisms=("mutex", "swap"))


def test_a_monitor_against_another_lock_has_every_jvm_merge_nothing() -> None:
    """HotSpot merges neighbouring synchronized blocks: without the flag A does a quarter of B's work."""
    java = offer("java-17", lock("monitor"), lock("reentrant-lock"), experiment="lock")
    of_two = Selection(experiments=("lock",), mechanisms=("monitor", "reentrant-lock"))
    here = inventory(java)
    found = pairs_of(sides(of_two), of_two, here, (here.described, here.described))
    alike = making_alike(found, here, of_two)
    assert alike and alike.jvm_flags == {"no-coarsening": ("-XX:-EliminateLocks",)}
    assert making_alike(found, here, alike) is None, "it was asked for"
    newer = offer("java-25", lock("monitor"), experiment="lock")
    jvms = Selection(experiments=("lock",), mechanisms=("monitor",), runtimes=("java-17", "java-25"))
    both = inventory(java, newer)
    found = pairs_of(sides(jvms), jvms, both, (both.described[:1], both.described[1:]))
    assert found.found and making_alike(found, both, jvms) is None, "both sides merge"


def test_a_side_that_can_not_be_pinned_is_compared_with_the_other_unpinned() -> None:
    channel = mechanism("channel", blocking=True, pinnable=False)
    found = pairs(offer("cpp", SLEEPER, channel), mechanisms=("condition", "channel"))
    assert titles(found) == ["condition cpp unpinned | channel cpp unpinned"]
