"""Each experiment through the real command, with the fake probe: every figure exact."""

import re
from typing import Any

import pytest

from tests.end_to_end.conftest import JSON, Command, Done
from threadping.model.base import gathered

LOCKS = {"FAKE_LOCKS": "mutex,ticket-lock,fetch-add,unprotected"}


def by(done: Done, key: str) -> dict[tuple[str, Any], dict[str, Any]]:
    """The rows of its JSON by their mechanism, and their threads or this parameter."""
    return {(row["mechanism"], row["threads"] if key == "threads" else row["params"][key]): row for row in done.rows}


def test_json_has_a_row_a_case_with_what_only_lock_tells(with_fake: Command) -> None:
    asked = "run lock --threads 1,3 --mechanism mutex,unprotected --budget 6s"
    done = with_fake(asked, *JSON, env=LOCKS, rounds=6).ended()
    found = by(done, "threads")
    places = {1: ("same-cpu", [1]), 3: ("same-l3", [0, 1, 0])}
    assert [(key, row["placement"], row["cpus"]) for key, row in found.items()] == [
        ((name, threads), *places[threads]) for name in ("mutex", "unprotected") for threads in (1, 3)
    ]
    mutex, lossy = found["mutex", 3], found["unprotected", 3]
    assert (mutex["experiment"], mutex["measures"], lossy["measures"]) == ("lock", "wait for the lock", "increment")
    assert [mutex["ops_per_s"], *mutex["ops_per_s_ci95"]] == pytest.approx([12e6] * 3)
    lock = mutex["lock"]
    assert lock["fairness"]["shares"]["max"] == pytest.approx(1 / 3)
    assert lock["updates"]["made"] == lock["updates"]["found"] == 193_000 * mutex["trials"]
    assert "oversubscribed" in [note["code"] for note in mutex["notes"]]
    assert lossy["lock"]["updates"]["found"] == 144_750 * lossy["trials"]
    assert any(note["message"].startswith("25% of the increments were lost") for note in lossy["notes"])
    assert with_fake("show last", *JSON).rows == done.rows


CALLS = {"FAKE_CALLS": "futex,pipe,monitor"}


def test_json_has_both_distributions_and_causes_that_add_up(with_fake: Command) -> None:
    asked = "run wakeup --pairs 2,1 --mechanism futex,pipe --pause 0s --budget 6s"
    done = with_fake(asked, *JSON, env=CALLS).ended()
    found = by(done, "pairs")
    assert [(key, row["threads"], row["cpus"]) for key, row in found.items()] == [
        ((name, pairs), 2 * pairs, [0, 1] * pairs) for name in ("futex", "pipe") for pairs in (1, 2)
    ]
    late = found["futex", 2]
    assert sum(late["outliers"]["causes"].values()) == late["outliers"]["count"] == 10 * late["trials"]
    assert late["params"] == {"message-bytes": 4096, "pause": 0, "waiter-pause": 10, "pairs": 2}
    assert (late["latency_ns"]["typical"], late["wake_ns"]["typical"]) == (2_000.0, 30_000.0)
    assert with_fake("show last", *JSON).rows == done.rows
    shown = with_fake("show --outliers --percentiles").flat
    assert "that wakes a thread (cpp, " in shown and "pause=0s" in shown and "preempted" in shown


def test_what_is_looked_into_is_asked_for_and_can_be_off(with_fake: Command) -> None:
    asked = "run wakeup --mechanism futex --pairs 1 --budget 3s"
    assert with_fake(asked, *JSON, "--outlier-limit", "off", env=CALLS).rows[0]["outliers"] is None
    few = with_fake(asked, *JSON, "--outlier-limit", "60us", env=CALLS).rows[0]
    assert few["outliers"]["threshold_ns"] == 60_000.0
    assert sum(few["outliers"]["causes"].values()) == few["outliers"]["count"] == 8 * few["trials"]


RINGS = {"FAKE_RINGS": "disruptor,sequenced-ring,mutex-deque"}


