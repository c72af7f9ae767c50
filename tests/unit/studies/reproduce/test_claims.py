"""Claims of articles, judged and shown."""

from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, MACHINE, RUN
from tests.unit.output.printing import flat, printed
from tests.unit.studies.reproduce.examples import STEADY, Planted, answer, case_of
from tests.unit.test_dimensions import OTHERS
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Row, RowState
from threadping.analysis.percentiles import estimate
from threadping.model.cases import Skipped
from threadping.model.errors import ChartRefused
from threadping.model.run import Failure, ReferencePing, Repeated
from threadping.output.layout import Blocks
from threadping.output.page.page import as_html
from threadping.output.printing import as_markdown
from threadping.studies.reproduce import stated
from threadping.studies.reproduce.study import ARTICLES as STUDY
from threadping.studies.reproduce.study import times
from threadping.studies.reproduce.wanted import OurFigure, WantedCase, find_case

LAZY_SET, BATCHING, PINNING, AFTER_RELEASE, BIASED, TAIL = stated.articles().claims
CASES = stated.articles().cases
NOTHING = answer({})
WIDE = (1.0, 0.4, 2.5, 0.5, 1.6, 1.2)
"""Trials that do not agree."""


def published(experiment: str, **words: object) -> stated.Published:
    of_it = (one for one in stated.articles().figures if one.experiment == experiment)
    return next(one for one in of_it if all(getattr(one, name) == word for name, word in words.items()))


def repeating(one: stated.Published) -> WantedCase:
    assert one.case
    return one.case


JAVA = published("inter-thread-latency", runtime="Java, JDK 1.7.0")
LOCKED = published("lock-contention", threads=8)
CALLED = published("notify-cost", os="Linux", threads=32, metric="wakeup call p99.9")
FOREIGN = published("notify-cost", os="Windows")


def compared(one: stated.Published, found: Answer) -> list[stated.RepeatedFigure]:
    of_it = stated.repeat_figures([one], found)
    assert all(each.published == one and bool(each.ours) != bool(each.reason) for each in of_it)
    return of_it


def ours_of(one: stated.Published, found: Answer) -> list[OurFigure]:
    return [each.ours for each in compared(one, found) if each.ours]


def reason(one: stated.Published, found: Answer) -> str:
    (only,) = compared(one, found)
    return only.reason or ""


def test_every_figure_has_ours_or_a_reason_in_any_run() -> None:
    planted = {one.case: 100.0 for one in stated.articles().figures if one.case}
    for run in (NOTHING, answer(planted)):
        entries = stated.repeat_figures(stated.articles().figures, run)
        assert len(entries) == 117
        assert all(bool(one.ours) != bool(one.reason) for one in entries)


def test_ours_is_the_row_s_own_figure_with_its_interval_and_the_ratio() -> None:
    (entry,) = compared(JAVA, found := answer({repeating(JAVA): 60.0}))
    assert (ours := entry.ours)
    assert ours.row == found.rows[0]
    assert (ours.value.kind, *ours.value.ends) == ("ci95", *estimate([60 * by for by in STEADY], "harmonic").ends)
    times = entry.ratio
    assert times and (times.value, times.kind) == (ours.value.value / 50, ours.value.kind)
    assert times.ends == tuple(end / 50 for end in ours.value.ends)
    for one, planted, value in ((LOCKED, 7e6, 7e6 * 1.0025), (CALLED, 3_000.0, 3_010.0)):
        (ours,) = ours_of(one, answer({repeating(one): planted}))
        assert ours.value.value == pytest.approx(value, rel=0.02)
        assert ours.value.kind == "ci95" or ours.row.declared.mixes(ours.row.case)


def test_over_as_many_lines_as_published_or_else_over_others() -> None:
    whole = replace(repeating(JAVA), lines=None)
    assert [ours.row.case.lines for ours in ours_of(JAVA, answer({whole: 62.0}))] == [256]
    both = answer({whole: 62.0, repeating(JAVA): 60.0})
    assert [ours.row.case.lines for ours in ours_of(JAVA, both)] == [1]


