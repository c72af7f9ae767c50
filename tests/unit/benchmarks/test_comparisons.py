"""Which comparisons a set of subjects allows."""

from collections.abc import Sequence

import pytest

from benchmarks.agreement.questions import AGREEMENT
from benchmarks.lock.questions import LOCK
from benchmarks.questions import Benchmark
from benchmarks.records import Subject
from tests.unit.benchmarks.examples import BARE, BARE_JAVA, BARE_MUTEX, BY_JMH, PEER, probe

CAS, ADD, ADD_POOL = probe("cas-one-line"), probe("add-one-line"), probe("add-one-line", lines=256)
JAVA_ADD, JAVA_POOL = probe("add-one-line", "java-17"), probe("add-one-line", "java-17", 256)
MUTEX, LOCKS, REENTRANT = probe("mutex"), probe("mutex", lines=8), probe("reentrant-lock", "java-17")

Asked = tuple[str, Subject, Subject, str | None]


def asked(benchmark: Benchmark, subjects: Sequence[Subject], *groups: str) -> list[Asked]:
    found = benchmark.questions(subjects, groups).asked
    return [(one.title, one.ours, one.theirs, one.limit.words if one.limit else None) for one in found]


def test_a_peer_is_compared_with_our_cpp_probe_on_one_line() -> None:
    title = "cpp cas-one-line / core-to-core-latency bench 1"
    found = asked(AGREEMENT, [PEER, CAS, probe("cas-one-line", "java-17")], "peers")
    assert found == [(title, CAS, PEER, "within 5%")]


def test_a_bare_program_is_compared_with_the_probe_of_its_runtime() -> None:
    assert asked(AGREEMENT, [BARE, BARE_JAVA, ADD, JAVA_ADD], "bare") == [
        ("cpp add-one-line / bare", ADD, BARE, "at most 2% above"),
        ("java-17 add-one-line / bare", JAVA_ADD, BARE_JAVA, "at most 5% above"),
    ]


def test_a_variant_of_the_listing_is_compared_with_the_same_mechanism() -> None:
    variant = Subject("bare", "cpp", "add-one-line-remembered", 1)
    title = "cpp add-one-line / bare, own counter not read again"
    assert asked(AGREEMENT, [variant, ADD], "bare") == [(title, ADD, variant, "at most 2% above")]


def test_languages_and_singles_are_asked_over_many_lines() -> None:
    assert asked(AGREEMENT, [ADD, JAVA_POOL, ADD_POOL], "singles", "languages") == [
        ("java-17 add-one-line / cpp", JAVA_POOL, ADD_POOL, None),
        ("java-17 add-one-line p50 / mean", JAVA_POOL, JAVA_POOL, "at most 3% above"),
        ("cpp add-one-line p50 / mean", ADD_POOL, ADD_POOL, "at most 3% above"),
    ]


def test_only_the_wanted_kinds_are_asked() -> None:
    assert not asked(AGREEMENT, [PEER, CAS, BARE, ADD], "languages")


def test_one_threads_lock_is_compared_with_the_probe_of_its_runtime_on_one_lock() -> None:
    subjects = [BY_JMH, BARE_MUTEX, MUTEX, LOCKS, REENTRANT, probe("reentrant-lock", "java-25")]
    assert asked(LOCK, subjects, "jmh", "bare") == [
        ("cpp mutex / bare", MUTEX, BARE_MUTEX, "within 3%"),
        ("java-17 reentrant-lock / JMH", REENTRANT, BY_JMH, "within 5%"),
    ]


def test_several_locks_stand_beside_the_same_without_a_limit() -> None:
    found = asked(LOCK, [BARE_MUTEX, MUTEX, LOCKS, REENTRANT], "lines")
    assert found == [("cpp mutex, 8 locks / bare", LOCKS, BARE_MUTEX, None)]


@pytest.mark.parametrize(
    ("benchmark", "subjects", "missing", "title"),
    [
        (AGREEMENT, {BARE, BARE_JAVA, ADD}, BARE_JAVA, "java-17 add-one-line / bare"),
        (LOCK, {BARE_MUTEX, BY_JMH, MUTEX, LOCKS}, BY_JMH, "java-17 reentrant-lock / JMH"),
    ],
)
def test_what_the_probe_cannot_do_is_left_out_with_a_sentence_and_not_measured(
    benchmark: Benchmark, subjects: set[Subject], missing: Subject, title: str
) -> None:
    found = benchmark.questions([*subjects], benchmark.headings)
    assert found.left_out == (f"{title}: the probe has no such mechanism here.",)
    assert found.subjects == subjects - {missing}
