"""Any question on any machine: the cases that were asked for, each once, or an error in a sentence."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.planning.examples import ASKINGS, WAIT, ask, every, lock, mechanism, offer, topology
from threadping.model.contract import Topology
from threadping.model.errors import UsageError
from threadping.model.topology import usable
from threadping.planning.cases import BY_NAME, FIRST, LAYERS, OTHER_PARAMS, OTHER_RUNTIMES
from threadping.probes.placements import PLACEMENT_NAMES

SPINNING = (mechanism(name, params=(WAIT,)) for name in ("cas", "swap"))
SLEEPING = mechanism("condition", blocking=True), mechanism("virtual", blocking=True, pinnable=False)
OFFERED = {"signal": (*SPINNING, *SLEEPING), "lock": (lock("mutex"), lock("ticket-lock", blocking=False))}
RUNTIMES = ("cpp", "java-17", "java-25")
OFFERS = [offer(label, *of_it, experiment=name) for name, of_it in OFFERED.items() for label in RUNTIMES]
NAMES = [one.name for offered in OFFERED.values() for one in offered]
UNORDERED = {name: replace(defaults, first=()) for name, defaults in ASKINGS.items()}

SHARED = st.none() | st.integers(0, 1)
MACHINES = st.lists(st.tuples(SHARED, SHARED, SHARED, SHARED), min_size=1, max_size=5).map(lambda of: topology(*of))


def some(*values: object) -> st.SearchStrategy[tuple[object, ...]]:
    """A few of these; often none, which leaves the choice to us."""
    return st.just(()) | st.lists(st.sampled_from(values), unique=True, max_size=3).map(tuple)


ASKED: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    mechanisms=some(*NAMES),
    placements=some(*PLACEMENT_NAMES),
    threads=some(1, 2, 3, 7),
    params=some("spin", "pause").map(lambda values: {"wait": values} if values else {}),
    pins=some("thread", "process").map(lambda pins: pins or ("thread",)),
    homes=some("0", "1", "ping", "pong", "worker"),
)


@given(MACHINES, ASKED)
def test_cases_are_what_was_asked_each_once_or_there_is_a_sentence(machine: Topology, asked: dict[str, Any]) -> None:
    try:
        layers = ask(*OFFERS, machine=machine, **asked).layers
    except UsageError as error:
        assert str(error).removeprefix("Nothing is left to measure.").strip(" .")
        return
    numbers = [[BY_NAME, *LAYERS].index(layer.what.split(" (")[0]) for layer in layers]
    assert numbers == sorted(set(numbers))
    layer_of = {case: layer.what for layer in layers for case in layer.cases}
    assert len(layer_of) == sum(len(layer.cases) or 1 for layer in layers)
    for case, layer in layer_of.items():
        name, cpus, pin = case.placement.name, case.placement.cpus, case.placement.pin
        assert set(cpus) == {None} if name == "unpinned" else set(cpus) <= set(usable(machine)) and pin in asked["pins"]
        assert name in (asked["placements"] or PLACEMENT_NAMES) or len(cpus) == 1
        assert case.mechanism in (asked["mechanisms"] or NAMES)
        assert case.runtime != "java-25" or layer not in (FIRST, BY_NAME)
        assert not asked["mechanisms"] or layer in (BY_NAME, OTHER_RUNTIMES)
        assert case.varied or not layer.startswith(OTHER_PARAMS)
    # What is asked first is a matter of order only.
    assert set(every(ask(*OFFERS, machine=machine, case_defaults=UNORDERED, **asked))) == layer_of.keys()