def test_why_a_run_has_no_figure_of_it() -> None:
    assert reason(JAVA, NOTHING) == "run 7 has no such case; `threadping reproduce articles` measures it"
    failed = answer({repeating(JAVA): Failure("crashed", "It crashed.")})
    assert "It crashed." in reason(JAVA, failed)
    few = published("disruptor", metric="one-way latency p99")
    alone = answer({repeating(few): 100.0})
    timed = {"latency_ns": make_distribution((5,), (9,))}
    rare = [replace(one, distributions=timed) for one in alone.observations]
    assert "too few samples" in reason(few, analyse(alone.run, rare, (), DECLARED))
    tight = Skipped(f"3 cases of {stated.OF_ARTICLES.layer}", "--budget 5m")
    absent = Skipped(repeating(JAVA).title, "no JVM was found")
    skipping = replace(NOTHING, run=replace(NOTHING.run, skipped=(tight, absent)))
    reasons = [reason(one, skipping) for one in (JAVA, LOCKED, FOREIGN)]
    assert reasons == ["no JVM was found", "--budget 5m", "measured on Windows; this is Linux"]


def test_a_runtime_is_known_by_the_flags_that_matter() -> None:
    rows: list[tuple[str, set[str]]] = [
        ("java-11", {"reentrant"}),
        ("java-14-fake", {"reentrant"}),
        ("java-25-fake -XX:+UseParallelGC", {"reentrant", "unbiased"}),
        ("java-17 -XX:-UseBiasedLocking", {"unbiased"}),
        ("java-17 -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0", {"biased"}),
        ("java-17 -Xint -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000", {"late"}),
        ("java-17 -XX:+UseBiasedLocking", set()),
        ("jython-17", set()),
    ]
    for label, names in rows:
        cases = {"unbiased": CASES["unbiased"], "biased": CASES["biased"], "late": CASES["biased-late"]}
        cases["reentrant"] = replace(cases["biased"], flags=())
        run = replace(RUN, cases=(replace(case_of(cases["biased"]), runtime=label),))
        assert {name for name, wanted in cases.items() if find_case(wanted, run)} == names


def test_a_case_of_anything_else_repeats_nothing() -> None:
    wanted, case = repeating(JAVA), case_of(repeating(JAVA))
    assert find_case(wanted, replace(RUN, cases=(case,))) == case
    others: list[dict[str, Any]] = [{name: getattr(OTHERS[name], name)} for name in ("warmup", "home", "busy")]
    others += [{"placement": replace(case.placement, pin="thread")}, {"placement": replace(case.placement, name="smt")}]
    others += [{"mechanism": "cas-one-line"}, {"params": {"wait": "pause"}, "varied": ("wait",)}]
    for changes in others:
        assert find_case(wanted, replace(RUN, cases=(replace(case, **changes),))) is None, changes
    implicit = replace(case_of(CASES["unbiased"]), runtime="java-17")
    explicit = replace(implicit, runtime="java-17 -XX:-UseBiasedLocking")
    assert find_case(CASES["unbiased"], replace(RUN, cases=(implicit, explicit))) == explicit


def judged(claim: stated.Claim, *figures: Planted, **changes: Any) -> stated.JudgedClaim:
    """Return the verdict on a claim with these figures, in the order of its needs."""
    planted = dict(zip(dict.fromkeys(claim.needs), figures, strict=False))
    return stated.judge_claim(claim, answer(planted, **changes))


def wide(figure: float) -> Planted:
    return [figure * by for by in WIDE]


def test_a_claim_is_judged_by_its_rule() -> None:
    rows: list[tuple[stated.Claim, tuple[Planted, ...], str]] = [
        (LAZY_SET, (60, 90), "holds here"),
        (LAZY_SET, (91, 90), "holds here"),
        (LAZY_SET, (120, 90), "not here"),
        (LAZY_SET, (99, 90), "cannot tell"),
        (LAZY_SET, (wide(90), 90), "cannot tell"),
        (PINNING, (9_000, 2_000), "holds here"),
        (AFTER_RELEASE, (3_000, 2_000), "holds here"),
        # one thread biased, not biased, biased late; two threads biased, not biased
        (BIASED, (5e9, 2e8, 2e8, 5e7, 5e7), "holds here"),
        (BIASED, (5e9, 2e8, wide(5e9), 9e7, 5e7), "not here"),
        (BIASED, (5e9, 2e8, 2e8, wide(5e7), 5e7), "cannot tell"),
        (TAIL, (15_000, 3_000), "holds here"),
        # as many in flight as fit, one, batches of ten
        (BATCHING, (3e7, 8e6, 2e8), "holds here"),
    ]
    for claim, figures, verdict in rows:
        one = judged(claim, *figures)
        assert one.verdict == verdict
        assert {ours.row.case for ours in one.figures} == {*map(case_of, claim.needs)}


