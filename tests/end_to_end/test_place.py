"""`place` through the real command, with the fake probe: CPUs of one L3 are 24 ns apart, all others 87."""

import json
import re

import pytest

from tests.end_to_end.conftest import Command

EIGHT = {
    "FAKE_NOISE": "0.0001",
    "FAKE_CPUS": "8",
    "FAKE_OF_L3": "4",
    "FAKE_LOCKS": "fetch-add",
    "FAKE_RINGS": "sequenced-ring,mutex-deque",
    "FAKE_CROWDS": "spin-all",
}
FAKES = "cas-one-line,condition"


def test_a_pipeline_is_put_on_one_l3_and_gains_what_was_planted(with_fake: Command) -> None:
    done = with_fake(
        "place", "-n", "4", "--of", "pipeline", "--budget", "9s", "--format", "json", mechanisms=FAKES, env=EIGHT
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
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
    again = with_fake("show", "last", mechanisms=FAKES, env=EIGHT).stdout
    assert made["verdict"] in " ".join(again.split())


@pytest.mark.parametrize(
    ("words", "experiment", "params"),
    [
        (("-n", "4"), "lock", {"critical": 0, "outside": 0}),
        (("-n", "3", "--of", "crowd"), "crowd", {"work": 0}),
        (("-n", "2", "--of", "producer-consumer"), "ring", {"in-flight": 1, "produce": 0}),
    ],
)
def test_each_shape_is_measured_by_an_experiment_of_its_own_on_as_many_cpus(
    words: tuple[str, ...], experiment: str, params: dict[str, int], with_fake: Command
) -> None:
    done = with_fake("place", *words, "--budget", "3s", "--format", "json", mechanisms=FAKES, env=EIGHT)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    gain = made["comparisons"][0]
    assert (gain["experiment"], gain["threads"], gain["a_value"]) == (experiment, int(words[1]), gain["b_value"])
    assert gain["params"].items() >= params.items()
    assert 0 not in [one["cpu"] for one in made["threads"]]


def test_where_both_are_alike_there_is_no_difference(with_fake: Command) -> None:
    words = ("-n", "2", "--of", "pipeline", "--mechanism", "steady", "--budget", "9s")
    env = {"FAKE_NOISE": "0.01", "FAKE_CPUS": "4"}
    done = with_fake("place", *words, mechanisms="steady,cas-one-line", env=env)
    assert done.returncode == 0, done.stderr
    assert re.match(r"No difference here: pinned to CPUs [123][-,][123] or left to the scheduler, same", done.stdout)


def test_a_matrix_that_was_measured_is_taken_in_place_of_pings(with_fake: Command) -> None:
    assert with_fake("matrix", "--budget", "3s", mechanisms=FAKES, env=EIGHT).returncode == 0
    done = with_fake(
        "place", "-n", "2", "--matrix", "last", "--cpus", "1,2,5", "--budget", "3s", mechanisms=FAKES, env=EIGHT
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "taskset -c 1-2 COMMAND" in said and "3 pairs by the matrix of run 1" in said
    with_fake("place", "-n", "2", "--matrix", "2", mechanisms=FAKES, env=EIGHT).refuses("Run 2 has no matrix.")
    fewer = {**EIGHT, "FAKE_CPUS": "4"}
    with_fake("place", "-n", "2", "--matrix", "1", mechanisms=FAKES, env=fewer).refuses(
        "The matrix of run 1 is of another machine"
    )


def test_two_threads_on_two_cpus_leave_nothing_to_choose_and_that_is_said(with_fake: Command) -> None:
    env = {**EIGHT, "FAKE_CPUS": "2"}
    done = with_fake(
        "place", "-n", "2", "--of", "pipeline", "--avoid-interrupts", "--budget", "3s", mechanisms=FAKES, env=env
    )
    assert done.returncode == 0, done.stderr
    assert "There are no more CPUs than threads, so none was chosen" in " ".join(done.stdout.split())
