"""The published figures beside ours: the tables, the reasons, the claims; and JSON."""

import pytest
from msgspec.structs import replace

from tests.unit.output.printing import flat, printed
from tests.unit.studies.reproduce.examples import Planted, answer
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import RowState
from threadping.analysis.percentiles import Estimate
from threadping.model.errors import ChartRefused
from threadping.model.studies import Repeated
from threadping.output.layout import Blocks
from threadping.output.markdown import as_html, as_markdown
from threadping.studies.reproduce.articles import articles
from threadping.studies.reproduce.output import times
from threadping.studies.reproduce.study import ARTICLES as STUDY
from threadping.studies.reproduce.wanted import WantedCase


def planted(experiment: str) -> dict[WantedCase, Planted]:
    """Twice the first figure that each case repeats."""
    found: dict[WantedCase, Planted] = {}
    for one in articles().only([experiment]).figures:
        if one.case and not one.why:
            found.setdefault(one.case, 2 * one.value)
    return found


def shown(experiment: str, found: Answer, width: int = 160) -> str:
    asked = STUDY.ask(experiments=[experiment])
    return printed(Blocks.of(*STUDY.blocks(found, STUDY.read(found, asked))), width)


def test_beside_the_case_that_repeats_it_stands_what_was_published_and_ours() -> None:
    lines = [flat(line) for line in shown("lock-contention", answer(planted("lock-contention")), 200).splitlines()]
    assert lines[2:5] == [
        "lock-contention",
        "Biased Locking, OSR, and Benchmarking Fun (mechanical-sympathy, 2011-11-22)",
        "repeated by published on published here \N{PLUS-MINUS SIGN} ratio 95% interval",
    ]
    first = lines.index(
        "reentrant-lock java-17 unpinned Intel Nehalem 2.8 GHz, Fedora 15 64-bit, 2011 10.2 M 20.5 M "
        "\N{PLUS-MINUS SIGN}1% 2.00x 1.97\N{EN DASH}2.03"
    )
    other = (
        "Intel Sandy Bridge 2.0 GHz, Fedora 15 64-bit, 2011 6.04 M 20.5 M "
        "\N{PLUS-MINUS SIGN}1% 3.39x 3.34\N{EN DASH}3.44"
    )
    assert lines[first + 1] == other
    text = flat(shown("disruptor", answer(planted("disruptor"))))
    assert "throughput, publisher batches too, Intel, not named, Linux, 2011 100 M 200 M" in text


def test_what_was_published_is_not_wrapped_to_words_beside_what_repeats_it() -> None:
    assert "Intel Nehalem 2.8 GHz, " in shown("locked-signalling", answer(planted("locked-signalling")), 80)


def test_a_range_stands_in_brackets_and_few_trials_are_counted() -> None:
    (one, other, *_) = planted("locked-signalling")
    text = flat(shown("locked-signalling", answer({one: [4_000.0, 4_100.0, 4_200.0], other: [9_000.0]})))
    assert "4.10 \N{MICRO SIGN}s (4.00\N{EN DASH}4.20) 2.03x" in text
    assert "9.00 \N{MICRO SIGN}s 1 trial 1.06x" in text


def test_each_state_has_its_figure() -> None:
    found = answer(planted("locked-signalling"))
    pinned, other = found.rows
    near, far = (RowState(ns, (ns, ns), 0.5) for ns in (27.0, 128.0))
    rows = (replace(pinned, state=near), replace(pinned, trials=pinned.trials[:4], state=far), other)
    text = flat(shown("locked-signalling", replace(found, rows=rows)))
    assert "published core to core here" in text
    assert text.index(" 27.0 ns 4.05") < text.index(" 128 ns 4.05")


def test_a_loop_that_is_not_the_listings_is_named_once_below_its_table_and_on_the_page() -> None:
    found = answer(planted("inter-thread-latency"))
    said = "seqcst-one-line is another loop than its listing, in which ping reads its own counter"
    assert flat(shown("inter-thread-latency", found)).count(said) == 1
    (section,) = STUDY.sections(found)
    assert sum(said in str(one) for one in section.blocks) == 1
    assert "its listing" not in shown("lock-contention", answer(planted("lock-contention")))


def test_what_is_not_compared_is_counted_for_each_reason() -> None:
    text = flat(shown("network-hop", answer({})))
    assert "2 figures not compared: a hop between hosts, quoted for scale" in text
    assert "ratio" not in text
    text = flat(shown("notify-cost", answer({})))
    windows = "16 figures not compared: measured on Windows; this is Linux"
    assert f"{windows} (Java, Object.notify, 16 pairs; Java, Object.notify, 256 pairs)" in text


