"""`like` through the real command, with the fake probe: every figure exact."""

import json

import pytest

from tests.end_to_end.conftest import Command, Done

C2C = ("like", "core-to-core-latency", "--budget", "20s")
JSON = ("--format", "json")


@pytest.fixture
def like(with_fake: Command) -> Command:
    """`threadping` with a C++ probe that has a mechanism of core-to-core-latency's."""

    def run(*arguments: str, rounds: int = 3) -> Done:
        return with_fake(*arguments, mechanisms="cas-one-line,slow", rounds=rounds)

    return run


def test_a_number_by_the_tools_rules_and_by_ours_and_why_others_are_missing(like: Command) -> None:
    done = like(*C2C, *JSON)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["tool"], made["source"][:12]) == ("core-to-core-latency", "src/bench.rs")
    one, two, three = made["numbers"]
    assert (one["by_their_rules"], one["value"], one["times"]) == (100.0, 100.0, 1.0)
    assert one["by_their_rules_range"] == [100.0, 100.0]
    assert two["value"] is three["value"] is None and "release-two-lines" in two["reason"]
    shown = like("show").stdout
    assert "bench-1: 100 ns by its rules, 1.00x our 100 ns" in shown


def test_alone_it_lists_the_tools(like: Command) -> None:
    listed = json.loads(like("like", *JSON).stdout)["tools"]
    assert len(listed) == 13 and listed[0]["tool"] == "core-to-core-latency"
    assert "UnixBench's Pipe-based Context Switching" in " ".join(like("like").stdout.split())
