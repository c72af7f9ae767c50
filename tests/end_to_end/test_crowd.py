"""`crowd` through the real command, with the fake probe: every figure exact."""

import json

import pytest

from tests.end_to_end.conftest import Command, rows
from threadping.model.grouping import gathered

CROWDS = {"FAKE_CROWDS": "std-barrier,futex-all,spin-all"}
JSON = ("--format", "json")


def test_json_has_all_five_times_and_cpu_time_by_roles(with_fake: Command) -> None:
    done = with_fake("crowd", "--threads", "2,4", "--mechanism", "futex-all", "--budget", "6s", *JSON, env=CROWDS)
    assert done.returncode == 0, done.stderr
    found = {row["threads"]: row for row in rows(done.stdout)}
    assert [*found] == [2, 4]
    four = found[4]
    times = {name: four[f"{name}_ns"]["typical"] for name in ("call", "first", "last", "spread", "done")}
    assert times == {"call": 500.0, "first": 900.0, "last": 9_000.0, "spread": 8_100.0, "done": 11_000.0}
    assert four["done_ns"]["p99"] == 11_000.0 and four["done_ns"]["max"] == 110_000.0
    assert four["ops_per_s"] == 100_000.0, "rounds, of the caller alone"
    assert (four["caller_cpu_ns_per_op"], four["member_cpu_ns_per_op"]) == (2_000.0, 6_000.0)


def test_a_sentence_says_which_is_best_for_whom_and_where_they_change_places(with_fake: Command) -> None:
    text = with_fake("crowd", "--threads", "2,4,8", "--budget", "20s", env=CROWDS).stdout
    said = " ".join(text.split())
    assert "All are done soonest with spin-all (2 threads to 4 threads), std-barrier (8 threads)." in said
    assert "The caller is back soonest with spin-all (2 threads to 8 threads)." in said


def test_without_being_told_it_measures_two_threads_and_twice_as_many_as_cpus(with_fake: Command) -> None:
    found = rows(with_fake("crowd", "--mechanism", "spin-all", "--budget", "9s", *JSON, env=CROWDS).stdout)
    assert [row["threads"] for row in found] == [2, 4]


def test_advice_for_a_crowd_is_the_cheapest_by_when_all_are_done(with_fake: Command) -> None:
    asked = ("advise", "--workers", "3", "--jobs", "3", "--done", "120us", "--runtime", "cpp", "--budget", "60s", *JSON)
    done = with_fake(*asked, env=CROWDS)
    answer = json.loads(done.stdout)
    assert {one["mechanism"] for one in answer["ways"]} == {"std-barrier", "futex-all", "spin-all"}
    for one in answer["ways"]:
        assert (one["threads"], one["params"]["pause"], one["params"]["jobs"]) == (4, 1_000, 3)
    assert (answer["required"]["workers"], answer["required"]["jobs"], answer["required"]["rate"]) == (3, 3, 1_000)
    said = "a p99 of 120 µs until 3 workers have done 3 jobs, 1k times a second"
    assert said in answer["sentence"] and "rounds in" in answer["sentence"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--workers", "8"), "Missing option '--done': how late all --workers may be done."),
        (("--done", "50us"), "--done goes only with --workers."),
        (("--jobs", "8", "--rate", "1k", "--p99", "5us"), "--jobs goes only with --workers."),
        (("--workers", "8", "--done", "5us", "--p99", "5us"), "--p99 is of messages: it does not go with --workers."),
        (
            ("--workers", "8", "--done", "5us", "--rate", "1M"),
            "--rate of a crowd is from 10 to 100,000 rounds a second, not 1,000,000.",
        ),
        (("--workers", "8", "--done", "5us", "--for", "vllm"), "--for vllm does not go with --workers"),
    ],
)
def test_what_is_asked_of_messages_and_of_crowds_is_told_apart(
    with_fake: Command, arguments: tuple[str, ...], sentence: str
) -> None:
    done = with_fake("advise", *arguments, env=CROWDS)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())


def test_both_numbers_of_threads_are_measured_of_each_mechanism_that_a_budget_carries(with_fake: Command) -> None:
    """One mechanism was measured with eight threads, all with four; nothing said which question that answers."""
    asked = ("crowd", "--threads", "4,8", "--budget", "4s")
    shown = with_fake(*asked, env=CROWDS).stdout
    answer = json.loads(with_fake("show", "last", *JSON).stdout)
    found = gathered((row["mechanism"], row["threads"]) for row in answer["rows"])
    assert 1 <= len(found) <= 3 and sum(threads == [4, 8] for threads in found.values()) >= len(found) - 1
    measured, coverage = len(answer["rows"]), answer["coverage"]
    assert (coverage["measured"], coverage["asked"], len(coverage["left_out"])) == (measured, 6, 6 - measured)
    assert shown.startswith(f"Measured {measured} of 6: 4 ") and "\nLeft out\n-  " in shown
    left_out = next(one for one in answer["run"]["skipped"] if one.get("budget"))
    assert left_out["cases"] == 6 - measured and left_out["what"].endswith("of what was asked for")
    assert f"crowd --threads 4,8 --budget {left_out['budget']}  {left_out['what']}" in shown
    whole = json.loads(with_fake(*asked[:-1], left_out["budget"], *JSON, env=CROWDS, rounds=3).stdout)
    assert (whole["coverage"]["measured"], whole["coverage"]["left_out"]) == (6, []), "the budget that was named"
