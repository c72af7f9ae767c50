"""`published` and `like` through the real command, with the fake probe."""

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import JSON, Command, Done, fake_jvm

SIGNALS = "xadd-one-line,seqcst-one-line,release-one-line,condition,condition-released"


@pytest.fixture
def published(with_fake: Command, fake_probes: Path, tmp_path: Path) -> Command:
    """`threadping reproduce articles` with C++ and a JVM 17."""
    home = fake_jvm(tmp_path / "jdk", fake_probes, 17)
    machine = {"JAVA_HOME": str(home), "FAKE_LOCKS": "monitor,reentrant-lock", "FAKE_CALLS": "monitor"}

    def run(*arguments: str, env: dict[str, str] | None = None) -> Done:
        return with_fake("reproduce articles", *arguments, mechanisms=SIGNALS, env={**machine, **(env or {})})

    return run


def entries(done: Done) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done.json["figures"]
    return found


def words(one: dict[str, Any], *names: str) -> list[Any]:
    return [one["published"][name] for name in names]


def test_every_figure_has_ours_or_a_reason_and_a_stored_run_says_the_same(published: Command, tmp_path: Path) -> None:
    asked = ("inter-thread-latency", "locked-signalling", "-o", "published.svg", *JSON)
    done = published(*asked, "--budget", "10s").ended()
    found = entries(done)
    assert len(found) == 24 + 6
    assert all(bool(one["reason"]) == (one["ratio"] is None) for one in found)
    assert all(one["reason"] for one in found if one["value"] is None)
    in_java = ["Java, JDK 1.7.0", "taskset to two cores"]
    java = next(one for one in found if words(one, "runtime", "placement") == in_java)
    assert (java["published"]["value"], java["published"]["unit"]) == (50.0, "ns")
    assert java["ratio"] == pytest.approx(2.0) or java["reason"].startswith("other-load")  # while other programs run
    assert (java["value"], java["value_range"], java["core_to_core_ns"]) == (100.0, [100.0, 100.0], 100.0)
    left_out = [one["reason"] for one in found if "--budget" in (one["reason"] or "")]
    assert all("they fit into" in reason for reason in left_out)
    claims = done.json["claims"]
    # The fake probe's work costs the same in each case; while other programs run, nobody can tell.
    expected = ["holds here", "cannot tell", "not here"]
    assert all(one["verdict"] in (likely, "cannot tell") for one, likely in zip(claims, expected, strict=True))
    assert all(one["why"] for one in claims)
    again = published("--from", "last", *(word.replace("published.svg", "again.svg") for word in asked))
    assert entries(again) == found
    assert (tmp_path / "again.svg").read_text() == (tmp_path / "published.svg").read_text()


def test_any_run_is_compared_by_whatever_rows_fit(published: Command, with_fake: Command) -> None:
    with_fake("run signal --mechanism xadd-one-line --budget 3s", mechanisms=SIGNALS).ended()
    done = published("--from", "1", *JSON).ended()
    having = [(*words(one, "runtime", "placement"), one["lines"]) for one in entries(done) if one["value"]]
    assert having == [("C++", "two cores of one socket", 4)]
    without = [one["reason"] for one in entries(done) if words(one, "runtime") == ["C++, g++ -O3"]]
    assert without == ["run 1 has no such case; `threadping reproduce articles` measures it"]


def test_a_jvm_without_biased_locking_measures_what_it_can(
    published: Command, fake_probes: Path, tmp_path: Path
) -> None:
    home = fake_jvm(tmp_path / "jdk", fake_probes, 25)
    asked = ("lock-contention", "--runtime", str(home), "--budget", "6s", *JSON)
    done = published(*asked).ended()
    alone = [one for one in entries(done) if words(one, "threads") == [1]]
    of_one = {one["published"]["runtime"].partition(";")[2].strip(): one for one in alone}
    assert of_one["synchronized, -XX:-UseBiasedLocking"]["runtime"] == "java-25"
    biased = of_one["synchronized, -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0"]
    assert "biased locking was removed from Java 18: install a JVM 17" in biased["reason"]
    (conclusion,) = done.json["claims"]
    assert conclusion["verdict"] == "cannot tell"
    assert "install a JVM 17" in conclusion["why"]


@pytest.mark.parametrize("name", ["biased", "notify-cost"])
def test_what_no_named_runtime_can_repeat_is_refused(published: Command, name: str) -> None:
    published(name, "--runtime", "cpp").refuses("none of the runtimes that were named is java", 1)


C2C = ("reproduce", "core-to-core-latency", "--budget", "20s")


@pytest.fixture
def like(with_fake: Command) -> Command:
    """`threadping` with a C++ probe that has a mechanism of core-to-core-latency's."""

    def run(*arguments: str, rounds: int = 3) -> Done:
        return with_fake(*arguments, mechanisms="cas-one-line,slow", rounds=rounds)

    return run


def test_a_number_by_the_tools_rules_and_by_ours_and_why_others_are_missing(like: Command) -> None:
    made = like(*C2C, *JSON).parsed()
    assert (made["tool"], made["source"][:12]) == ("core-to-core-latency", "src/bench.rs")
    one, two, three = made["numbers"]
    assert (one["by_their_rules"], one["value"], one["times"]) == (100.0, 100.0, 1.0)
    assert one["by_their_rules_range"] == [100.0, 100.0]
    assert two["value"] is three["value"] is None and "release-two-lines" in two["reason"]
    shown = like("show").stdout
    assert "bench-1: 100 ns by its rules, 1.00x our 100 ns" in shown


def test_alone_it_lists_the_tools(like: Command) -> None:
    listed = like("info tools", *JSON).json["tools"]
    assert len(listed) == 16 and listed[0]["tool"] == "core-to-core-latency"
    assert "UnixBench's Pipe-based Context Switching" in like("info tools").flat