def test_why_names_both_figures_their_ratio_and_its_interval() -> None:
    assert judged(LAZY_SET, 60, 90).why == (
        "release-one-line java-17 same-l3 (60.1 ns) is 0.67 times (0.65 to 0.68) seqcst-one-line java-17 same-l3 "
        "(90.2 ns), which is not more than 1.1"
    )
    assert "which may be more than 1.1" in judged(LAZY_SET, wide(90), 90).why
    five = judged(LAZY_SET, [60.0] * 5, 90)
    assert (five.verdict, "too few trials for an interval" in five.why) == ("cannot tell", True)


def test_what_a_machine_or_a_run_cannot_tell() -> None:
    two = replace(RUN, machine=replace(MACHINE, topology=replace(MACHINE.topology, allowed=(1, 2))))
    pinned = judged(PINNING, 9_000, 2_000, run=two)
    assert (pinned.verdict, pinned.why) == ("cannot tell", "it needs 3 CPUs or more: pinning to all 2 pins nothing")
    absent = judged(LAZY_SET, 60)
    assert absent.verdict == "cannot tell"
    assert absent.why.startswith("signal seqcst-one-line java two-cores: run 7 has no such case")
    assert "It crashed." in judged(LAZY_SET, Failure("crashed", "It crashed."), 90).why


def test_a_delay_that_ended_before_the_trials_tells_nothing() -> None:
    sides = dict.fromkeys(BIASED.needs)
    found = answer(dict(zip(sides, (5e9, 2e8, 2e8, 5e7, 5e7), strict=True)))
    longer = [replace(one.observation, wall_ns=5_000_000_000) for one in found.trials]
    one = stated.judge_claim(BIASED, analyse(found.run, longer, (), DECLARED))
    assert (one.verdict, one.why.endswith("give a shorter --budget")) == ("cannot tell", True)


def test_where_single_trials_do_not_carry_a_percentile_the_next_one_is_compared() -> None:
    sides = TAIL.needs
    found = answer(dict(zip(sides, (15_000, 3_000), strict=True)))
    assert {ours.figure for ours in stated.judge_claim(TAIL, found).figures} == {"latency_ns.p99.9"}
    few = []
    for one in found.observations:
        timed = make_distribution(one.distributions["latency_ns"].values, (1_960, 40))
        few.append(replace(one, distributions={"latency_ns": timed}))
    less = stated.judge_claim(TAIL, analyse(found.run, few, (), DECLARED))
    assert ({ours.figure for ours in less.figures}, less.verdict) == ({"latency_ns.p99"}, "holds here")


def test_only_figures_of_one_state_are_compared_and_each_state_has_its_own() -> None:
    """Two cases share CPUs 1 and 2: one has twelve trials in the low-latency state, the other has none."""
    ours, theirs = LAZY_SET.holds[0].ours, LAZY_SET.holds[0].theirs
    begun = datetime.fromisoformat(RUN.started).timestamp()

    def found(near: int, far: int, others: int) -> Answer:
        pings = [
            ReferencePing((1, 2), begun + at + late, at, 27.0 if at <= near else 128.0)
            for at in range(near + far + others + 1)
            for late in (0.0, 0.4)
        ]
        return answer({ours: [60.0] * near + [200.0] * far, theirs: [240.0] * others}, pings)

    one = stated.judge_claim(LAZY_SET, found(12, 7, 7))
    in_state = [(each.value.value, each.row.state and each.row.state.core_to_core_ns) for each in one.figures]
    assert (one.verdict, in_state) == ("holds here", [(200.0, 128.0), (240.0, 128.0)])
    apart = stated.judge_claim(LAZY_SET, found(12, 0, 7))
    assert (apart.verdict, "the same placement state" in apart.why) == ("cannot tell", True)
    figure = replace(JAVA, case=ours)
    states = [each.row.state for each in ours_of(figure, found(12, 7, 7))]
    assert [state and state.core_to_core_ns for state in states] == [27.0, 128.0]


