"""The two sides of a gain: the same threads unpinned, and pinned in the order in which a probe has them."""

import pytest

from tests.unit.planning.examples import inventory, mechanism, offer, queue, topology
from threadping.experiments import case_defaults
from threadping.model.contract import MechanismDescription
from threadping.model.errors import UsageError
from threadping.planning.selection import Inventory, Selection
from threadping.studies.recommend_cpus.cases import THREAD_SHAPES, cases_of

EIGHT = topology(*((core, core, 0, 0) for core in range(8)))
SPSC, MPSC = queue("sequenced-ring", "depth"), queue("mutex-deque", "depth", "producers", blocking=True)


def here(*queues: MechanismDescription) -> Inventory:
    return inventory(offer("cpp", *queues, experiment="queue"), machine=EIGHT, case_defaults=case_defaults())


def test_the_consumer_is_the_second_thread_of_a_queue_and_producers_are_all_others() -> None:
    free, pinned = cases_of(THREAD_SHAPES["producer-consumer"], Selection(), here(SPSC, MPSC), (4, 5, 6), (6, 4))
    assert (pinned.mechanism, pinned.params["producers"], pinned.placement.cpus) == ("mutex-deque", 2, (4, 6, 5))
    assert free.placement.cpus == (None, None, None) and free.params == pinned.params


@pytest.mark.parametrize("names", [("std-barrier", "spin-barrier", "spin-all"), ("spin-barrier",)])
def test_a_barrier_is_measured_as_a_barrier_of_as_many_threads_whose_first_is_the_caller(
    names: tuple[str, ...],
) -> None:
    offered = [mechanism(name, timed=("call", "first", "last", "done"), lines=1) for name in names]
    machine = inventory(offer("cpp", *offered, experiment="barrier"), machine=EIGHT, case_defaults=case_defaults())
    free, pinned = cases_of(THREAD_SHAPES["barrier"], Selection(), machine, (6, 4, 5), (6, 4))
    assert (pinned.experiment, pinned.mechanism, pinned.placement.cpus) == ("barrier", names[-1], (6, 4, 5))
    assert (free.mechanism, free.placement.cpus) == (names[-1], (None, None, None))


def test_two_threads_have_the_first_queue_that_the_runtime_has() -> None:
    _, pinned = cases_of(THREAD_SHAPES["producer-consumer"], Selection(), here(MPSC, SPSC), (4, 5), (5, 4))
    assert (pinned.mechanism, pinned.params["depth"], pinned.placement.cpus) == ("sequenced-ring", 1, (4, 5))


def test_a_runtime_without_such_a_queue_is_refused_unless_a_mechanism_is_named() -> None:
    with pytest.raises(
        UsageError, match="cpp has none of the mechanisms that measure 'producer-consumer': sequenced-ring"
    ):
        cases_of(THREAD_SHAPES["producer-consumer"], Selection(), here(SPSC), (4, 5, 6), (6, 4))
    named = Selection(mechanisms=("mutex-deque",))
    assert (
        cases_of(THREAD_SHAPES["producer-consumer"], named, here(SPSC, MPSC), (4, 5), (5, 4))[0].mechanism
        == "mutex-deque"
    )
