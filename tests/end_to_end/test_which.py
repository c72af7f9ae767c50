"""`which queue` through the real command, with the fake probe, whose queues are all alike: every figure exact."""

import json

from tests.end_to_end.conftest import Command

RINGS = {"FAKE_RINGS": "disruptor,sequenced-ring,mutex-deque"}


def test_every_queue_is_asked_in_every_regime_and_none_differs(with_fake: Command) -> None:
    done = with_fake("which", "queue", "--budget", "60s", "--format", "json", env=RINGS)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [(one["regime"], one["producers"]) for one in made["regimes"]] == [
        ("apart", 1),
        ("one-cpu", 1),
        ("one-cpu", 2),
        ("unpinned", 1),
        ("unpinned", 2),
        ("busy", 1),
        ("busy", 2),
    ]
    first = [one for one in made["queues"] if (one["regime"], one["producers"]) == ("apart", 1)]
    assert {one["mechanism"] for one in first} == {"disruptor", "sequenced-ring", "mutex-deque"}
    assert {(one["one_in_flight"]["ns"], one["one_in_flight"]["verdict"]) for one in first} == {(200.0, "best")}
    assert {(one["one_by_one"]["per_s"], one["one_by_one"]["fold"]) for one in first} == {(1e7, 1.0)}
    assert [one["mechanism"] for one in first if one["by_100"]["per_s"]] == ["disruptor"]
    shown = with_fake("show", env=RINGS).stdout
    assert "On CPUs of their own. Best one in flight: " in shown


def test_a_small_budget_carries_the_first_regimes_and_says_what_the_others_need(with_fake: Command) -> None:
    done = with_fake("which", "queue", "--budget", "12s", env=RINGS)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "On CPUs of their own. Best" in said and "Beside busy threads. Best" not in said
    assert "cases of 'Beside busy threads': too much for this budget; --budget" in said
