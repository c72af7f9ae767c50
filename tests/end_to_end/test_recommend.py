"""`recommend wait`, `queue` and `cpus` through the real command, by a probe of exact figures."""

import re

import pytest

from tests.end_to_end.conftest import JSON, Command

WAYS = {"FAKE_PACED": "release-one-line,condition,spin-then-park"}
ASK = "recommend wait --rate 10k --runtime cpp "


def test_the_cheapest_that_is_quick_enough_in_a_sentence_as_json_and_stored(with_fake: Command) -> None:
    two = {"FAKE_PACED": "release-one-line,condition"}
    answer = with_fake(ASK + "--latency p99=25us", *JSON, env=two).parsed()
    chosen, *others = answer["ways"]
    assert chosen["chosen"]
    assert (chosen["runtime"], chosen["mechanism"], chosen["trials"]) == ("cpp", "condition", 44)
    assert (chosen["p99_ns"], chosen["p99_ns_ci99"], chosen["cpu_percent"]) == (20_000, [20_000, 20_000], 5.0)
    assert (chosen["params"]["rate"], chosen["verdict"], answer["sure"]) == (10_000, "meets", True)
    assert answer["sentence"].startswith("For a p99 of 25.0 µs at 10k/s: condition in C++, p99 20.0 µs (20.0")
    assert [(one["mechanism"], one["p99_ns"], one["cpu_percent"]) for one in others] == [
        ("release-one-line", 200, 100.0)
    ]
    shown = with_fake(f"show {answer['run']['id']}").ended()
    assert shown.flat.startswith(answer["sentence"])
    assert re.search(r"condition +20\.0 µs", shown.stdout)


def test_the_configuration_of_a_system_under_load_is_printed(with_fake: Command) -> None:
    text = with_fake("recommend wait --rate 10k --latency p99=5us --for openmp --busy 1", env=WAYS).ended().flat
    assert "For a p99 of 5.00 µs at 10k/s with 1 busy thread: spin-then-park spins=10k in C++, p99 200 ns" in text
    assert "GOMP_SPINCOUNT=10000 # GCC KMP_BLOCKTIME=1 # LLVM, Intel: milliseconds" in text


RINGS = {"FAKE_RINGS": "disruptor,mutex-deque"}


def test_every_queue_is_asked_in_every_regime_and_none_differs(with_fake: Command) -> None:
    made = with_fake("recommend queue --budget 45s", *JSON, env=RINGS).parsed()
    plural = [(regime, producers) for regime in ("one-cpu", "unpinned", "busy") for producers in (1, 2)]
    assert [(one["regime"], one["producers"]) for one in made["regimes"]] == [("apart", 1), *plural]
    first = [one for one in made["queues"] if (one["regime"], one["producers"]) == ("apart", 1)]
    assert {one["mechanism"] for one in first} == {"disruptor", "mutex-deque"}
    assert {(one["depth_1"]["ns"], one["depth_1"]["verdict"]) for one in first} == {(80.0, "best")}
    assert {(one["unbatched"]["per_s"], one["unbatched"]["fold"]) for one in first} == {(1e7, 1.0)}
    assert [one["mechanism"] for one in first if one["batches_of_100"]["per_s"]] == ["disruptor"]
    assert "On CPUs of their own. Best queue depth 1: " in with_fake("show", env=RINGS).stdout


def test_a_small_budget_carries_the_first_regimes_and_says_what_the_others_need(with_fake: Command) -> None:
    said = with_fake("recommend queue --budget 9s", env=RINGS).ended().flat
    assert "On CPUs of their own. Best" in said and "With busy threads. Best" not in said
    assert "cases of 'With busy threads': too much for this budget; they fit into --budget" in said


EIGHT = {
    "FAKE_NOISE": "0.0001",
    "FAKE_CPUS": "8",
    "FAKE_OF_L3": "4",
    "FAKE_LOCKS": "fetch-add",
    "FAKE_RINGS": "sequenced-ring,mutex-deque",
    "FAKE_BARRIERS": "spin-all",
}
FAKES = "cas-one-line,condition"


def test_a_pipeline_is_put_on_one_l3_and_gains_what_was_planted(with_fake: Command) -> None:
    asked = "recommend cpus --threads 4 --shape pipeline --budget 9s"
    made = with_fake(asked, *JSON, mechanisms=FAKES, env=EIGHT).parsed()
    assert (made["shape"], made["cpus"], made["known"]) == ("pipeline", "4-7", 28)
    assert (round(made["cost_ns"], 1), round(made["usual_ns"])) == (24.0, 66)
    assert made["verdict"].startswith("CPUs 4-7: 3.625x (3.6")
    assert made["verdict"].endswith(" as fast as where the scheduler puts them")
    threads = [(one["thread"], one["l3"], round(one["away_ns"], 1)) for one in made["threads"]]
    assert threads == [(place, 1, 24.0) for place in (1, 2, 3, 4)]
    assert sorted(one["cpu"] for one in made["threads"]) == [4, 5, 6, 7]
    assert made["lines"][0]["line"] == "taskset -c 4-7 COMMAND"
    (gain,) = made["comparisons"]
    assert (round(gain["a_value"], 1), round(gain["b_value"], 1), gain["answer"]) == (87.0, 24.0, "faster")
    assert made["verdict"] in with_fake("show last", mechanisms=FAKES, env=EIGHT).flat


@pytest.mark.parametrize(
    ("words", "threads", "experiment", "params"),
    [
        ("", 4, "lock", {"critical": 0, "outside": 0}),
        (" --shape barrier", 3, "barrier", {"work": 0}),
        (" --shape producer-consumer", 2, "queue", {"depth": 1, "producer-work": 0}),
    ],
)
def test_each_shape_is_measured_by_an_experiment_of_its_own_on_as_many_cpus(
    words: str, threads: int, experiment: str, params: dict[str, int], with_fake: Command
) -> None:
    asked = f"recommend cpus --threads {threads}{words} --budget 2s"
    made = with_fake(asked, *JSON, mechanisms=FAKES, env=EIGHT).parsed()
    gain = made["comparisons"][0]
    assert (gain["experiment"], gain["threads"], gain["a_value"]) == (experiment, threads, gain["b_value"])
    assert gain["params"].items() >= params.items()
    assert 0 not in [one["cpu"] for one in made["threads"]]


def test_a_matrix_that_was_measured_is_taken_in_place_of_pings(with_fake: Command) -> None:
    with_fake("matrix --budget 3s", mechanisms=FAKES, env=EIGHT).ended()
    asked = "recommend cpus --threads 2 --from last --cpus 1,2,5 --budget 3s"
    said = with_fake(asked, mechanisms=FAKES, env=EIGHT).ended().flat
    assert "taskset -c 1-2 COMMAND" in said and "3 pairs by the matrix of run 1" in said
    fewer = with_fake("recommend cpus --threads 2 --from 1", mechanisms=FAKES, env={**EIGHT, "FAKE_CPUS": "4"})
    fewer.refuses("The matrix of run 1 is of another machine")
