"""Articles that published figures, and the cases that repeat them."""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.planning.examples import TWO_CORES, WAIT, call, inventory, lock, mechanism, queue, topology
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.experiments import EXPERIMENTS, case_defaults, declared, of_run
from threadping.model import contract
from threadping.model.cases import Case, Runtime
from threadping.model.errors import ThreadpingError
from threadping.planning.cases import Cases
from threadping.planning.defaults import Start
from threadping.planning.plan import Budget, make_plan, select_cases
from threadping.probes.runtimes import Described
from threadping.studies.reproduce.stated import OF_ARTICLES, articles, read_articles
from threadping.studies.reproduce.wanted import FLAGS_THAT_MATTER, Build, cases_of

ROOT = Path(__file__).parents[4]
KNOWN = json.loads((ROOT / "contract/words.json").read_text())["experiments"]
FIGURES, CLAIMS = articles().figures, articles().claims
SMALL = """
[cases]
spinning = { experiment = "signal", mechanism = "add-one-line" }
[[articles]]
experiment = "handoff"
title = "An article"
blog = "a blog"
date = 2011-08-09
url = "https://a.blog/article"
words = ["handing over", "lazySet"]
unit = "ns"
metric = "mean"
figures = [{ runtime = "C++", threads = 4, value = 45, case = "spinning", figure = "latency_ns.mean" }]
[[articles.claims]]
claim = "Four are slower."
rule = "So they are."
holds = ["spinning@4 > 1.5 * spinning"]
figures = ["latency_ns.mean"]
"""


def is_known(experiment: str, figure: str) -> bool:
    of = declared()[experiment]
    parts = (f"{one.name}.{name}" for one in of.distributions for name in PERCENTILE_NAMES)
    return figure in {*(one.name for one in of.figures), *parts}


def test_every_figure_is_there_once() -> None:
    assert Counter(one.experiment for one in FIGURES) == {
        **{"inter-thread-latency": 24, "disruptor": 5, "locked-signalling": 6, "network-hop": 2},
        **{"lock-contention": 48, "notify-cost": 32},
    }
    ns, rates = (sum(one.value for one in FIGURES if one.unit == unit) for unit in ("ns", "ops/s"))
    assert (len(set(FIGURES)), round(ns, 2), rates) == (117, 13_668_694.90, 1_479_845_910)


def test_a_figure_is_repeated_by_a_case_that_the_probes_know_or_says_why_not() -> None:
    for one in FIGURES:
        foreign = next((name for name in ("Windows", "macOS") if one.os.startswith(name)), None)
        assert (one.case is None or foreign is not None) == bool(one.why), one
        assert not foreign or one.why == f"measured on {foreign}; this is Linux"
        if one.case is not None:
            known = KNOWN[one.case.experiment]
            assert one.case.mechanism in known["mechanisms"]
            assert one.case.params.partition("=")[0] in {"", *known["params"]}
            assert one.case.threads == one.threads, one
            assert is_known(one.case.experiment, one.figure)
            assert one.figure.startswith("latency_ns.") == (one.unit == "ns"), one


def test_what_another_loop_than_the_listing_repeats_is_said_of_its_figures_alone() -> None:
    named = {one.case.mechanism for one in FIGURES if one.case and one.unlike}
    assert named == {"seqcst-one-line"}
    assert all(one.unlike for one in FIGURES if one.case and one.case.mechanism in named)
    unlike = f'{SMALL}[unlike]\nadd-one-line = "another loop"'
    assert [read_articles(text).figures[0].unlike for text in (SMALL, unlike)] == ["", "another loop"]


def test_every_case_serves_a_figure_or_a_claim() -> None:
    used = {replace(one, threads=2) for group in articles().wanted for one in group}
    assert used == set(articles().cases.values())


def test_every_claim_compares_cases_that_the_probes_know_by_figures_that_they_have() -> None:
    assert [(one.experiment, len(one.holds)) for one in CLAIMS] == [
        *(("inter-thread-latency", 1), ("disruptor", 2), ("locked-signalling", 1), ("locked-signalling", 1)),
        *(("lock-contention", 3), ("notify-cost", 1)),
    ]
    for claim in CLAIMS:
        assert claim.claim.endswith(".") and claim.rule.endswith(".")
        for side in claim.needs:
            assert side.mechanism in KNOWN[side.experiment]["mechanisms"]
            assert all(is_known(side.experiment, figure) for figure in claim.figures)
        assert all(f"{one.times:g} times" in claim.rule and one.ours != one.theirs for one in claim.holds)