def test_figures_that_one_warning_disturbed_are_counted_once_with_one_as_an_example() -> None:
    one, *_ = planted("locked-signalling")
    found = answer({one: [4_046.0] * 6})
    (row,) = found.rows
    states = ((RowState(27.0, (27.0, 27.0), 0.5), 0.4), (RowState(128.0, (128.0, 128.0), 0.5), 0.5))
    loads = [
        replace(row, state=state, findings=(*row.findings, Finding("other-load", "warning", {"share": share})))
        for state, share in states
    ]
    text = flat(shown("locked-signalling", replace(found, rows=tuple(loads))))
    assert "! 4 figures not compared, for example: other programs used 40% of the CPU time" in text
    assert "50%" not in text


def test_a_run_of_named_articles_leads_with_their_claims_though_nothing_can_be_said() -> None:
    asked = answer({})
    named = replace(asked, run=replace(asked.run, study=Repeated(("locked-signalling",))))
    every = replace(asked, run=replace(asked.run, study=Repeated()))
    assert [*STUDY.lead(named)], "whoever asks is told"
    assert not [*STUDY.lead(every)]


def test_a_disturbed_figure_has_a_mark_for_its_ratio_in_the_table_and_the_chart() -> None:
    one, *_ = planted("locked-signalling")
    found = answer({one: [4_046.0] * 6})
    (row,) = found.rows
    loaded = (*row.findings, Finding("other-load", "warning", {"share": 0.4}))
    disturbed = replace(found, rows=(replace(row, findings=loaded),))
    text = flat(shown("locked-signalling", disturbed))
    assert "2.02 \N{MICRO SIGN}s 4.05 \N{MICRO SIGN}s \N{PLUS-MINUS SIGN}0% !" in text
    assert "! 2 figures not compared: other programs used 40% of the CPU time next to it (other-load)" in text
    assert "2.00x" not in text
    assert "2.00x" in flat(shown("locked-signalling", found))
    (chart,) = STUDY.charts(disturbed, STUDY.read(disturbed, STUDY.ask(experiments=["locked-signalling"])))
    assert {one["written"] for one in chart.panels[0]["data"]["values"] if "written" in one} == {"!"}
    shown_on_page = as_html(*(block for section in STUDY.sections(disturbed) for block in section.blocks))
    assert "not compared: other programs used 40%" in shown_on_page


def test_each_article_is_named_once_with_its_address_and_a_page_links_to_it() -> None:
    found, url = answer({}), "https://mechanical-sympathy.blogspot.com/2011/08/inter-thread-latency.html"
    asked = STUDY.ask(experiments=["inter-thread-latency", "disruptor"])
    blocks = [*STUDY.blocks(found, STUDY.read(found, asked))]
    line = f"Inter Thread Latency (mechanical-sympathy, 2011-08-09): {url}"
    assert printed(Blocks.of(*blocks), 160).count(line) == 1
    assert f'<a href="{url}" rel="noreferrer">{url}</a>' in as_html(*blocks)
    assert url in as_markdown(blocks)


def test_a_claim_is_a_sentence_with_a_mark_and_why() -> None:
    sides = [side for one in articles().claims[0].holds for side in (one.ours, one.theirs)]
    for figures, mark in (
        ((60.0, 90.0), "\N{CHECK MARK} holds here"),
        ((90.0, 60.0), "\N{MULTIPLICATION SIGN} not here"),
    ):
        text = flat(shown("inter-thread-latency", answer(dict(zip(sides, figures, strict=True)))))
        assert f"What was concluded {mark}: An ordered store (lazySet) costs a hand-over nothing on x86" in text
    assert "? cannot tell: An ordered store" in flat(shown("inter-thread-latency", answer({})))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.00123, "0.0012x"), (0.0994, "0.099x"), (0.1, "0.10x"), (1.0, "1.00x"), (1234.0, "1,234.00x")],
)
def test_ratios_have_as_many_digits_as_say_something(ratio: float, text: str) -> None:
    assert times(Estimate(ratio)) == text


def test_a_chart_has_a_line_for_each_published_figure_and_ours_of_each_state() -> None:
    one, *_ = planted("locked-signalling")
    found = answer({one: [4_000.0, 4_100.0, 4_200.0]})
    result = STUDY.read(found, STUDY.ask(experiments=["locked-signalling"]))
    (chart,) = STUDY.charts(found, result)
    theirs, ours = chart.panels[0]["data"]["values"][:2]
    assert [theirs[name] for name in ("who", "value", "low", "high", "written")] == [
        "published",
        *[2023.0] * 3,
        "2.03x",
    ]
    assert [ours[name] for name in ("who", "value", "low", "high")] == ["here", pytest.approx(4098, abs=5), 4000, 4200]
    labels = [line["label"] for line in chart.panels[0]["data"]["values"] if "label" in line]
    assert labels == ["Intel Nehalem 2.8 GHz", "Intel Sandy Bridge 2.0 GHz"], "what differs"
    assert chart.said[0].startswith("All are 2011, Java, Oracle JDK 1.6.0, taskset")
    with pytest.raises(ChartRefused, match="repeats a published one"):
        STUDY.charts(found, STUDY.read(found, STUDY.ask(experiments=["network-hop"])))
