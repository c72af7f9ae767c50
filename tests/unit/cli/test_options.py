"""How the words of the command line are read."""

import re

import pytest

from threadping.cli.options import (
    parse_outliers,
    parse_pairs,
    parse_params,
    parse_pins,
    parse_threads,
    parse_warmups,
    signature_for,
    split_runtimes,
)
from threadping.errors import UnknownName, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.model import WarmupPolicy


def test_params_are_gathered_by_name_with_those_that_have_an_option_of_their_own() -> None:
    params = parse_params(
        ["pauses=1,10", "wait=spin"], {"wait": ["pause,yield", "spin"], "critical": ["0"], "outside": None}
    )
    assert params == {"pauses": ("1", "10"), "wait": ("spin", "pause", "yield"), "critical": ("0",)}
    assert parse_params(None, {}) == {}


def test_runtimes_are_split_at_commas_but_flags_and_paths_are_not() -> None:
    given = ["cpp,java-17", "java-25 -Xlog:gc,safepoint", "/opt/a,b/bin/java", "cpp"]
    assert split_runtimes(given) == ("cpp", "java-17", "java-25 -Xlog:gc,safepoint", "/opt/a,b/bin/java")
    assert split_runtimes(None) == ()


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("signal", {"wait", "between"}, {"threads", "critical", "no_coarsening"}),
        ("lock", {"threads", "critical", "outside", "no_coarsening"}, {"wait", "between", "pairs"}),
        ("notify", {"pairs", "buffer", "pause", "waiter_pause"}, {"wait", "threads", "critical"}),
    ],
)
def test_a_command_has_the_options_that_apply_to_it(name: str, has: set[str], lacks: set[str]) -> None:
    options = signature_for([EXPERIMENTS[name]]).parameters.keys()
    assert has | {"budget", "runtime", "param", "home", "chart", "store"} <= options
    assert not lacks & options
    assert options <= signature_for(list(EXPERIMENTS.values())).parameters.keys()


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        (None, ()),
        ("4", (4,)),
        ("1-4", (1, 2, 3, 4)),
        ("1,2,8", (1, 2, 8)),
        ("8, 1 - 2,2", (1, 2, 8)),
        ("4096", (4096,)),
        ("3-3", (3,)),
    ],
)
def test_numbers_of_threads_are_read_ascending_and_each_once(text: str | None, threads: tuple[int, ...]) -> None:
    assert parse_threads(text) == threads


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "out of bounds at '0'. Write numbers of threads from 1 to 4096"),
        ("0-3", "out of bounds at '0-3'"),
        ("4097", "out of bounds at '4097'"),
        ("1-999999999", "out of bounds"),
        ("-1", "cannot be read at '-1'"),
        ("many", "cannot be read at 'many'. Write numbers of threads from 1 to 4096: 4, 1-8 or 1,2,8"),
        ("", "'' cannot be read at ''"),
        ("1,,2", "cannot be read at ''"),
        ("1.5", "cannot be read at '1.5'"),
        ("4-1", "runs backwards at '4-1'. Write 1-4"),
        ("٣", "cannot be read"),
        ("1" * 30, "cannot be read"),
    ],
)
def test_what_is_no_number_of_threads_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)) as caught:
        parse_threads(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["pauses", "=3", "pauses=", "pauses=,", ""])
def test_what_is_no_param_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a parameter\. Write it as NAME=VALUE"):
        parse_params([text], {})


@pytest.mark.parametrize(
    ("text", "rounds", "ops"),
    [
        ("10x100k", 10, 100_000),
        ("1x500M", 1, 500_000_000),
        ("2x1G", 2, 10**9),
        ("3x1234", 3, 1234),
        ("steady", 0, 1),
        ("1000000x1000G", 10**6, 10**12),
    ],
)
def test_a_warmup_is_rounds_of_operations_and_is_written_as_it_was_read(text: str, rounds: int, ops: int) -> None:
    (policy,) = parse_warmups([text])
    assert policy == WarmupPolicy(rounds, ops)
    assert policy.text == text


def test_several_warmups_are_several_cases_each_once() -> None:
    assert [policy.text for policy in parse_warmups(["10x100k,steady", "10x100000"])] == ["10x100k", "steady"]
    assert parse_warmups(None) == ()


@pytest.mark.parametrize(
    "text", ["10", "10x", "x100k", "10x0", "0x1", "0x5", "1x1T", "10x100K", "-1x5", "1000001x1", "1x1001G", "Steady"]
)
def test_what_is_no_warmup_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=rf"'{text}' is not a warm-up\. Write steady, or rounds x operations in each"):
        parse_warmups([text])


def test_what_is_pinned_is_a_word() -> None:
    assert parse_pins(None) == ("thread",)
    assert parse_pins(["process,thread", "process"]) == ("process", "thread")
    with pytest.raises(UnknownName, match=r"Unknown pin 'proces'\. Did you mean process"):
        parse_pins(["proces"])


def test_numbers_of_pairs_are_read_like_those_of_threads() -> None:
    assert (parse_pairs(None), parse_pairs("256,1,16")) == ((), (1, 16, 256))
    with pytest.raises(UsageError, match="--pairs '2049' is out of bounds"):
        parse_pairs("2049")


@pytest.mark.parametrize(
    ("text", "factor", "least_ns"),
    [
        (None, 10, 5_000),
        ("10x,5us", 10, 5_000),
        ("20us", 1, 20_000),
        ("2.5x", 2.5, 1),
        ("1ms, 100x", 100, 1_000_000),
        ("1ns", 1, 1),
        ("1s", 1, 1_000_000_000),
    ],
)
def test_what_an_outlier_is_is_read_as_a_multiple_and_a_time(text: str | None, factor: float, least_ns: int) -> None:
    asked = parse_outliers(text)
    assert asked
    assert (asked.factor, asked.least_ns) == (factor, least_ns)


def test_outliers_can_be_off() -> None:
    assert parse_outliers("off") is None


@pytest.mark.parametrize(
    "text", ["", "10", "x", "0.5x", "5x,6x", "1us,2us", "0ns", "-1us", "2000000x", "2h", "off,10x"]
)
def test_what_is_no_outlier_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not say what is an outlier") as caught:
        parse_outliers(text)
    assert caught.value.exit_code == 2
