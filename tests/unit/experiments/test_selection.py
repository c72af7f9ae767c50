from typing import Any

import pytest
from msgspec.structs import replace

from threadping.contract import ExperimentDescription, MechanismDescription, ParamDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments import EXPERIMENTS
from threadping.experiments.experiment import Asked
from threadping.experiments.layers import FIRST
from threadping.experiments.selection import select_cases
from threadping.experiments.wishes import Offer, Places, Selection, Wish
from threadping.model import Placement, Runtime, Skipped, WarmupPolicy

KNOWN = ("same-cpu", "same-l2", "same-l3", "cross-node", "unpinned")
TWO_CPUS = [Placement("same-l3", (0, 1)), Placement("same-cpu", (1, 1)), Placement("unpinned", (None, None))]
ONE_CPU = TWO_CPUS[1:]
NODES = {"0": (0, 1), "1": (4, 5)}
NO_L2 = Skipped("same-l2", "no two CPUs share an L2")
CLASSIC = ("cas", "condition")
WAIT = ParamDescription("wait", "spin", ("spin", "pause", "yield"), None, None)
LONG = WarmupPolicy(1, 500_000_000)


def mechanism(name: str, *, blocking: bool, **changes: Any) -> MechanismDescription:
    usual = MechanismDescription(name, blocking, "round-trip", True, 1 if blocking else 256, (), None, None)
    return replace(usual, **changes)


def offer(label: str, *mechanisms: MechanismDescription) -> Offer:
    runtime = Runtime(label, label.split("-")[0], (label,), "")
    return Offer(runtime, ExperimentDescription("signal", ("ping", "pong"), (2, 2), "ops", mechanisms))


CAS, SWAP = (mechanism(name, blocking=False, params=(WAIT,)) for name in ("cas", "swap"))
CONDITION, PARK = (mechanism(name, blocking=True) for name in ("condition", "park"))
VIRTUAL = mechanism("virtual", blocking=True, pinnable=False)
TOO_NEW = replace(VIRTUAL, needs="Java 21")

CPP = offer("cpp", CAS, CONDITION)
JAVA = offer("java-17", CAS, TOO_NEW)
NEW_JAVA = offer("java-25", VIRTUAL)
EVERYTHING = offer("cpp", CAS, SWAP, CONDITION, PARK, VIRTUAL)


def select(
    wish: Wish,
    places: list[Placement] = TWO_CPUS,
    offers: tuple[Offer, ...] = (CPP,),
    classic: tuple[str, ...] = CLASSIC,
) -> Selection:
    experiment = replace(EXPERIMENTS["signal"], classic=classic)
    asked = Asked("signal", experiment, offers, Places(places, [NO_L2], KNOWN), NODES, {"round-trip": "round trip"})
    return select_cases([asked], wish)


def layers(selection: Selection) -> list[list[str]]:
    return [[case.title for case in layer.cases] for layer in selection.layers]


def names(selection: Selection) -> list[str]:
    return [title for layer in layers(selection) for title in layer]


def test_an_open_question_is_asked_in_layers() -> None:
    selection = select(Wish(), offers=(EVERYTHING,))
    assert layers(selection) == [
        ["cas cpp same-l3", "condition cpp same-l3", "condition cpp same-cpu", "condition cpp unpinned"],
        ["swap cpp same-l3", "park cpp same-l3", "virtual cpp unpinned"],
        ["park cpp same-cpu", "park cpp unpinned"],
        [f"{name} wait={wait} cpp same-l3" for name in ("cas", "swap") for wait in ("pause", "yield")],
    ]
    assert selection.layers[3].what == "other parameters (wait=pause, wait=yield)"


def test_mechanisms_that_are_named_are_measured_whole_at_their_usual_placements() -> None:
    assert layers(select(Wish(mechanisms=("park", "swap")), offers=(EVERYTHING,))) == [
        ["park cpp same-l3", "park cpp same-cpu", "park cpp unpinned", "swap cpp same-l3"]
    ]


def test_placements_that_are_named_are_where_every_layer_is_measured() -> None:
    selection = select(Wish(placements=("same-cpu", "same-l3")), offers=(offer("cpp", CAS, PARK),))
    assert layers(selection) == [
        ["cas cpp same-l3", "cas cpp same-cpu"],
        ["park cpp same-l3", "park cpp same-cpu"],
        [f"cas wait={wait} cpp {place}" for wait in ("pause", "yield") for place in ("same-l3", "same-cpu")],
    ]


