"""`which queue`: its cases, their order, and its output."""

import pytest
from msgspec.structs import replace

from tests.golden.fixture import APART, FAR, NEAR, TOGETHER
from tests.unit.output.printing import flat, printed
from tests.unit.planning.examples import TWO_CORES, inventory, offer, queue, topology
from tests.unit.studies.recommend_queue.examples import ANYWHERE, DEQUE, DISRUPTOR, ONE, QUEUE, WORK, answer, case_of
from threadping.analysis.answer import Answer
from threadping.experiments import EXPERIMENTS, case_defaults
from threadping.model.cases import Case
from threadping.model.errors import UnknownName
from threadping.model.run import Observation, ReferencePing
from threadping.output.layout import Blocks
from threadping.planning import cases, defaults, selection
from threadping.planning.plan import Budget, make_plan
from threadping.planning.schedule import Ended
from threadping.studies import recommend_queue

RING_OFFERED = queue("queue", "depth", "producer-work", "batch")
DEQUE_OFFERED = queue("deque", "depth", "producer-work", "producers", blocking=True)
OFFERS = (
    offer("cpp", RING_OFFERED, DEQUE_OFFERED, experiment="queue"),
    offer("rust", DEQUE_OFFERED, experiment="queue"),
)
WORKING = "producer-work=16"
EIGHT = topology(*((core, core, 0, 0) for core in range(8)))


def ask(machine=TWO_CORES, offers=OFFERS, **selected) -> cases.Cases:  # type: ignore[no-untyped-def]
    return recommend_queue.cases_of(
        selection.Selection(**selected), inventory(*offers, machine=machine, case_defaults=case_defaults())
    )


def label(case: Case) -> str:
    return f"{case.mechanism} {case.runtime} {' '.join(f'{name}={case.params[name]}' for name in case.varied)}"


def test_every_queue_is_used_in_every_way_that_it_takes() -> None:
    first = [case for layer in ask().layers[:2] for case in layer.cases]
    twice = [f"{queue} {use}" for queue in ("queue cpp", "deque cpp", "deque rust") for use in ("depth=1", WORKING)]
    assert sorted(map(label, first)) == sorted([*twice, "queue cpp batch=100"])
    assert {case.placement.cpus for case in first} == {(0, 1)}


