import pytest

from threadping.contract import ExperimentDescription, MechanismDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments.selection import Offer, Selection, Wish, select_cases
from threadping.model import Placement, Runtime, Skipped

KNOWN = ("same-cpu", "same-l2", "same-l3", "unpinned")
TWO_CPUS = [Placement("same-l3", (0, 1)), Placement("same-cpu", (1, 1)), Placement("unpinned", (None, None))]
ONE_CPU = TWO_CPUS[1:]
NO_L2 = Skipped("same-l2", "no two CPUs share an L2")


def mechanism(name: str, *, blocking: bool, needs: str | None = None) -> MechanismDescription:
    return MechanismDescription(name, "does", "costs", blocking, 1 if blocking else 256, (), needs)


def offer(label: str, *mechanisms: MechanismDescription) -> Offer:
    runtime = Runtime(label, "cpp", (label,), "")
    return Offer(runtime, ExperimentDescription("signal", ("ping", "pong"), mechanisms))


CPP = offer("cpp", mechanism("cas", blocking=False), mechanism("condition", blocking=True))
JAVA = offer("java-17", mechanism("cas", blocking=False), mechanism("virtual", blocking=True, needs="Java 21"))


def select(wish: Wish, places: list[Placement] = TWO_CPUS, offers: tuple[Offer, ...] = (CPP,)) -> Selection:
    return select_cases("signal", wish, offers, places, [NO_L2], KNOWN)


def names(selection: Selection) -> list[str]:
    return [case.title for case in selection.cases]


def test_spinning_is_measured_apart_blocking_everywhere() -> None:
    assert names(select(Wish())) == [
        "cas cpp same-l3",
        "condition cpp same-l3",
        "condition cpp same-cpu",
        "condition cpp unpinned",
    ]


def test_with_one_cpu_what_can_run_runs_and_the_rest_is_named() -> None:
    selection = select(Wish(), ONE_CPU)
    assert names(selection) == [
        "cas cpp same-cpu",
        "cas cpp unpinned",
        "condition cpp same-cpu",
        "condition cpp unpinned",
    ]
    assert NO_L2 in selection.skipped


def test_a_wish_overrules_what_is_usual() -> None:
    assert names(select(Wish(("cas",), ("same-cpu",)))) == ["cas cpp same-cpu"]


def test_a_mechanism_that_one_runtime_lacks_is_skipped_there_alone() -> None:
    selection = select(Wish(("condition",)), offers=(CPP, JAVA))
    assert {case.runtime for case in selection.cases} == {"cpp"}
    assert Skipped("condition java-17", "this runtime's probe does not have it") in selection.skipped


def test_what_a_runtime_cannot_run_says_what_it_needs() -> None:
    selection = select(Wish(), offers=(JAVA,))
    assert Skipped("virtual java-17", "this runtime cannot run it: it needs Java 21") in selection.skipped


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"mechanism 'conditoin'\. Did you mean condition"):
        select(Wish(("conditoin",)))
    with pytest.raises(UnknownName, match=r"placement 'same-l4'\. Did you mean same-l"):
        select(Wish((), ("same-l4",)))


def test_a_placement_that_the_machine_has_not_leaves_nothing_and_says_why() -> None:
    with pytest.raises(NothingToMeasure, match="same-l2: no two CPUs share an L2") as caught:
        select(Wish((), ("same-l2",)))
    assert caught.value.exit_code == 2