def test_params_that_are_named_are_the_only_ones_and_leave_out_who_lacks_them() -> None:
    selection = select(Wish(params={"wait": ("spin", "yield")}), offers=(EVERYTHING,))
    assert layers(selection) == [
        ["cas cpp same-l3", "cas wait=yield cpp same-l3"],
        ["swap cpp same-l3", "swap wait=yield cpp same-l3"],
    ]
    assert selection.skipped == (NO_L2,)


def test_a_named_mechanism_that_lacks_a_named_param_is_said_to() -> None:
    selection = select(Wish(mechanisms=("cas", "park"), params={"wait": ("yield",)}), offers=(EVERYTHING,))
    assert names(selection) == ["cas wait=yield cpp same-l3"]
    assert Skipped("park cpp", "it has no parameter wait") in selection.skipped


def test_params_that_no_mechanism_has_together_leave_nothing_and_say_so() -> None:
    spins = ParamDescription("spins", 1000, None, (0, 9999), None)
    parking = mechanism("spin-then-park", blocking=True, params=(spins,))
    with pytest.raises(NothingToMeasure, match=r"No mechanism has all of wait, spins as asked for\."):
        select(Wish(params={"wait": ("spin",), "spins": ("5",)}), offers=(offer("cpp", CAS, parking),))


def test_a_placement_that_is_not_there_is_the_reason_whatever_the_params() -> None:
    with pytest.raises(NothingToMeasure, match="same-l2: no two CPUs share an L2"):
        select(Wish(placements=("same-l2",), params={"wait": ("pause",)}))


def test_a_param_is_looked_for_among_the_mechanisms_that_are_named() -> None:
    with pytest.raises(UnknownName, match=r"parameter 'wait'\. Known: none here"):
        select(Wish(mechanisms=("park",), params={"wait": ("spin",)}), offers=(EVERYTHING,))


def test_both_ways_to_pin_are_cases_where_something_is_pinned() -> None:
    selection = select(Wish(mechanisms=("condition",), pins=("thread", "process")))
    assert names(selection) == [
        "condition cpp same-l3",
        "condition cpp same-l3 process",
        "condition cpp same-cpu",
        "condition cpp same-cpu process",
        "condition cpp unpinned",
    ]


def test_nothing_can_be_pinned_unpinned() -> None:
    with pytest.raises(NothingToMeasure, match="condition cpp unpinned: nothing is pinned there"):
        select(Wish(mechanisms=("condition",), placements=("unpinned",), pins=("process",)))


FLOATING = "its threads have no CPU of their own, so it is measured unpinned only"


def test_threads_without_a_cpu_of_their_own_are_measured_unpinned_and_what_else_was_asked_is_named() -> None:
    selection = select(Wish(placements=("same-l3", "unpinned")), offers=(offer("cpp", VIRTUAL, PARK),))
    assert [title for title in names(selection) if "virtual" in title] == ["virtual cpp unpinned"]
    assert Skipped("virtual cpp same-l3", FLOATING) in selection.skipped
    assert Skipped("virtual cpp", FLOATING) in select(Wish(pins=("process",)), offers=(EVERYTHING,)).skipped
    with_cpus = select(Wish(), [Placement("same-l3", (1, 0))], offers=(EVERYTHING,))
    assert Skipped("virtual cpp same-l3", FLOATING) in with_cpus.skipped
    assert FLOATING not in [item.reason for item in select(Wish(), offers=(EVERYTHING,)).skipped]


def test_every_warmup_that_is_named_is_a_case() -> None:
    wish = Wish(mechanisms=("cas",), warmups=(WarmupPolicy(10, 100_000), LONG))
    assert names(select(wish)) == ["cas cpp same-l3", "cas cpp same-l3 1x500M"]


def test_lines_overrule_those_of_a_mechanism_that_spins() -> None:
    cases = [case for layer in select(Wish(lines=1)).layers for case in layer.cases]
    assert {(case.mechanism, case.lines) for case in cases} == {("cas", 1), ("condition", 1)}
    cases = [case for layer in select(Wish(lines=4)).layers for case in layer.cases]
    assert {(case.mechanism, case.lines) for case in cases} == {("cas", 4), ("condition", 1)}