def test_regimes_are_in_order_then_with_several_producers_where_each_thread_has_a_cpu() -> None:
    found = ask()
    assert [layer.what for layer in found.layers] == [
        *("'On CPUs of their own' in cpp", "'On CPUs of their own' in rust"),
        *("'On one CPU'", "'Unpinned'", "'With busy threads'"),
        *("'On one CPU, 2 producers'", "'Unpinned, 2 producers'", "'With busy threads, 2 producers'"),
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
    offers = tuple(offer(label, DEQUE_OFFERED, experiment="queue") for label in ("java-17", "rust"))
    assert [layer.what.rsplit(" ", 1)[-1] for layer in ask(offers=offers).layers[:2]] == ["rust", "java-17"]


def test_of_what_is_compiled_as_it_runs_every_regime_is_asked_depth_1_first() -> None:
    found = ask(offers=(offer("java-17", RING_OFFERED, DEQUE_OFFERED, experiment="queue"),))
    regimes = ["'On CPUs of their own' in java-17", "'On one CPU'", "'Unpinned'", "'With busy threads'"]
    several = [f"'{regime}, 2 producers'" for regime in ("On one CPU", "Unpinned", "With busy threads")]
    assert [layer.what for layer in found.layers] == [
        f"{what}, {use}" for use in ("queue depth 1", "other uses") for what in (*regimes, *several)
    ]
    assert [len(layer.cases) for layer in found.layers] == [2, 2, 2, 2, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1]
    whole = ask(offers=(offer("cpp", RING_OFFERED, DEQUE_OFFERED, experiment="queue"),))
    assert len(whole.layers) == 7
    assert len(whole.every) == len(found.every) == 26


def test_the_rounds_suffice_to_distinguish_the_queues() -> None:
    assert {(layer.rounds, layer.fewest) for layer in ask().layers} == {(7, 6)}
    many = [queue(f"q{number}", "depth") for number in range(48)]
    assert {layer.rounds for layer in ask(offers=(offer("cpp", *many, experiment="queue"),)).layers} == {8}


def test_on_one_cpu_the_regime_that_needs_two_is_left_out_and_said() -> None:
    found = ask(topology((0, 0, 0, 0)))
    why = "2 threads have no CPU each: only CPU 0 may be used"
    assert (found.layers[0].what, found.skipped[0].reason) == ("'On one CPU' in cpp", why)


def test_those_that_are_named_are_asked_alone_and_an_unknown_one_is_refused() -> None:
    found = ask(mechanisms=("queue",))
    assert {case.mechanism for case in found.every} == {"queue"}
    assert {one.what for one in found.skipped} == {"queue rust"}
    with pytest.raises(UnknownName, match="Unknown mechanism 'rong'"):
        ask(mechanisms=("rong",))


def test_a_case_says_its_situation_and_its_usage() -> None:
    found = ask(EIGHT)
    four = [recommend_queue.Situation(at, producers) for producers in (1, 4) for at in range(4)]
    assert [*recommend_queue.situations_of(found.every)] == four
    assert [len(places) for places in recommend_queue.situations_of(found.every).values()] == [7, 7, 7, 7, 4, 4, 4, 4]
    uses = (recommend_queue.usage_of(case) for layer in found.layers[:2] for case in layer.cases)
    names = [one.name if one else "" for one in uses]
    assert names == ["depth_1", "depth_1", "unbatched", "unbatched", "batches_of_100", "depth_1", "unbatched"]
    assert {recommend_queue.situation_of(case) for case in found.layers[8].cases} == {recommend_queue.Situation(3, 4)}


CASES = (case_of(QUEUE, ONE), case_of(QUEUE, ONE, TOGETHER), case_of(DEQUE, WORK), case_of(DEQUE, WORK, TOGETHER))
PACES = {name: one.pace for name, one in EXPERIMENTS.items()}


def the_schedule(budget_s: float) -> recommend_queue.InTurn:
    plan = make_plan(CASES, Budget(budget_s, {"cpp": defaults.Start(0.05)}, PACES, 3))
    situations = [*recommend_queue.situations_of(CASES).values()]
    return recommend_queue.InTurn(plan, situations, lambda seen: seen.figures["ops_per_s"])


def measured(schedule: recommend_queue.InTurn, times: float = 1.0) -> tuple[list[int], float]:
    """Return the measured cases and the time left, if each trial takes `times` its planned duration."""
    order, left_s, rounds = [], schedule.seconds, [0]
    while turns := schedule.next((), lambda _: ()):
        (turn,) = turns
        if left_s < turn.needs_s:
            break
        wall_s = times * (schedule.plan.start_s[turn.case] + schedule.length(turn.case).seconds)
        left_s -= wall_s
        order.append(turn.case)
        rounds.append(turn.round)
        seen = Observation(turn.round, 0, CASES[turn.case], None, 1, {"ops_per_s": 1e6 + len(order)})
        schedule.ended(turn, Ended(seen, None, wall_s, (), ()), left_s)
    assert rounds == sorted(rounds) and rounds[-1] <= 2 * schedule.plan.rounds
    return order, left_s


def test_the_first_situation_is_measured_to_its_end_before_the_second() -> None:
    schedule = the_schedule(20)
    assert schedule.next((0, 2), lambda _: ()) == ()  # it waits for its state
    order, left_s = measured(schedule)
    first = [case for case in order if case in (0, 2)]
    assert order[: len(first)] == first and {*order[len(first) :]} == {1, 3}
    assert len(first) > 12 and len(order) - len(first) > 12 and 0 <= left_s < 0.5
    assert (schedule.cut_short(), schedule.unreached()) == (None, None)


def test_where_trials_take_longer_the_later_situations_have_their_time_all_the_same() -> None:
    schedule = the_schedule(6)
    assert schedule.plan.rounds == 6
    order, _ = measured(schedule, times=2.0)
    counts = [order.count(case) for case in range(4)]
    assert min(counts) >= 2 and max(counts) <= 6
    assert schedule.unreached() == "1 regime had fewer rounds than planned: trials took longer."


def test_a_case_that_is_given_up_leaves_its_time_to_the_others() -> None:
    usual, schedule, other = the_schedule(19), the_schedule(19), the_schedule(19)
    whole = schedule.left()[0]
    schedule.give_up(3)
    assert schedule.left()[0] == whole - schedule.plan.rounds
    other.give_up(0)
    order, _ = measured(other)
    assert 0 not in order and order.count(2) > measured(usual)[0].count(2) and other.left()[0] == 0


def sentences(of: Answer) -> list[str]:
    return [recommend_queue.say_situation(one) for one in recommend_queue.STUDY.read(of, None)]


def test_a_sentence_names_the_best_what_collapses_and_what_has_too_few_trials() -> None:
    apart = "On CPUs of their own. Best queue depth 1:"
    too_few = answer({case_of(QUEUE, ONE): 4e6, case_of(DEQUE, ONE): 30e3, case_of(DISRUPTOR, ONE): (4e6, 3e6)})
    assert sentences(too_few) == [
        f"{apart} sequenced-ring. Collapse: mutex-deque (queue depth 1 at least 131x). "
        "Too few trials to tell: disruptor (queue depth 1)."
    ]
    nothing_passed = answer({case_of(QUEUE, ONE): 4e6, case_of(DEQUE, ONE): (0.0, 30e3, 30e3, 30e3, 30e3, 30e3)})
    assert sentences(nothing_passed) == [f"{apart} sequenced-ring alone. None collapses."]
    alike = answer({case_of(QUEUE, ONE, TOGETHER): 4e6, case_of(DEQUE, ONE, TOGETHER): 2e6})
    assert sentences(alike) == ["On one CPU. Best queue depth 1: sequenced-ring. None collapses."]
    many = answer({case_of(f"q{number}", ONE): 4e6 + number for number in range(7)})
    assert sentences(many)[0].startswith(f"{apart} q6, q5, q4 and 4 others.")


def test_queues_are_compared_in_the_state_of_most_trials() -> None:
    near, far = case_of(QUEUE, ONE), case_of(DEQUE, ONE)
    states = [(APART.cpus, NEAR if number < 8 else FAR) for number in range(13)]
    pings = [ReferencePing((0, 1), 1e9 + number, number, ns) for number, (_, ns) in enumerate(states) for _ in range(2)]
    found = answer({near: (4e6, 4e6, 4e6, 4e6, 1e6, 1e6), far: (3e6, 3e6, 3e6, 3e6, 9e6, 9e6)}, pings)
    (judged,) = recommend_queue.STUDY.read(found, None)
    assert judged.state is not None and judged.state.core_to_core_ns == NEAR
    best, other = judged.queues
    assert (best.case, best.figures["depth_1"].value.value) == (near, 250.0)
    assert (best.figures["depth_1"].trials, other.figures["depth_1"].trials) == (4, 3)


def test_cases_of_another_kind_are_in_no_situation() -> None:
    assert sentences(answer({case_of(QUEUE, {"size": 4}): 4e6})) == []
    assert recommend_queue.situation_of(replace(case_of(QUEUE, ONE), experiment="load")) is None
    assert recommend_queue.situation_of(replace(case_of(QUEUE, ONE), params={"producers": "many"})) is None


def test_what_has_no_figure_is_named_with_what_was_found() -> None:
    found = answer({case_of(QUEUE, ONE): 4e6}, (), case_of(DEQUE, WORK, ANYWHERE))
    text = flat(printed(Blocks.of(*recommend_queue.STUDY.blocks(found, recommend_queue.STUDY.read(found, None))), 80))
    assert "Without figures - mutex-deque producer-work=16 cpp unpinned: It hung." in text