@pytest.mark.parametrize(("others", "verdict"), [(None, "holds here"), (0.05, "holds here"), (0.5, "cannot tell")])
def test_a_run_that_another_program_disturbed_is_compared_with_nothing(others: float | None, verdict: str) -> None:
    found = answer({LAZY_SET.holds[0].ours: 60.0, LAZY_SET.holds[0].theirs: 90.0})
    trials = [replace(one.observation, others=others) for one in found.trials]
    run = analyse(found.run, trials, (), DECLARED)
    one = stated.judge_claim(LAZY_SET, run)
    figure = stated.repeat_figures([replace(JAVA, case=LAZY_SET.holds[0].ours)], run)[0]
    assert (one.verdict, "no undisturbed trials" in one.why) == (verdict, verdict == "cannot tell")
    assert figure.ours and (figure.ratio is None) == bool(figure.reason) == (verdict == "cannot tell")


def planted(experiment: str) -> dict[WantedCase, Planted]:
    """Twice the first figure that each case repeats."""
    found: dict[WantedCase, Planted] = {}
    for one in stated.articles().only([experiment]).figures:
        if one.case and not one.why:
            found.setdefault(one.case, 2 * one.value)
    return found


def shown(experiment: str, found: Answer, width: int = 160) -> str:
    asked = STUDY.ask(experiments=[experiment])
    return printed(Blocks.of(*STUDY.blocks(found, STUDY.read(found, asked))), width)


def test_the_published_figure_and_ours_are_next_to_the_repeating_case() -> None:
    lines = [flat(line) for line in shown("lock-contention", answer(planted("lock-contention")), 200).splitlines()]
    assert lines[lines.index("lock-contention") + 2] == "repeated by published on published here ± ratio 95% interval"
    nehalem, sandy_bridge = (line for line in lines if " Fedora 15 64-bit, 2011 " in line and " 20.5 M ±1% " in line)
    assert nehalem.startswith("reentrant-lock java-17 unpinned Intel Nehalem 2.8 GHz, Fedora 15 64-bit, 2011 10.2 M ")
    assert nehalem.endswith(" 2.00x 1.97\N{EN DASH}2.03") and sandy_bridge.endswith(" 3.39x 3.34\N{EN DASH}3.44")
    text = flat(shown("disruptor", answer(planted("disruptor"))))
    assert "throughput, publisher batches too, Intel, not named, Linux, 2011 100 M 200 M" in text


def test_a_range_is_in_brackets_and_few_trials_are_counted() -> None:
    assert "Intel Nehalem 2.8 GHz, " in shown("locked-signalling", answer(planted("locked-signalling")), 80)
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
    hops, calls = (flat(shown(name, answer({}))) for name in ("network-hop", "notify-cost"))
    assert "2 figures not compared: a hop between hosts, quoted for scale" in hops and "ratio" not in hops
    windows = "16 figures not compared: measured on Windows; this is Linux"
    assert f"{windows} (Java, Object.notify, 16 pairs; Java, Object.notify, 256 pairs)" in calls


def test_a_run_of_named_articles_leads_with_their_claims_though_nothing_can_be_said() -> None:
    named, every = (answer({}, run=replace(RUN, study=Repeated(of))) for of in (("locked-signalling",), ()))
    assert [*STUDY.lead(named)], "a named question has an answer"
    assert not [*STUDY.lead(every)]