def test_words_that_an_article_has_in_common_are_those_of_its_figures() -> None:
    found = read_articles(SMALL)
    (figure,), (claim,) = found.figures, found.claims
    assert (figure.value, figure.unit, figure.metric, figure.year) == (45.0, "ns", "mean", 2011)
    whence = "An article (a blog, 2011-08-09)", "https://a.blog/article"
    assert (figure.source, figure.url) == (claim.source, claim.url) == whence
    assert figure.case and figure.case.title == "signal add-one-line java 4 threads unpinned"
    (one,) = claim.holds
    assert (one.ours.threads, one.more, one.times, one.theirs.threads) == (4, True, 1.5, 2)
    assert found.wanted == [[one.ours, one.theirs], [figure.case]]


@pytest.mark.parametrize("word", ["handoff", "handing over", "Handing-Over", "lazyset", "lazySet", "lazy_set"])
def test_an_experiment_is_found_by_the_words_of_its_article_however_they_are_spelt(word: str) -> None:
    assert read_articles(SMALL).named(word) == "handoff"


def test_no_two_experiments_share_a_word_and_each_has_the_address_of_its_article() -> None:
    assert read_articles(SMALL).named("lazy") is None
    expected = {"biased": "lock-contention", "lazySet": "inter-thread-latency", "volatile": "inter-thread-latency"}
    expected |= {"condition variable": "locked-signalling", "Object.notify": "notify-cost", "LMAX": "disruptor"}
    assert {word: articles().named(word) for word in expected} == expected
    written = tomllib.loads((ROOT / "src/threadping/studies/reproduce/articles.toml").read_text())["articles"]
    assert sum(len(one["words"]) for one in written) == len(articles().words)
    assert all(one.url.startswith("https://") for one in FIGURES)


def test_what_is_no_figure_or_claim_is_refused() -> None:
    for words, others, why in [
        ('case = "spinning"', 'case = "sleeping"', "no case sleeping"),
        ("spinning@4 >", "sleeping@4 >", "no case sleeping"),
        ("> 1.5 *", ">= 1.5 *", "not a comparison"),
        ('unit = "ns"', 'unit = "bogomips"', "bogomips"),
        ("value = 45", 'value = "fast"', "value"),
        ("value = 45", "value = 45, speed = 3", "speed"),
        (', mechanism = "add-one-line"', "", "mechanism"),
        ("[cases]", "[cases", "Expected"),
        ('url = "https://a.blog/article"\n', "", "url"),
    ]:
        assert words in SMALL
        with pytest.raises(ValueError, match=why):
            read_articles(SMALL.replace(words, others))


EVERY = articles().wanted
BUILDS = list(dict.fromkeys(one.build for group in EVERY for one in group))
CPP = [build for build in BUILDS if build[0] == "cpp"]
ONE_LINE = [mechanism(f"{name}-one-line", params=(WAIT,)) for name in ("xadd", "seqcst", "release")]
CONDITIONS = [mechanism(name, blocking=True) for name in ("condition", "condition-released")]
OFFERED: Mapping[str, tuple[contract.MechanismDescription, ...]] = {
    "signal": (*ONE_LINE, *CONDITIONS),
    "lock": (lock("monitor"), lock("reentrant-lock")),
    "wakeup": (call("monitor"),),
    "queue": (queue("disruptor", "batch", "depth"),),
}
NO_JVM = "no Java virtual machine was found"
PACES = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}


def described(build: Build, offered: Mapping[str, tuple[contract.MechanismDescription, ...]] = OFFERED) -> Described:
    probe, *flags = build
    label = " ".join(["java-17" if probe == "java" else "cpp", *flags])
    roles = contract.RoleDescription("a", counts=True), contract.RoleDescription("b", counts=True)
    of_names = tuple(contract.ExperimentDescription(name, roles, (1, 4096), "ns", of) for name, of in offered.items())
    return Described(
        Runtime(label, probe, (label,), ""),
        contract.Description(probe, "1", contract.Toolchain("fake", "1", ()), of_names, contract.SCHEMA),
        0.3,
    )


def ask(
    machine: contract.Topology = TWO_CORES, runtimes: Mapping[Build, Described | str] | None = None, *names: str
) -> Cases:
    offered = runtimes or {build: described(build) for build in BUILDS}
    wanted = articles().only(names)
    whys = [one.why for one in wanted.figures if one.why]
    here = inventory(machine=machine, case_defaults=case_defaults())
    return cases_of(wanted.wanted, offered, here, OF_ARTICLES.layer, whys)


def titles(cases: Cases) -> list[str]:
    (layer,) = cases.layers
    assert (layer.what, layer.whole) == (OF_ARTICLES.layer, False)
    assert len(set(layer.cases)) == len(layer.cases)
    return [case.title for case in layer.cases]


def test_one_case_of_each_experiment_comes_first_then_those_of_conclusions_then_the_rest() -> None:
    found = titles(ask())
    assert found[:5] == [
        "seqcst-one-line java-17 same-l3 process",
        "disruptor depth=1 java-17 same-l3",
        "condition java-17 same-l3 process",
        "monitor java-17 -XX:-UseBiasedLocking 1 thread unpinned",
        "monitor java-17 16 pairs unpinned",
    ]
    of_claims = ("release-one-line", "seqcst-one-line", "disruptor")
    assert found[5:8] == [f"{name} java-17 same-l3" for name in of_claims]
    assert (found[17], len(found)) == ("xadd-one-line cpp same-l3 process", 45)