def test_what_is_measured_first_shows_the_cheapest_advice_beside_the_default() -> None:
    experiment = EXPERIMENTS["signal"]
    release = mechanism("release-one-line", blocking=False, params=(WAIT,))
    first, *others = layers(select(Wish(), offers=(offer("cpp", release, CAS),), classic=experiment.classic))
    assert first == ["release-one-line cpp same-l3", "release-one-line wait=pause cpp same-l3"]
    assert "release-one-line wait=yield cpp same-l3" in others[-1]
    assert select(Wish(), offers=(offer("cpp", release),), classic=experiment.classic).layers[0].what == FIRST
    chosen = select(Wish(params={"wait": ("spin",)}), offers=(offer("cpp", release),), classic=experiment.classic)
    assert names(chosen) == ["release-one-line cpp same-l3"]


# ---- where cells are made ----

HOMELESS = "no thread has a CPU there at which cells could be made: give --home a NUMA node, or leave it out"


def test_every_home_that_is_named_is_a_case_where_it_is_not_the_usual_one() -> None:
    wish = Wish(mechanisms=("condition",), homes=("pong", "1", "ping"))
    assert names(select(wish)) == [
        "condition cpp same-l3 home pong",
        "condition cpp same-l3 home node 1",
        "condition cpp same-l3",
        "condition cpp same-cpu",
        "condition cpp same-cpu home node 1",
        "condition cpp unpinned home node 1",
    ]


@pytest.mark.parametrize("name", ["worker", "7", "pnig", "node 0"])
def test_a_home_that_is_not_there_is_answered_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownName, match=rf"^Unknown home '{name}'\..* Known: ping, pong, 0, 1\.$") as caught:
        select(Wish(homes=(name,)))
    assert caught.value.exit_code == 2


def test_no_role_has_a_home_where_nothing_is_pinned() -> None:
    with pytest.raises(NothingToMeasure, match=f"condition cpp unpinned: {HOMELESS}"):
        select(Wish(("condition",), ("unpinned",), homes=("pong",)))
    assert names(select(Wish(("condition",), ("unpinned",), homes=("0",)))) == ["condition cpp unpinned home node 0"]
    assert Skipped("virtual cpp", FLOATING) in select(Wish(homes=("pong",)), offers=(EVERYTHING,)).skipped


def test_with_one_cpu_what_can_run_runs_and_the_rest_is_named() -> None:
    selection = select(Wish(), ONE_CPU)
    assert layers(selection)[0] == [
        "cas cpp same-cpu",
        "cas cpp unpinned",
        "condition cpp same-cpu",
        "condition cpp unpinned",
    ]
    assert NO_L2 in selection.skipped


def test_further_placements_of_different_cpus_wait_for_their_layer() -> None:
    far = [*TWO_CPUS, Placement("cross-node", (0, 9))]
    assert layers(select(Wish(), far, offers=(offer("cpp", replace(SWAP, params=())),))) == [
        ["swap cpp same-l3"],
        ["swap cpp cross-node"],
    ]


def test_a_wish_overrules_what_is_usual() -> None:
    assert names(select(Wish(("cas",), ("same-cpu",)))) == ["cas cpp same-cpu"]


def test_a_mechanism_that_one_runtime_lacks_is_skipped_there_alone() -> None:
    selection = select(Wish(("condition",)), offers=(CPP, JAVA))
    assert {case.runtime for layer in selection.layers for case in layer.cases} == {"cpp"}
    assert Skipped("condition java-17", "this runtime's probe does not have it") in selection.skipped


def test_what_a_runtime_cannot_run_says_what_it_needs_and_who_can() -> None:
    skipped = select(Wish(), offers=(JAVA, NEW_JAVA)).skipped
    remedy = "measure it with a newer JVM, e.g. --runtime java-25"
    assert Skipped("virtual java-17", f"needs Java 21; {remedy}") in skipped
    (alone,) = [item for item in select(Wish(), offers=(JAVA,)).skipped if item.what == "virtual java-17"]
    assert "`threadping runtimes` lists those that are here" in alone.reason


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"mechanism 'conditoin'\. Did you mean condition"):
        select(Wish(("conditoin",)))
    with pytest.raises(UnknownName, match=r"placement 'same-l4'\. Did you mean same-l"):
        select(Wish((), ("same-l4",)))


def test_a_placement_that_the_machine_has_not_leaves_nothing_and_says_why() -> None:
    with pytest.raises(NothingToMeasure, match="same-l2: no two CPUs share an L2") as caught:
        select(Wish((), ("same-l2",)))
    assert caught.value.exit_code == 2