def test_a_disturbed_figure_has_a_mark_for_its_ratio_in_the_table_and_the_chart() -> None:
    one, *_ = planted("locked-signalling")
    found = answer({one: [4_046.0] * 6})
    (row,) = found.rows

    def loaded(share: float, ns: float) -> Row:
        findings = (*row.findings, Finding("other-load", "warning", {"share": share}))
        return replace(row, state=RowState(ns, (ns, ns), 0.5), findings=findings)

    two = flat(shown("locked-signalling", replace(found, rows=(loaded(0.4, 27.0), loaded(0.5, 128.0)))))
    assert "! 4 figures not compared, for example: other programs used 40% of the CPU time" in two
    assert "50%" not in two
    disturbed = replace(found, rows=(replace(loaded(0.4, 27.0), state=row.state),))
    text = flat(shown("locked-signalling", disturbed))
    assert "2.02 \N{MICRO SIGN}s 4.05 \N{MICRO SIGN}s \N{PLUS-MINUS SIGN}0% !" in text
    assert "! 2 figures not compared: other programs used 40% of the CPU time during its trials (other-load)" in text
    assert "2.00x" not in text
    assert "2.00x" in flat(shown("locked-signalling", found))
    (chart,) = STUDY.charts(disturbed, STUDY.read(disturbed, STUDY.ask(experiments=["locked-signalling"])))
    assert {one["written"] for one in chart.panels[0]["data"]["values"] if "written" in one} == {"!"}
    shown_on_page = as_html(block for section in STUDY.sections(disturbed) for block in section.blocks)
    assert "not compared: other programs used 40%" in shown_on_page


def test_each_article_is_named_once_with_its_address_and_a_page_links_to_it() -> None:
    found, url = answer({}), "https://mechanical-sympathy.blogspot.com/2011/08/inter-thread-latency.html"
    asked = STUDY.ask(experiments=["inter-thread-latency", "disruptor"])
    blocks = [*STUDY.blocks(found, STUDY.read(found, asked))]
    line = f"Inter Thread Latency (mechanical-sympathy, 2011-08-09): {url}"
    assert printed(Blocks.of(*blocks), 160).count(line) == 1
    assert f'<a href="{url}" rel="noreferrer">{url}</a>' in as_html(blocks)
    assert url in as_markdown(blocks)


def test_a_claim_is_a_sentence_with_a_mark_and_why() -> None:
    sides = [side for one in stated.articles().claims[0].holds for side in (one.ours, one.theirs)]
    for figures, mark in (((60.0, 90.0), "\N{CHECK MARK} holds"), ((90.0, 60.0), "\N{MULTIPLICATION SIGN} not")):
        text = flat(shown("inter-thread-latency", answer(dict(zip(sides, figures, strict=True)))))
        assert f"What was concluded {mark} here: An ordered store (lazySet) costs a handoff nothing on x86" in text
    assert "? cannot tell: An ordered store" in flat(shown("inter-thread-latency", answer({})))


def test_ratios_have_as_many_digits_as_say_something() -> None:
    for ratio, text in [
        (0.00123, "0.0012x"),
        (0.0994, "0.099x"),
        (0.1, "0.10x"),
        (1.0, "1.00x"),
        (1234.0, "1,234.00x"),
    ]:
        assert times(ratio) == text


def test_a_chart_has_a_line_for_each_published_figure_and_ours_of_each_state() -> None:
    one, *_ = planted("locked-signalling")
    found = answer({one: [4_000.0, 4_100.0, 4_200.0]})
    result = STUDY.read(found, STUDY.ask(experiments=["locked-signalling"]))
    (chart,) = STUDY.charts(found, result)
    theirs, ours = chart.panels[0]["data"]["values"][:2]
    published = [theirs[name] for name in ("who", "value", "low", "high", "written")]
    assert published == ["published", *[2023.0] * 3, "2.03x"]
    assert [ours[name] for name in ("who", "value", "low", "high")] == ["here", pytest.approx(4098, abs=5), 4000, 4200]
    labels = [line["label"] for line in chart.panels[0]["data"]["values"] if "label" in line]
    assert labels == ["Intel Nehalem 2.8 GHz", "Intel Sandy Bridge 2.0 GHz"], "what differs"
    assert chart.said[0].startswith("All are 2011, Java, Oracle JDK 1.6.0, taskset")
    with pytest.raises(ChartRefused, match="repeats a published one"):
        STUDY.charts(found, STUDY.read(found, STUDY.ask(experiments=["network-hop"])))
