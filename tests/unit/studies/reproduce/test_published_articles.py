"""The data: every figure is repeated by a case that the probes know or says why not, every claim is of such cases."""

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.experiments import declared
from threadping.studies.reproduce.articles import Published, articles, read_articles

ROOT = Path(__file__).parents[4]
KNOWN = json.loads((ROOT / "contract/words.json").read_text())["experiments"]
FIGURES, CLAIMS = articles().figures, articles().claims
SMALL = """
[cases]
spinning = { experiment = "signal", mechanism = "add-one-line" }
[[articles]]
experiment = "hand-over"
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
        "inter-thread-latency": 24,
        "disruptor": 5,
        "locked-signalling": 6,
        "network-hop": 2,
        "lock-contention": 48,
        "notify-cost": 32,
    }
    assert len(set(FIGURES)) == 117
    assert sum(one.value for one in FIGURES if one.unit == "ns") == pytest.approx(13_668_694.90, abs=0.01)
    assert sum(one.value for one in FIGURES if one.unit == "ops/s") == 1_479_845_910


@pytest.mark.parametrize("one", FIGURES, ids=lambda one: f"{one.runtime} {one.metric} {one.value:g}")
def test_a_figure_is_repeated_by_a_case_that_the_probes_know_or_says_why_not(one: Published) -> None:
    foreign = next((name for name in ("Windows", "macOS") if one.os.startswith(name)), None)
    assert (one.case is None or foreign is not None) == bool(one.why)
    if foreign:
        assert one.why == f"measured on {foreign}; this is Linux"
    if one.case is not None:
        known = KNOWN[one.case.experiment]
        assert one.case.mechanism in known["mechanisms"]
        assert one.case.params.partition("=")[0] in {"", *known["params"]}
        assert one.case.threads == one.threads
        assert is_known(one.case.experiment, one.figure)
        assert one.figure.startswith("latency_ns.") == (one.unit == "ns")


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
        ("inter-thread-latency", 1),
        ("disruptor", 2),
        ("locked-signalling", 1),
        ("locked-signalling", 1),
        ("lock-contention", 3),
        ("notify-cost", 1),
    ]
    for claim in CLAIMS:
        assert claim.claim.endswith(".")
        assert claim.rule.endswith(".")
        for side in claim.needs:
            assert side.mechanism in KNOWN[side.experiment]["mechanisms"]
            assert all(is_known(side.experiment, figure) for figure in claim.figures)
        for one in claim.holds:
            assert f"{one.times:g} times" in claim.rule
            assert one.ours != one.theirs


def test_words_that_an_article_has_in_common_are_those_of_its_figures() -> None:
    found = read_articles(SMALL)
    (figure,), (claim,) = found.figures, found.claims
    assert (figure.value, figure.unit, figure.metric, figure.year) == (45.0, "ns", "mean", 2011)
    whence = "An article (a blog, 2011-08-09)", "https://a.blog/article"
    assert (figure.source, figure.url) == (claim.source, claim.url) == whence
    assert figure.case is not None
    assert figure.case.title == "signal add-one-line java 4 threads unpinned"
    (one,) = claim.holds
    assert (one.ours.threads, one.more, one.times, one.theirs.threads) == (4, True, 1.5, 2)
    assert found.wanted == [[one.ours, one.theirs], [figure.case]]


@pytest.mark.parametrize("word", ["hand-over", "handing over", "Handing-Over", "lazyset", "lazySet", "lazy_set"])
def test_an_experiment_is_found_by_the_words_of_its_article_however_they_are_spelt(word: str) -> None:
    assert read_articles(SMALL).named(word) == "hand-over"


def test_no_two_experiments_share_a_word_and_each_has_the_address_of_its_article() -> None:
    assert read_articles(SMALL).named("lazy") is None
    expected = {"biased": "lock-contention", "lazySet": "inter-thread-latency", "volatile": "inter-thread-latency"}
    expected |= {"condition variable": "locked-signalling", "Object.notify": "notify-cost", "LMAX": "disruptor"}
    assert {word: articles().named(word) for word in expected} == expected
    written = tomllib.loads((ROOT / "src/threadping/studies/reproduce/articles.toml").read_text())["articles"]
    assert sum(len(one["words"]) for one in written) == len(articles().words)
    assert all(one.url.startswith("https://") for one in FIGURES)


@pytest.mark.parametrize(
    ("words", "others", "why"),
    [
        ('case = "spinning"', 'case = "sleeping"', "no case sleeping"),
        ("spinning@4 >", "sleeping@4 >", "no case sleeping"),
        ("> 1.5 *", ">= 1.5 *", "no comparison"),
        ('unit = "ns"', 'unit = "bogomips"', "bogomips"),
        ("value = 45", 'value = "fast"', "value"),
        ("value = 45", "value = 45, speed = 3", "speed"),
        (', mechanism = "add-one-line"', "", "mechanism"),
        ("[cases]", "[cases", "Expected"),
        ('url = "https://a.blog/article"\n', "", "url"),
    ],
)
def test_what_is_no_figure_or_claim_is_refused(words: str, others: str, why: str) -> None:
    assert words in SMALL
    with pytest.raises(ValueError, match=why):
        read_articles(SMALL.replace(words, others))