def test_json_has_latency_batches_and_the_cpu_of_each_side(with_fake: Command) -> None:
    asked = "run queue --mechanism disruptor,mutex-deque --depth 1 --placement same-l3 --budget 5s"
    row, other = with_fake(asked, *JSON, env=RINGS).ended().rows
    assert (row["mechanism"], other["mechanism"]) == ("disruptor", "mutex-deque")
    assert (row["ops_per_s"], row["threads"], row["cpus"]) == (5e6, 2, [0, 1])
    assert (row["latency_ns"]["typical"], row["latency_ns"]["p99"]) == (80.0, 80.0)
    assert row["batch"]["samples"] == 32_000 * row["trials"]
    log = with_fake("show --format hlog").stdout
    assert ("/latency_ns," in log, "/batch," in log) == (True, False)  # a log of histograms is of durations


WAYS = {"FAKE_PACED": "release-one-line,condition,spin-then-park,jlbh,drowning", "FAKE_RINGS": "disruptor"}
HERE = "--placement same-l3 --trial 200ms --budget 9s"


def test_each_rate_has_three_distributions_and_the_cpu_and_one_that_is_not_held_says_so(with_fake: Command) -> None:
    found = by(with_fake(f"run load --mechanism condition,drowning {HERE}", *JSON, env=WAYS).ended(), "rate")
    assert sorted(found) == [(name, rate) for name in ("condition", "drowning") for rate in (1_000, 10_000, 100_000)]
    row = found["condition", 100_000]
    parts = [row[name]["p99"] for name in ("due_to_sent_ns", "sent_to_received_ns", "latency_ns")]
    assert parts == [0, 20_000, 20_000]
    assert [row[name] for name in ("offered_per_s", "sustained_per_s", "cpu_percent")] == [1e5, 1e5, 50.0]
    lost = found["drowning", 100_000]
    assert [lost[name] for name in ("latency_ns", "sent_to_received_ns", "sustained_per_s")] == [None, None, 61_200.0]
    (said,) = (one["message"] for one in lost["warnings"] if one["code"] == "not-held")
    assert said.startswith("The rate was not sustained: 61,200 of 100,000 messages per second arrived.")
    trials = with_fake("show --trials", *JSON).parsed()["trials"]
    measured = {(one["mechanism"], one["params"]["rate"]) for one in trials if one["latency_ns"]}
    assert measured == {*found} - {("drowning", 100_000)}


def lines_after(done: Done, heading: str) -> list[str]:
    """The lines of a table behind its heading, with one space between words."""
    lines = [" ".join(line.split()) for line in done.ended().stdout.splitlines()]
    return lines[lines.index(heading) + 1 :]


def test_the_screen_begins_with_what_nothing_beats(with_fake: Command) -> None:
    asked = f"run load --mechanism release-one-line,condition,spin-then-park --rate 10k {HERE}"
    lines = lines_after(with_fake(asked, env=WAYS), "frontier: what no other beats both in p99 and in CPU")
    assert lines[2:4] == ["release-one-line 200 ns 100%", "condition 20.0 µs 5.0% 1 other beaten"]


def test_where_spinning_breaks_even_is_said(with_fake: Command) -> None:
    asked = f"run load --mechanism spin-then-park --rate 10k --param spins=0,100,1k,20k {HERE}"
    assert "spin-then-park cpp rate 10k: break-even at 500 spins" in with_fake(asked, env=WAYS).stdout


def test_gaps_of_each_length_are_one_table_with_a_p99_measured_at_one_placement(with_fake: Command) -> None:
    done = with_fake("run load --mechanism condition --idle 1ms,10ms,100ms --budget 90s", env=WAYS)
    head, _, *lines = lines_after(done, "latency by the time since the last message")
    assert head.endswith("gap p50 p90 p99 deepest idle")
    assert [re.sub(r".*?(?=\d+ ms )", "", line, count=1) for line in lines[:3]] == [
        "1 ms 40.0 µs 40.0 µs 60.0 µs 50%",
        "10 ms 50.0 µs 50.0 µs 70.0 µs 75%",
        "100 ms 60.0 µs 60.0 µs 80.0 µs 100%",
    ]
    assert {row["placement"] for row in with_fake("show", *JSON).rows} == {"same-l3"}
    said = "with arrivals=idle one placement is measured unless others are named: --placement same-cpu,unpinned"
    assert said in with_fake("explain not-measured last").flat
    assert "load same-cpu, unpinned, " in done.stdout