def test_the_usual_budget_carries_some_of_every_experiment_in_six_rounds() -> None:
    (layer,) = ask().layers
    starts = {case.runtime: Start(0.05 if "cpp" in case.runtime else 0.5) for case in layer.cases}
    for budget_s in (36, 180):
        carried = select_cases([layer], Budget(budget_s, starts, PACES, 1)).cases
        assert make_plan(carried, Budget(budget_s, starts, PACES, 1)).rounds >= 6
        assert {case.experiment for case in carried} == set(of_run()) - {"barrier"}, "no article repeats it yet"
        assert carried == layer.cases[: len(carried)]
    assert len(carried) >= len(EVERY[0]) + 4


def test_what_the_machine_lacks_says_why_by_the_name_of_what_is_to_be_repeated() -> None:
    one_node = "cross-node: the CPUs 0-1 that may be used are all on one NUMA node"
    no_siblings = "smt: no two of the CPUs 0-1 that may be used share a core"
    assert {one.what: one.reason for one in ask().skipped} == {
        "signal seqcst-one-line java cross-node lines=1": one_node,
        "signal xadd-one-line cpp cross-node lines=1": one_node,
        "signal seqcst-one-line java smt lines=1": no_siblings,
        "signal release-one-line java smt lines=1": no_siblings,
    }


def test_on_a_large_machine_nothing_falls_away_and_on_one_core_or_cpu_what_is_pinned_to_two() -> None:
    large = ask(topology(*((core, core // 2, core // 4, core // 4) for cpu in range(16) for core in [cpu % 8])))
    assert not large.skipped and {"seqcst-one-line java-17 smt", "xadd-one-line cpp cross-node"} <= {*titles(large)}
    assert next(one for one in large.layers[0].cases if "same-l2 process" in one.title).placement.pin == "process"
    siblings, alone = ask(topology((0, 0, 0, 0), (0, 0, 0, 0))), ask(topology((0, 0, 0, 0)))
    for found, lost, left in (
        (siblings, "seqcst-one-line java two-cores lines=1", "seqcst-one-line java-17 smt process"),
        (alone, "condition java two-cpus process", "condition java-17 unpinned"),
    ):
        why = {one.what: one.reason for one in found.skipped}
        assert why[f"signal {lost}"] == "no two CPUs of different cores may be used" and left in titles(found)


def test_what_a_probe_lacks_or_needs_says_why_and_without_a_jvm_the_cpp_figures_go_on() -> None:
    only_cpp = ask(TWO_CORES, {build: described(build) if build in CPP else NO_JVM for build in BUILDS})
    assert {case.runtime for case in only_cpp.layers[0].cases} == {"cpp", "cpp -march=native"}
    assert NO_JVM in {one.reason for one in only_cpp.skipped}
    offered = {"signal": (mechanism("condition", blocking=True, needs="Java 99"),)}
    found = {build: described(build, offered if build not in CPP else OFFERED) for build in BUILDS}
    why = {one.what: one.reason for one in ask(TWO_CORES, found).skipped}
    newer, unknown = why["signal condition java unpinned"], why["lock reentrant-lock java unpinned"]
    assert newer.startswith("condition java-17: needs Java 99; measure it with a newer JVM")
    assert unknown == "Unknown mechanism 'reentrant-lock'. Leave it out: none is known here"


def test_nothing_at_all_is_a_sentence() -> None:
    why = "Nothing of this can be repeated here: measured on Windows; this is Linux; no Java"
    with pytest.raises(ThreadpingError, match=why) as stopped:
        ask(TWO_CORES, dict.fromkeys(BUILDS, NO_JVM), "notify-cost")
    assert stopped.value.exit_code == 1
    with pytest.raises(ThreadpingError, match="a hop between hosts, quoted for scale"):
        ask(TWO_CORES, None, "network-hop")


def test_cases_are_as_published_and_a_claim_is_of_many_lines() -> None:
    cases: list[Case] = [*ask().layers[0].cases]
    assert all(str(case.warmup) == "steady" and case.home is None for case in cases)
    assert [case.lines for case in cases if case.title == "seqcst-one-line java-17 same-l3"] == [256, 1]
    paused = next(case for case in cases if case.varied == ("wait",))
    assert (paused.params, paused.lines, paused.placement.name) == ({"wait": "pause"}, 1, "unpinned")
    in_notify = [(case.groups, case.threads) for case in cases if case.experiment == "wakeup"]
    assert sorted(in_notify) == [(16, 32), (256, 512)]


def test_the_flags_that_matter_are_those_of_the_cases() -> None:
    flags = {flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags}
    assert flags == FLAGS_THAT_MATTER
