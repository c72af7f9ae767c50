"""`paced` through the real command, with the fake probe: every figure exact, and what it says where it has none."""

import json
from pathlib import Path

import pytest

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


def test_the_screen_begins_with_what_nothing_beats_and_the_page_and_the_chart_have_it_too(
    with_fake: Command, tmp_path: Path
) -> None:
    asked = ("--mechanism", "release-one-line,condition,spin-then-park", "--rate", "10k", "--spins", "0,1k,20k")
    files = ("--chart", str(tmp_path / "chart.svg"), "--report", str(tmp_path / "page.html"))
    done = with_fake("paced", *asked[:4], *HERE, "--budget", "9s", *files, env=WAYS)
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    at = lines.index("frontier: what no other beats both in p99 and in CPU")
    assert lines[at + 3 : at + 5] == [
        "release-one-line cpp 10k same-l3 0,1 200 ns 100%",
        "condition cpp 10k same-l3 0,1 20.0 µs 5.0% 1 other beaten",
    ]
    assert "p99 against CPU" in (tmp_path / "chart.svg").read_text()
    assert "paced-tradeoff" in (tmp_path / "page.html").read_text()


def test_spins_and_gaps_are_curves(with_fake: Command) -> None:
    spins = ("--mechanism", "spin-then-park", "--rate", "10k", "--spins", "0,100,1k,20k")
    text = with_fake("paced", *spins, *HERE, "--budget", "9s", env=WAYS).stdout
    assert "spin-then-park cpp rate 10k: break-even at 500 spins" in text
    gaps = ("--mechanism", "condition", "--arrivals", "gaps")
    done = with_fake("paced", *gaps, *HERE, "--budget", "9s", *JSON, env=WAYS)
    (row,) = rows(done.stdout)
    assert "rate" not in row["params"]
    assert (row["latency_after_10us_ns"]["p90"], row["latency_after_30ms_ns"]["p50"]) == (20_000, 55_000)
    assert row["offered_per_s"] is None


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("0", "rate=0 of condition is not possible: it is a whole number from 10 to 20000000."),
        ("-5", "rate=-5 of condition is not possible"),
        ("1e9", "rate=1e9 of condition is not possible"),
        ("900G", "rate=900G of condition is not possible"),
        ("10.0001k", "rate=10.0001k of condition is not possible"),
    ],
)
def test_a_rate_that_cannot_be_is_refused_in_a_sentence(with_fake: Command, rate: str, said: str) -> None:
    with_fake("paced", "--mechanism", "condition", f"--rate={rate}", env=WAYS).refuses(said)


def test_ring_has_no_latency_of_a_full_queue_and_names_the_command_that_has_it(with_fake: Command) -> None:
    asked = ("ring", "--mechanism", "disruptor", "--placement", "same-l3", "--in-flight", "0,1", "--budget", "5s")
    done = with_fake(*asked, env=WAYS)
    assert "threadping paced --mechanism disruptor --runtime cpp --rate 5M,8M,9500k" in done.stdout
    found = {row["params"]["in-flight"]: row["latency_ns"] for row in rows(with_fake("show", *JSON).stdout)}
    assert (found[0], found[1]["typical"]) == (None, 80)
