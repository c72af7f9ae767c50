"""`like` through the real command, with the fake probe: every figure exact; and a tool beside it that is a script."""

import json
from pathlib import Path

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


def script(path: Path, text: str) -> str:
    """A program that stands for a tool."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_number_by_the_tools_rules_and_by_ours_and_why_others_are_missing(like: Command) -> None:
    done = like(*C2C, *JSON)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["tool"], made["source"][:12]) == ("core-to-core-latency", "src/bench.rs")
    one, two, three = made["numbers"]
    assert (one["by_their_rules"], one["value"], one["times"], one["theirs"]) == (100.0, 100.0, 1.0, None)
    assert one["by_their_rules_range"] == [100.0, 100.0] and one["verdict"] is None
    assert two["value"] is three["value"] is None and "release-two-lines" in two["reason"]
    shown = like("show").stdout
    assert "bench-1: 100 ns by its rules, 1.00x our 100 ns" in shown


def test_the_tool_itself_is_run_in_turn_and_held_to_ours(like: Command, tmp_path: Path) -> None:
    tool = script(tmp_path / "c2c", "echo ,; echo 101.0,")
    done = like(*C2C, "--run", tool, *JSON, rounds=6)
    assert done.returncode == 0, done.stderr
    one = json.loads(done.stdout)["numbers"][0]
    assert (one["theirs"], one["verdict"]) == (101.0, "within 2%")
    assert one["ratio"] == pytest.approx(100 / 101)
    shown = " ".join(like(*C2C, "--run", tool).stdout.split())
    assert "cannot tell: ours is 0.99x (too few trials for an interval) of its 101 ns" in shown


def test_a_tool_that_prints_something_else_costs_its_own_figures_alone(like: Command, tmp_path: Path) -> None:
    done = like(*C2C, "--run", script(tmp_path / "c2c", "echo hello"), *JSON)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "is not the core-to-core-latency that threadping knows" in done.stderr
    one = json.loads(done.stdout)["numbers"][0]
    assert one["value"] == 100.0 and one["theirs"] is None and "it printed 'hello'" in one["their_reason"]


def test_a_tool_that_fails_says_so(like: Command, tmp_path: Path) -> None:
    done = like(*C2C, "--run", script(tmp_path / "c2c", "echo no such option; exit 3"))
    assert done.returncode == 1 and "ended with exit status 3 and said: no such option." in done.stderr


def test_what_cannot_be_asked_is_refused_in_a_sentence(like: Command, tmp_path: Path) -> None:
    like("like", "c2clatt").refuses("Unknown tool 'c2clatt'. Did you mean c2clat?")
    like("like", "c2clat", "--run", str(tmp_path / "nowhere")).refuses("No c2clat at")
    like("like", "schbench", "--run", "/bin/true").refuses("threadping does not run schbench: leave out --run.")
    like("like", "--run", "/bin/true").refuses("--run is the program of a tool")


def test_alone_it_lists_the_tools(like: Command) -> None:
    listed = json.loads(like("like", *JSON).stdout)["tools"]
    assert len(listed) == 13 and listed[0]["tool"] == "core-to-core-latency" and listed[0]["runs"] == "yes"
    assert "UnixBench's Pipe-based Context Switching" in " ".join(like("like").stdout.split())
