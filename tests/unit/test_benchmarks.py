"""Comparisons that the benchmarks of this repository allow, and ratios against their limits.

The rest of `benchmarks/` has no tests: only maintainers run it, and mypy reads it with the product.
"""

from collections.abc import Sequence

from benchmarks.agreement.questions import AGREEMENT, about
from benchmarks.lock.questions import LOCK
from benchmarks.questions import Benchmark
from benchmarks.ratios import at_most_above, judge, within
from benchmarks.records import Subject
from threadping.analysis.percentiles import Estimate

PEER = Subject("core-to-core-latency", "rust", "cas-one-line", 1)
BARE = Subject("bare", "cpp", "add-one-line", 256)
BARE_JAVA = Subject("bare", "java-17", "add-one-line", 256)
BARE_CONDITION = Subject("bare", "java-17", "condition", 1)
BARE_MUTEX = Subject("bare", "cpp", "mutex", 1)
BY_JMH = Subject("JMH", "java-17", "reentrant-lock", 1)


def probe(mechanism: str, runtime: str = "cpp", lines: int = 1) -> Subject:
    return Subject("probe", runtime, mechanism, lines)


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


def test_a_baseline_is_compared_both_ways_with_the_probe_of_its_runtime_over_as_many_lines() -> None:
    assert asked(AGREEMENT, [BARE, BARE_JAVA, ADD, ADD_POOL, JAVA_ADD, JAVA_POOL], "bare") == [
        ("cpp add-one-line / bare", ADD_POOL, BARE, "within 5%"),
        ("java-17 add-one-line / bare", JAVA_POOL, BARE_JAVA, "within 5%"),
    ]


def test_locks_streams_and_calls_have_baselines_of_their_own() -> None:
    for mechanism, group, limit in (
        *(("lock mutex", "locks", "within 5%"), ("queue sequenced-ring batch=100", "streams", "within 5%")),
        *(("wakeup condition", "calls", "within 15%"), ("barrier spin-barrier", "barriers", "within 15%")),
    ):
        loop, ours = Subject("bare", "cpp", mechanism, 1), probe(mechanism)
        assert asked(AGREEMENT, [loop, ours], group) == [(f"cpp {mechanism} / bare", ours, loop, limit)]
        assert not asked(AGREEMENT, [loop, ours], *({*AGREEMENT.headings} - {group}))


def test_only_what_was_asked_for_is_asked() -> None:
    subjects = [BARE, BARE_JAVA, BARE_CONDITION, ADD_POOL, JAVA_POOL, probe("condition", "java-17")]
    assert [one[0] for one in asked(about(["condition"]), subjects, "bare")] == ["java-17 condition / bare"]
    assert len(asked(about(["cpp add", "condition"]), subjects, "bare")) == 2
    assert asked(about([]), subjects, "bare") == asked(AGREEMENT, subjects, "bare")


def test_one_threads_lock_is_compared_with_the_probe_of_its_runtime_on_one_lock() -> None:
    subjects = [BY_JMH, BARE_MUTEX, MUTEX, LOCKS, REENTRANT, probe("reentrant-lock", "java-25")]
    assert asked(LOCK, subjects, "jmh", "bare") == [
        ("cpp mutex / bare", MUTEX, BARE_MUTEX, "within 3%"),
        ("java-17 reentrant-lock / JMH", REENTRANT, BY_JMH, "within 5%"),
    ]


def test_what_the_probe_cannot_do_is_left_out_with_a_sentence_and_not_measured() -> None:
    for benchmark, subjects, missing, title in (
        (AGREEMENT, {BARE, BARE_JAVA, ADD_POOL}, BARE_JAVA, "java-17 add-one-line / bare"),
        (LOCK, {BARE_MUTEX, BY_JMH, MUTEX, LOCKS}, BY_JMH, "java-17 reentrant-lock / JMH"),
    ):
        found = benchmark.questions([*subjects], benchmark.headings)
        assert found.left_out == (f"{title}: the probe has no such mechanism here.",)
        assert found.subjects == subjects - {missing}


def test_only_a_whole_interval_on_one_side_decides() -> None:
    decided = {
        **{(0.97, 1.03): ("yes", "yes"), (0.80, 0.90): ("no", "yes"), (1.06, 1.20): ("no", "no")},
        **{(0.90, 0.97): ("cannot tell", "yes"), (1.03, 1.08): ("cannot tell", "cannot tell")},
        (0.90, 1.20): ("cannot tell", "cannot tell"),
    }
    for (low, high), expected in decided.items():
        ratio = Estimate((low + high) / 2, low, high, "ci95")
        assert (judge(ratio, within(5)), judge(ratio, at_most_above(5))) == expected
    for no_interval in (Estimate(1.0, 1.0, 1.0, "range"), Estimate(1.0)):
        assert judge(no_interval, within(5)) == "cannot tell"