def test_ring_has_no_latency_of_a_full_queue_and_names_the_command_that_has_it(with_fake: Command) -> None:
    done = with_fake("run queue --mechanism disruptor --placement same-l3 --depth 0,1 --budget 5s", env=WAYS)
    assert "threadping run load --mechanism disruptor --runtime cpp --rate 5M,8M,9500k" in done.stdout
    found = by(with_fake("show", *JSON), "depth")
    assert (found["disruptor", 0]["latency_ns"], found["disruptor", 1]["latency_ns"]["typical"]) == (None, 80)


BARRIERS = {"FAKE_BARRIERS": "std-barrier,futex-all,spin-all"}


def test_json_has_all_five_times_and_cpu_time_by_roles(with_fake: Command) -> None:
    asked = "run barrier --threads 2,4 --mechanism futex-all --budget 6s"
    two, four = with_fake(asked, *JSON, env=BARRIERS).ended().rows
    assert (two["threads"], four["threads"]) == (2, 4)
    times = {name: four[f"{name}_ns"]["typical"] for name in ("call", "first", "last", "spread", "done")}
    assert times == {"call": 500.0, "first": 900.0, "last": 9_000.0, "spread": 8_100.0, "done": 11_000.0}
    assert (four["done_ns"]["p99"], four["done_ns"]["max"]) == (11_000.0, 110_000.0)
    assert four["ops_per_s"] == 100_000.0, "rounds, of the coordinator alone"
    assert (four["coordinator_cpu_ns_per_op"], four["worker_cpu_ns_per_op"]) == (2_000.0, 6_000.0)


def test_advice_for_a_barrier_is_the_cheapest_by_when_all_are_done(with_fake: Command) -> None:
    asked = "recommend wait --threads 4 --jobs 3 --latency p99=120us --runtime cpp --budget 60s"
    answer = with_fake(asked, *JSON, env=BARRIERS).json
    assert {one["mechanism"] for one in answer["ways"]} == {"std-barrier", "futex-all", "spin-all"}
    for one in answer["ways"]:
        assert (one["threads"], one["params"]["pause"], one["params"]["jobs"]) == (4, 1_000, 3)
    assert [answer["required"][name] for name in ("workers", "jobs", "rate")] == [3, 3, 1_000]
    said = "a p99 of 120 µs until 3 workers have done 3 jobs, 1k times a second"
    assert said in answer["sentence"] and "rounds in" in answer["sentence"]


def test_both_numbers_of_threads_are_measured_of_each_mechanism_that_a_budget_carries(with_fake: Command) -> None:
    """One mechanism was measured with eight threads, all with four; nothing said which question that answers."""
    asked = "run barrier --threads 4,8 --budget"
    shown = with_fake(f"{asked} 4s", env=BARRIERS).stdout
    answer = with_fake("show last", *JSON).parsed()
    found = gathered((row["mechanism"], row["threads"]) for row in answer["rows"])
    assert 1 <= len(found) <= 3 and sum(threads == [4, 8] for threads in found.values()) >= len(found) - 1
    measured, coverage = len(answer["rows"]), answer["coverage"]
    assert (coverage["measured"], coverage["asked"], len(coverage["left_out"])) == (measured, 6, 6 - measured)
    assert shown.startswith(f"Measured {measured} of 6: 4 ") and "\nLeft out\n-  " in shown
    left_out = next(one for one in answer["run"]["skipped"] if one.get("budget"))
    assert left_out["cases"] == 6 - measured and left_out["what"].endswith("of those asked for")
    assert f"{asked} {left_out['budget']}  {left_out['what']}" in shown
    whole = with_fake(f"{asked} {left_out['budget']}", *JSON, env=BARRIERS, rounds=3).json
    assert (whole["coverage"]["measured"], whole["coverage"]["left_out"]) == (6, []), "the budget that was named"
