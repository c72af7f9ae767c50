"""`threadping advise` from its arguments to its answer, by a probe of exact figures."""

import json
import re

import pytest

from tests.end_to_end.conftest import Command

WAYS = {"FAKE_PACED": "release-one-line,condition,spin-then-park"}
ASK = ("advise", "--rate", "10k", "--runtime", "cpp")


def test_the_cheapest_that_is_quick_enough_in_a_sentence_as_json_and_stored(with_fake: Command) -> None:
    two = {"FAKE_PACED": "release-one-line,condition"}
    done = with_fake(*ASK, "--p99", "25us", "--format", "json", env=two)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    chosen, *others = answer["ways"]
    assert chosen["chosen"]
    assert (chosen["runtime"], chosen["mechanism"], chosen["trials"]) == ("cpp", "condition", 44)
    assert (chosen["p99_ns"], chosen["p99_ns_ci99"], chosen["cpu_percent"]) == (20_000, [20_000, 20_000], 5.0)
    assert (chosen["params"]["rate"], chosen["verdict"], answer["sure"]) == (10_000, "meets", True)
    assert answer["sentence"] == (
        "For a p99 of 25.0 µs at 10k/s: condition in C++, p99 20.0 µs (20.0\N{EN DASH}20.0), 5% of a core. Nothing "
        "here is cheaper. None of 44,000 messages in 44 trials was late, by a 99% bound over trials at most 0.99% are. "
        "These 44 trials cannot rule out what happens in fewer than one trial in 10."
    )
    assert [(one["mechanism"], one["p99_ns"], one["cpu_percent"]) for one in others] == [
        ("release-one-line", 200, 100.0)
    ]
    shown = with_fake("show", str(answer["run"]["id"]))
    assert shown.returncode == 0
    assert " ".join(shown.stdout.split()).startswith(answer["sentence"])
    assert re.search(r"condition +cpp", shown.stdout)


def test_an_advice_for_bursts_is_found_by_bursts(with_fake: Command) -> None:
    done = with_fake(*ASK, "--p99", "25us", "--arrivals", "bursts", "--burst", "50", "--format", "json", env=WAYS)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    asked = {"rate": 10_000, "arrivals": "bursts", "burst": 50}
    for one in answer["ways"]:
        assert {name: one["params"][name] for name in asked} == asked
    assert (answer["required"]["arrivals"], answer["required"]["burst"]) == ("bursts", 50)
    assert answer["sentence"].startswith("For a p99 of 25.0 µs at 10k/s (bursts of 50): condition in C++, p99 20.0 µs")


def test_what_nothing_meets_ends_with_3_and_says_what_would(with_fake: Command) -> None:
    done = with_fake(*ASK, "--p99", "30us", "--cpu", "2%", "--mechanism", "condition", env=WAYS)
    assert done.returncode == 3
    text = " ".join(done.stdout.split())
    assert "Nothing here meets a p99 of 30.0 µs at 10k/s with 2% of a core: 1 wait strategy misses it." in text
    assert "The quickest here is condition in C++: p99 20.0 µs (20.0\N{EN DASH}20.0), 5% of a core." in text
    assert "misses: cpu" in text


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 4)])
def test_a_busy_machine_is_told_from_one_on_which_nothing_meets_it(
    with_fake: Command, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], code: int
) -> None:
    """A spinning loop on each CPU: every trial had half of its CPUs' time."""
    monkeypatch.setattr("threadping.conduct.runner.others_since", lambda _: lambda: 0.5)
    done = with_fake(*ASK, "--p99", "25us", *options, env=WAYS)
    assert done.returncode == code, done.stderr
    text = " ".join(done.stdout.split())
    assert "Cannot tell: other programs used 50% of the CPU time; ask again when they have ended." in text
    assert "misses" not in text and "Next: threadping advise" in text


def test_the_configuration_of_a_system_beside_busy_threads(with_fake: Command) -> None:
    done = with_fake("advise", "--rate", "10k", "--p99", "5us", "--for", "openmp", "--busy", "1", env=WAYS)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "For a p99 of 5.00 µs at 10k/s beside 1 busy thread: spin-then-park spins=10k in C++, p99 200 ns" in text
    assert "GOMP_SPINCOUNT=10000 # GCC KMP_BLOCKTIME=1 # LLVM, Intel: milliseconds" in text
