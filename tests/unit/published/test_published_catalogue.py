"""What repeats a published figure: every one has its case, or a reason."""

from collections import Counter

import pytest
from msgspec.structs import replace

from tests.unit.published.examples import case_of
from tests.unit.selection.examples import TWO_CORES, topology
from threadping.analysis.percentiles import NAMES
from threadping.experiments import declared
from threadping.model import WarmupPolicy
from threadping.published.catalogue import (
    BIASED,
    CPP,
    JAVA,
    LATE,
    NATIVE,
    UNBIASED,
    Build,
    Repetition,
    Standing,
    Way,
    alike,
    exactness,
    figure,
    fits,
    has,
    place,
    repetition,
)
from threadping.published.conclusions import CONCLUSIONS
from threadping.published.records import figures

SIBLINGS = topology((0, 0, 0, 0), (0, 0, 0, 0))
HYPERTHREADED = topology((0, 0, 0, 0), (1, 1, 0, 0), (0, 0, 0, 0), (1, 1, 0, 0))
TWO_NODES = topology((0, 0, 0, 0), (1, 1, 1, 1))
ONE = topology((0, 0, 0, 0))
PINGED = Repetition("signal", Way("seqcst-one-line", JAVA), Standing("two-cores"), lines=1)
MACHINE = topology(*((core, core, 0, 0) for core in range(8)))


@pytest.mark.parametrize("one", figures(), ids=lambda one: f"{one.what} {one.metric} {one.value:g}")
def test_every_figure_has_a_repetition_or_a_reason(one: object) -> None:
    (published,) = (each for each in figures() if each == one)
    found = repetition(published)
    if isinstance(found, str):
        assert found
        return
    assert found.threads == published.threads
    declaration = declared()[found.experiment]
    names = {each.name for each in declaration.figures}
    names |= {f"{each.name}.{name}" for each in declaration.distributions for name in NAMES}
    assert figure(published) in names
    assert alike(published) == found


def test_the_cases_are_those_that_were_published() -> None:
    told = Counter(found.title for one in figures() if not isinstance(found := repetition(one), str))
    assert told["signal seqcst-one-line java two-cpus process lines=1"] == 1
    assert told["signal add-one-line cpp two-cpus process lines=1"] == 1
    assert told["signal seqcst-one-line java two-cores lines=1"] == 2
    assert told["signal release-one-line java smt lines=1"] == 1
    assert told["signal add-one-line wait=pause cpp unpinned lines=1"] == 1
    assert told["signal add-one-line cpp -march=native unpinned lines=1"] == 1
    assert told["signal seqcst-one-line java cross-node lines=1"] == 3
    assert told["signal condition java two-cpus process"] == told["signal condition java unpinned"] == 2
    assert told["notify monitor java 32 threads unpinned"] == told["notify monitor java 512 threads unpinned"] == 8
    assert told["ring disruptor java two-cores"] == told["ring disruptor batch=10 java two-cores"] == 1
    assert told["ring disruptor in-flight=1 java two-cores"] == 3
    for threads in ("1 threads ", "", "8 threads "):
        assert told[f"lock monitor java -XX:-UseBiasedLocking {threads}unpinned"] == 2
        assert told[f"lock reentrant-lock java {threads}unpinned"] == 2


def test_what_cannot_be_repeated_says_why() -> None:
    why = Counter(found for one in figures() if isinstance(found := repetition(one), str))
    assert why["measured on Windows; this is Linux"] == 18
    assert why["measured on macOS; this is Linux"] == 3
    assert sum(count for reason, count in why.items() if "quoted for scale" in reason) == 2
    assert sum(count for reason, count in why.items() if "JRockit" in reason or "-O3" in reason) == 2
    assert sum(why.values()) == 25


def test_what_would_repeat_it_on_linux_is_known_of_a_foreign_system_too() -> None:
    foreign = [one for one in figures() if one.os == "Windows" and one.threads == 32]
    assert {alike(one) for one in foreign} == {Repetition("notify", Way("monitor", JAVA), Standing("unpinned"), 32)}
    assert alike(next(one for one in figures() if one.os == "macOS")) is None


@pytest.mark.parametrize(
    ("machine", "cpus", "cores"),
    [
        (TWO_CORES, "same-l3", "same-l3"),
        (SIBLINGS, "smt", None),
        (HYPERTHREADED, "same-l3", "same-l3"),
        (TWO_NODES, "cross-node", "cross-node"),
        (ONE, None, None),
    ],
)
def test_two_cores_are_no_siblings_and_two_cpus_only_where_there_is_one_core(
    machine: object, cpus: str | None, cores: str | None
) -> None:
    assert (place("two-cpus", machine), place("two-cores", machine)) == (cpus, cores)  # type: ignore[arg-type]
    assert place("smt", machine) == "smt"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "builds"),
    [
        ("cpp", [CPP]),
        ("cpp -march=native", [NATIVE]),
        ("java-11", [JAVA]),
        ("java-14-fake", [JAVA]),
        ("java-17", [JAVA, UNBIASED]),
        ("java-25-fake -XX:+UseParallelGC", [JAVA, UNBIASED]),
        ("java-17 -XX:-UseBiasedLocking", [UNBIASED]),
        ("java-17 -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0", [BIASED]),
        ("java-17 -Xint -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000", [LATE]),
        ("java-17 -XX:+UseBiasedLocking", []),
        ("jython-17", []),
    ],
)
def test_a_runtime_is_known_by_the_flags_that_matter(label: str, builds: list[Build]) -> None:
    assert [build for build in (CPP, NATIVE, JAVA, UNBIASED, BIASED, LATE) if has(label, build)] == builds


def test_a_case_fits_whatever_its_lines_and_nothing_else() -> None:
    case = case_of(PINGED)
    assert fits(PINGED, case, MACHINE)
    assert fits(PINGED, replace(case, lines=256), MACHINE)
    assert exactness(PINGED, case) < exactness(PINGED, replace(case, lines=256))
    whole = replace(PINGED, lines=None)
    assert exactness(whole, replace(case, lines=256)) < exactness(whole, case)
    for changes in (
        {"mechanism": "cas-one-line"},
        {"runtime": "cpp"},
        {"params": {"wait": "pause"}, "varied": ("wait",)},
        {"warmup": WarmupPolicy(1, 500_000_000)},
        {"warmup": WarmupPolicy(10, 99_999)},
        {"placement": replace(case.placement, pin="process")},
        {"placement": replace(case.placement, name="smt")},
    ):
        assert not fits(PINGED, replace(case, **changes), MACHINE), changes


def test_what_was_stored_with_the_former_warm_up_still_fits_and_comes_after_that_of_today() -> None:
    case = case_of(PINGED)
    former = replace(case, warmup=WarmupPolicy(10, 100_000))
    assert fits(PINGED, former, MACHINE)
    assert exactness(PINGED, case) < exactness(PINGED, former) < exactness(PINGED, replace(case, lines=256))


def test_the_flag_itself_is_preferred_to_its_default() -> None:
    wanted = Repetition("lock", Way("monitor", UNBIASED), Standing("unpinned"))
    told = case_of(wanted)
    assert exactness(wanted, told) < exactness(wanted, replace(told, runtime="java-17"))


def test_conclusions_need_what_can_be_repeated_and_say_their_rules() -> None:
    for one in CONCLUSIONS:
        assert one.claim.endswith(".")
        assert one.rule.endswith(".")
        assert one.steps
        assert all(needed.experiment in declared() for needed in one.needs)
