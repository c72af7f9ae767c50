"""`paced` through the real command, with the fake probe: every figure exact, and what it says where it has none."""

import json
import re

from tests.end_to_end.conftest import Command, rows

WAYS = {"FAKE_PACED": "release-one-line,condition,spin-then-park,jlbh,drowning", "FAKE_RINGS": "disruptor"}
JSON = ("--format", "json")
HERE = ("--placement", "same-l3", "--trial", "200ms")


def test_each_rate_has_three_distributions_and_the_cpu_and_one_that_is_not_held_says_so(with_fake: Command) -> None:
    done = with_fake("paced", "--mechanism", "condition,drowning", "--budget", "9s", *HERE, *JSON, env=WAYS)
    assert done.returncode == 0, done.stderr
    found = {(row["mechanism"], row["params"]["rate"]): row for row in rows(done.stdout)}
    assert sorted(found) == [(name, rate) for name in ("condition", "drowning") for rate in (1_000, 10_000, 100_000)]
    row = found["condition", 100_000]
    parts = [row[name]["p99"] for name in ("due_to_sent_ns", "sent_to_received_ns", "latency_ns")]
    assert parts == [0, 20_000, 20_000]
    assert [row[name] for name in ("offered_per_s", "held_per_s", "cpu_percent")] == [1e5, 1e5, 50.0]
    lost = found["drowning", 100_000]
    assert [lost[name] for name in ("latency_ns", "sent_to_received_ns", "held_per_s")] == [None, None, 61_200.0]
    (said,) = (one["message"] for one in lost["warnings"] if one["code"] == "not-held")
    assert said.startswith("The rate was not held: 61,200 of 100,000 messages a second arrived.")
    trials = json.loads(with_fake("show", "--trials", *JSON).stdout)["trials"]
    measured = {(one["mechanism"], one["params"]["rate"]) for one in trials if one["latency_ns"]}
    assert measured == {*found} - {("drowning", 100_000)}


def test_the_screen_begins_with_what_nothing_beats(with_fake: Command) -> None:
    asked = ("--mechanism", "release-one-line,condition,spin-then-park", "--rate", "10k")
    done = with_fake("paced", *asked, *HERE, "--budget", "9s", env=WAYS)
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    at = lines.index("frontier: what no other beats both in p99 and in CPU")
    assert lines[at + 3 : at + 5] == [
        "release-one-line cpp 10k same-l3 0,1 200 ns 100%",
        "condition cpp 10k same-l3 0,1 20.0 µs 5.0% 1 other beaten",
    ]


def test_where_spinning_breaks_even_is_said(with_fake: Command) -> None:
    spins = ("--mechanism", "spin-then-park", "--rate", "10k", "--spins", "0,100,1k,20k")
    text = with_fake("paced", *spins, *HERE, "--budget", "9s", env=WAYS).stdout
    assert "spin-then-park cpp rate 10k: break-even at 500 spins" in text


def test_gaps_of_each_length_are_one_table_with_a_p99_measured_at_one_placement(with_fake: Command) -> None:
    done = with_fake("paced", "--mechanism", "condition", "--gaps", "1ms,10ms,100ms", "--budget", "90s", env=WAYS)
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    at = lines.index("latency by the time since the last message")
    assert lines[at + 1].endswith("gap p50 p90 p99 deepest idle")
    shown = [line[re.search(r"\d+ ms ", line).start() :] for line in lines[at + 3 : at + 6]]  # type: ignore[union-attr]
    assert shown == [
        "1 ms 40.0 µs 40.0 µs 60.0 µs 50%",
        "10 ms 50.0 µs 50.0 µs 70.0 µs 75%",
        "100 ms 60.0 µs 60.0 µs 80.0 µs 100%",
    ]
    assert {row["placement"] for row in rows(with_fake("show", *JSON).stdout)} == {"same-l3"}
    said = "with arrivals=gaps one placement is measured unless others are named: --placement same-cpu,unpinned"
    assert said in " ".join(with_fake("explain", "not-measured", "last").stdout.split())
    assert "paced same-cpu, unpinned, " in done.stdout


def test_ring_has_no_latency_of_a_full_queue_and_names_the_command_that_has_it(with_fake: Command) -> None:
    asked = ("ring", "--mechanism", "disruptor", "--placement", "same-l3", "--in-flight", "0,1", "--budget", "5s")
    done = with_fake(*asked, env=WAYS)
    assert "threadping paced --mechanism disruptor --runtime cpp --rate 5M,8M,9500k" in done.stdout
    found = {row["params"]["in-flight"]: row["latency_ns"] for row in rows(with_fake("show", *JSON).stdout)}
    assert (found[0], found[1]["typical"]) == (None, 80)
