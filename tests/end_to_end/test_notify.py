"""`notify` through the real command, with the fake probe: every figure exact."""

from tests.end_to_end.conftest import Command, rows

CALLS = {"FAKE_CALLS": "futex,pipe,monitor"}
JSON = ("--format", "json")


def test_json_has_both_distributions_and_causes_that_add_up(with_fake: Command) -> None:
    asked = ("notify", "--pairs", "2,1", "--mechanism", "futex,pipe", "--pause", "0", "--budget", "6s")
    done = with_fake(*asked, *JSON, env=CALLS)
    assert done.returncode == 0, done.stderr
    found = {(row["mechanism"], row["params"]["pairs"]): row for row in rows(done.stdout)}
    assert [(key, row["threads"], row["cpus"]) for key, row in found.items()] == [
        (("futex", 1), 2, [0, 1]),
        (("futex", 2), 4, [0, 1, 0, 1]),
        (("pipe", 1), 2, [0, 1]),
        (("pipe", 2), 4, [0, 1, 0, 1]),
    ]
    late = found["futex", 2]
    assert sum(late["outliers"]["causes"].values()) == late["outliers"]["count"] == 10 * late["trials"]
    assert late["params"] == {"buffer": 4096, "pause": 0, "waiter-pause": 10, "pairs": 2}
    assert (late["latency_ns"]["typical"], late["wake_ns"]["typical"]) == (2_000.0, 30_000.0)
    assert rows(with_fake("show", "last", *JSON).stdout) == rows(done.stdout)
    shown = " ".join(with_fake("show", "--outliers", "--percentiles").stdout.split())
    assert "mechanism runtime 1 pair 2" in shown and "futex pause=0 cpp" in shown
    assert "preempted" in shown and "call 1µ 10µ 100µ" in shown


def test_what_is_looked_into_is_asked_for_and_can_be_off(with_fake: Command) -> None:
    asked = ("notify", "--mechanism", "futex", "--pairs", "1", "--budget", "3s", *JSON)
    assert rows(with_fake(*asked, "--outliers", "off", env=CALLS).stdout)[0]["outliers"] is None
    few = rows(with_fake(*asked, "--outliers", "60us", env=CALLS).stdout)[0]
    assert few["outliers"]["threshold_ns"] == 60_000.0
    assert sum(few["outliers"]["causes"].values()) == few["outliers"]["count"] == 8 * few["trials"]
