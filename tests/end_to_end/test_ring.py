"""`ring` through the real command, with the fake probe: every figure exact."""

from tests.end_to_end.conftest import Command, rows

RINGS = {"FAKE_RINGS": "disruptor,sequenced-ring,mutex-deque"}
JSON = ("--format", "json")


def test_json_has_latency_batches_and_the_cpu_of_each_side(with_fake: Command) -> None:
    asked = ("ring", "--mechanism", "disruptor,mutex-deque", "--in-flight", "1", "--placement", "same-l3")
    done = with_fake(*asked, "--budget", "5s", *JSON, env=RINGS)
    assert done.returncode == 0, done.stderr
    found = {row["mechanism"]: row for row in rows(done.stdout)}
    assert list(found) == ["disruptor", "mutex-deque"]
    row = found["disruptor"]
    assert (row["ops_per_s"], row["threads"], row["cpus"]) == (5e6, 2, [0, 1])
    assert (row["latency_ns"]["typical"], row["latency_ns"]["p99"]) == (80.0, 80.0)
    assert row["batch"]["samples"] == 32_000 * row["trials"]
    log = with_fake("show", "--format", "hgrm").stdout
    assert ("messages" in log, "batches" in log) == (True, False)  # a percentile log is of durations
