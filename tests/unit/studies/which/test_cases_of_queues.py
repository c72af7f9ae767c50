"""Which cases a choice of queues asks for: regime by regime, with one producer and then with several."""

import pytest

from tests.unit.planning.examples import TWO_CORES, inventory, offer, queue, topology
from threadping.experiments import case_defaults
from threadping.model.cases import Case
from threadping.model.errors import UnknownName
from threadping.planning.cases import Cases
from threadping.planning.selection import Selection
from threadping.studies.which.cases import Situation, cases_of, situation_of, situations_of, usage_of

RING = queue("ring", "in-flight", "produce", "batch")
DEQUE = queue("deque", "in-flight", "produce", "producers", blocking=True)
OFFERS = (offer("cpp", RING, DEQUE, experiment="ring"), offer("rust", DEQUE, experiment="ring"))
EIGHT = topology(*((core, core, 0, 0) for core in range(8)))


def ask(machine=TWO_CORES, offers=OFFERS, **selected) -> Cases:  # type: ignore[no-untyped-def]
    return cases_of(Selection(**selected), inventory(*offers, machine=machine, case_defaults=case_defaults()))


def told(case: Case) -> str:
    return f"{case.mechanism} {case.runtime} {' '.join(f'{name}={case.params[name]}' for name in case.varied)}"


def test_every_queue_is_used_in_every_way_that_it_takes() -> None:
    first = [case for layer in ask().layers[:2] for case in layer.cases]
    assert sorted(map(told, first)) == sorted(
        [
            "ring cpp in-flight=1",
            "deque cpp in-flight=1",
            "deque rust in-flight=1",
            "ring cpp produce=16",
            "deque cpp produce=16",
            "deque rust produce=16",
            "ring cpp batch=100",
        ]
    )
    assert {case.placement.cpus for case in first} == {(0, 1)}


def test_regimes_are_in_order_then_with_several_producers_where_each_thread_has_a_cpu() -> None:
    found = ask()
    assert [layer.what for layer in found.layers] == [
        "'On CPUs of their own' in cpp",
        "'On CPUs of their own' in rust",
        "'On one CPU'",
        "'Unpinned'",
        "'Beside busy threads'",
        "'On one CPU, 2 producers'",
        "'Unpinned, 2 producers'",
        "'Beside busy threads, 2 producers'",
    ]
    assert [len(layer.cases) for layer in found.layers] == [5, 2, 7, 7, 7, 4, 4, 4]
    busy = found.layers[4].cases[0]
    assert (busy.busy.threads, busy.placement.name, found.layers[3].cases[0].busy.threads) == (2, "unpinned", 0)
    assert {layer.whole for layer in found.layers} == {True}
    assert [one.reason for one in found.skipped if "2 producers" in one.what] == [
        "3 threads have no CPU each: only CPUs 0-1 may be used"
    ]
    with_room = ask(EIGHT).layers[5]
    assert with_room.what == "'On CPUs of their own, 4 producers'"
    assert {len(case.placement.used) for case in with_room.cases} == {5}


def test_of_the_first_regime_what_is_compiled_as_it_runs_is_asked_last() -> None:
    offers = tuple(offer(label, DEQUE, experiment="ring") for label in ("java-17", "rust"))
    assert [layer.what.rsplit(" ", 1)[-1] for layer in ask(offers=offers).layers[:2]] == ["rust", "java-17"]


def test_of_what_is_compiled_as_it_runs_every_regime_is_asked_one_in_flight_first() -> None:
    found = ask(offers=(offer("java-17", RING, DEQUE, experiment="ring"),))
    regimes = ["'On CPUs of their own' in java-17", "'On one CPU'", "'Unpinned'", "'Beside busy threads'"]
    several = [f"'{regime}, 2 producers'" for regime in ("On one CPU", "Unpinned", "Beside busy threads")]
    assert [layer.what for layer in found.layers] == [
        f"{what}, {use}" for use in ("one in flight", "other uses") for what in (*regimes, *several)
    ]
    assert [len(layer.cases) for layer in found.layers] == [2, 2, 2, 2, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1]
    whole = ask(offers=(offer("cpp", RING, DEQUE, experiment="ring"),))
    assert len(whole.layers) == 7
    assert len(whole.every) == len(found.every) == 26


def test_there_are_as_many_rounds_as_tell_so_many_queues_apart() -> None:
    assert {(layer.rounds, layer.fewest) for layer in ask().layers} == {(7, 6)}
    many = [queue(f"q{number}", "in-flight") for number in range(48)]
    assert {layer.rounds for layer in ask(offers=(offer("cpp", *many, experiment="ring"),)).layers} == {8}


def test_on_one_cpu_the_regime_that_needs_two_is_left_out_and_said() -> None:
    found = ask(topology((0, 0, 0, 0)))
    assert found.layers[0].what == "'On one CPU' in cpp"
    assert found.skipped[0].reason == "2 threads have no CPU each: only CPU 0 may be used"


def test_those_that_are_named_are_asked_alone_and_an_unknown_one_is_refused() -> None:
    found = ask(mechanisms=("ring",))
    assert {case.mechanism for case in found.every} == {"ring"}
    assert {one.what for one in found.skipped} == {"ring rust"}
    with pytest.raises(UnknownName, match="Unknown mechanism 'rong'"):
        ask(mechanisms=("rong",))


def test_a_case_says_its_situation_and_its_usage() -> None:
    found = ask(EIGHT)
    assert [*situations_of(found.every)] == [Situation(at, 1) for at in range(4)] + [
        Situation(at, 4) for at in range(4)
    ]
    assert [len(places) for places in situations_of(found.every).values()] == [7, 7, 7, 7, 4, 4, 4, 4]
    uses = [usage_of(case) for layer in found.layers[:2] for case in layer.cases]
    assert [one and one.name for one in uses] == [
        *["one_in_flight"] * 2,
        *["one_by_one"] * 2,
        "by_100",
        "one_in_flight",
        "one_by_one",
    ]
    assert {situation_of(case) for case in found.layers[8].cases} == {Situation(3, 4)}
