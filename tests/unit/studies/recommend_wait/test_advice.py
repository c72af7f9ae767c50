"""The exact words of a recommendation, and its configuration."""

import csv
import io
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import ANSWER, DECLARED, RUN
from tests.unit.output.printing import flat, printed
from tests.unit.studies.recommend_wait.examples import TEN_US, late_sender, timed, trial, trials, way
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.conduct import pages, presenting, study
from threadping.model.cases import Busy, Skipped
from threadping.model.errors import ChartRefused
from threadping.model.run import Observation, Requirement
from threadping.output.layout import Blocks
from threadping.planning.plan import too_much
from threadping.studies.recommend_wait.judging import NOT_ASKED, Advice, advise
from threadping.studies.recommend_wait.output import configure, say_advice, ways_chart
from threadping.studies.recommend_wait.study import STUDY

SPIN, WAKES, PARK = way("release-one-line"), way("futex"), way("park", "java-17")


def advice(*seen: Observation, required: Requirement = TEN_US) -> Advice:
    cases = tuple(dict.fromkeys(one.case for one in seen))
    return advise(replace(RUN, cases=cases, study=required), seen)


def screen(answer: Answer, found: Advice) -> str:
    return printed(Blocks.of(*STUDY.blocks(answer, found)), 120)


QUICK, SLOW = trials(46, SPIN, 400, 100.0), trials(7, WAKES, 40_000, 3.0)
MIDDLE = trials(46, PARK, 8_000, 7.0)
LATER = [*trials(90, PARK, 8_000, 7.0), *trials(4, PARK, 12_000, 7.0)]


NONE_LATE = (
    " None of 92,000 messages in 46 trials was late, by a 99% bound over trials at most 0.95% are. "
    "These 46 trials cannot rule out what happens in fewer than one trial in 10."
)


def test_an_advice_in_a_few_sentences() -> None:
    rows: list[tuple[Advice, str]] = [
        (
            advice(*QUICK, *SLOW, *MIDDLE),
            "For a p99 of 10.0 µs at 1k/s: park in Java 17, p99 8.00 µs (8.00-8.00), 7% of a core. Cheaper ones "
            f"miss it: the best is futex in C++, p99 40.0 µs (40.0-40.0), 3% of a core.{NONE_LATE}",
        ),
        (
            advice(*LATER),
            " Nothing here is cheaper. 0.09% of 188,000 messages in 94 trials were late, by a 99% bound over trials at "
            "most 0.57% are. These 94 trials cannot rule out what happens in fewer than one trial in 20.",
        ),
        (
            advice(*(replace(one, case=replace(one.case, busy=Busy(2))) for one in (*QUICK, *SLOW[:1]))),
            "For a p99 of 10.0 µs at 1k/s with 2 busy threads: release-one-line in C++, p99 400 ns (400-400), 100% of "
            "a core. Cheaper ones may meet it too: the best is futex in C++, p99 40.0 µs (1 trial), 3% of a core."
            f"{NONE_LATE}",
        ),
        (
            advice(*MIDDLE[:4]),
            " Nothing here is cheaper. That is not sure: none of 8,000 messages in 4 trials was late, by a 99% bound "
            "over trials up to 6.8% are.",
        ),
        (
            advice(*MIDDLE, *trials(3, way("condition"), 9_000, 7.0), *trials(3, way("monitor", "java-17"), 8e3, 7.0)),
            " of a core. In these trials monitor in Java 17 does not differ from it. Nothing here is cheaper."
            f"{NONE_LATE}",
        ),
        (
            advice(*QUICK, *SLOW, *MIDDLE, required=Requirement(1000, 300.0, 50.0)),
            "Nothing here meets a p99 of 300 ns at 1k/s with 50% of a core: 3 wait strategies miss it. The fastest "
            "here is release-one-line in C++: p99 400 ns (400-400), 100% of a core.",
        ),
        (
            advice(*QUICK, *trials(8, WAKES, 450, 60.0), required=Requirement(1000, 500.0, 50.0)),
            ": 2 wait strategies miss it. The fastest here is release-one-line in C++: p99 400 ns (400-400), 100% of a "
            "core. The cheapest that is fast enough is futex in C++: p99 450 ns (450-450), 60% of a core.",
        ),
        (
            advice(*(trial(SPIN, held=0.6) for _ in range(3))),
            "Nothing here meets a p99 of 10.0 µs at 1k/s: 1 wait strategy misses it. Nothing sustains the rate. Ask "
            "for fewer messages per second.",
        ),
        (
            advice(*QUICK, required=Requirement(1000, 19.0)),
            "Cannot tell: no clock here can measure a p99 of 19.0 ns at 1k/s. A clock read costs 20.0 ns.",
        ),
    ]
    for given, sentence in rows:
        assert say_advice(given).replace("\N{EN DASH}", "-").endswith(sentence)


def test_a_bad_trial_of_another_wait_strategy_may_happen_to_the_one_that_is_named() -> None:
    """46 trials without a late message exclude one trial in ten that is 10% late; of 60% they do not."""
    stalled = {1_000: 800, 1_000_000: 1_200}
    bad = timed(trial(way("condition")), stalled, stalled, {30: 2_000})
    found = advice(*MIDDLE, *trials(2, way("condition"), 9_000, 8.0), bad)
    assert (found.outcome, found.chosen and found.chosen.case) == ("likely", PARK)
    assert say_advice(found).endswith(
        "That is not sure: none of 92,000 messages in 46 trials was late, by a 99% bound over trials up to 5.7% are. "
        "A trial of condition in C++ had 1,200 late messages; that can happen to any of them."
    )
    hurt = {1_000: 1_810, 1_000_000: 190}  # 9.5%: less than is expected of any trial that nobody has seen
    little = timed(trial(way("condition")), hurt, hurt, {30: 2_000})
    unsure = advice(*MIDDLE[:4], *trials(2, way("condition"), 9_000, 8.0), little)
    assert say_advice(unsure).endswith("by a 99% bound over trials up to 6.8% are.")
    missing = [timed(one, stalled, stalled, {30: 2_000}) for one in trials(3, way("condition"), 9_000, 8.0)]
    assert advice(*MIDDLE, *missing).outcome == "sure"  # what misses by itself says nothing of the others


BUSY = replace(trial(SPIN, 1e6), others=0.8)
"""Next to other programs, where what it took tells nothing."""


def test_a_busy_machine_has_its_answer_as_csv_and_on_a_page() -> None:
    answer = analyse(replace(RUN, cases=(SPIN,), study=TEN_US), [BUSY] * 3, (), DECLARED)
    (line,) = csv.DictReader(io.StringIO(study.written(STUDY, answer, STUDY.read(answer, None), "csv")))
    assert float(line["others"]) == pytest.approx(0.8)
    assert pages.article_of(answer).sections


def test_what_is_known_what_is_not_and_the_exit_code() -> None:
    rows: list[tuple[list[Observation], str, str]] = [
        ([*[BUSY] * 20, *SLOW], "busy", "Cannot tell: other programs used 59% of the CPU time. Repeat when they have"),
        ([*trials(46, PARK), *[BUSY] * 40], "sure", " 40 trials did not count: other programs ran."),
        ([*trials(46, PARK), *[replace(BUSY, others=0.3)] * 47], "busy", " used 15% of the CPU time."),
        ([*trials(55, PARK), *[replace(BUSY, others=0.95)] * 45], "busy", " used 43% of the CPU time."),
        (
            [*(late_sender(PARK, 0.015) for _ in range(3)), *trials(5, WAKES, 10_001)],
            "undecided",
            "Cannot tell whether anything meets a p99 of 10.0 µs at 1k/s: 2 of 2 wait strategies may, none "
            "significantly. With 1 of them the sender alone was late more often than allowed. The fastest here is ",
        ),
        (SLOW, "none", "1 wait strategy misses it."),
        ([late_sender(SPIN)] * 8, "late-sender", "Cannot tell: this machine could not keep the schedule."),
        # one or two trials cannot show the fastest one
        (trials(1, WAKES, 15_000), "undecided", "1 of 1 wait strategy may, none significantly."),
        ([trial(PARK)] * 2, "likely", "park in Java 17, p99 5.00 µs (2 trials), 5% of a core."),
        (trials(46, PARK), "sure", "None of 92,000 messages in 46 trials was late"),
        ([*trials(70, PARK), late_sender(PARK, 0.001)], "sure", "1 of 141,000 messages in 71 trials was late"),
        ([*trials(70, PARK), late_sender(PARK, 0.009)], "sure", "9 of 141,000 messages in 71 trials were late"),
        ([*trials(70, PARK), late_sender(PARK, 0.05)], "sure", "0.04% of 141,000 messages in 71 trials were"),
    ]
    for seen, outcome, said in rows:
        found = advice(*seen)
        assert found.outcome == outcome
        assert said in say_advice(found).replace("\N{EN DASH}", "-")
        assert (found.chosen is not None) == (outcome in ("sure", "likely"))
        assert outcome != "busy" or not any(one.misses for one in found.ways)
        codes = [STUDY.exit_code(found, presenting.Output(strict=one)) for one in (False, True)]
        assert codes == {"sure": [0, 0], "none": [3, 3]}.get(outcome, [0, 4]), "only a sure no ends with 3"


def test_a_share_that_is_scaled_to_all_rounds_makes_no_late_one() -> None:
    """83 of 117 rounds were timed, none of them late: the scaled number is zero, no fraction of one."""
    case = replace(PARK, experiment="barrier", params={"pause": 16_667, "pacing": "period"}, timed="call")
    times = make_distribution([40_000, 121_000], [82, 1])
    figures = {"sustained_per_s": 58.3, "offered_per_s": 60.0, "counters.measured_ns": 1.003e9}
    one = replace(trial(case), figures={**trial(case).figures, **figures}, distributions={"done_ns": times})
    said = say_advice(advice(one, one, required=Requirement(60, 1e6, workers=8)))
    assert said.endswith("none of 117 rounds in 2 trials was late, by a 99% bound over trials up to 9.0% are.")


def test_of_one_or_two_trials_nobody_says_that_they_do_not_differ() -> None:
    found = [advice(*trials(number, PARK), *trials(number, WAKES)) for number in (2, 3)]
    assert [len(one.alike) for one in found] == [0, 1]


AGAIN = "recommend wait --rate 1k --latency p99=10us"


def test_what_the_budget_left_out_may_meet_it() -> None:
    run = replace(RUN, cases=(WAKES,), study=TEN_US)
    assert advise(run, SLOW).outcome == "none"
    assert advise(replace(run, skipped=(too_much("2 wait strategies", 2, 39.1),)), SLOW).outcome == "undecided"
    assert advise(replace(run, cases=(WAKES, PARK)), SLOW).outcome == "undecided"  # it was interrupted before it


def test_what_is_open_has_a_command_that_would_decide_it() -> None:
    rows: list[tuple[list[Observation], str]] = [
        ([BUSY] * 3, f"{AGAIN} --budget 60s repeat when they have ended"),
        ([late_sender(SPIN)] * 8, "doctor what takes the CPUs away"),
        (MIDDLE[:4], f"{AGAIN} --budget 120s to be sure"),
        (trials(3, WAKES, 10_001), f"{AGAIN} --budget 120s to be sure"),
        ([*QUICK, *MIDDLE[:4]], f"{AGAIN} --budget 120s whether a cheaper one meets it"),
    ]
    for seen, command in rows:
        of = replace(ANSWER, run=replace(RUN, arguments=(*AGAIN.split(), "--budget", "60s"), budget_s=60.0, skipped=()))
        assert f"Next: threadping {command}" in flat(screen(of, advice(*seen)))


def test_the_table_says_how_few_trials_there_are_and_whose_lateness_it_is() -> None:
    seen = [*trials(1, PARK), *trials(5, WAKES, 9_000), *(late_sender(SPIN, 0.3) for _ in range(8))]
    text = flat(screen(ANSWER, advice(*seen))).replace("\N{EN DASH}", "-")
    assert "park java-17 5.00 µs 1 trial 5.0% 1 open" in text
    assert "futex cpp 9.00 µs range 9.00-9.00 5.0% 5 open" in text
    assert "release-one-line cpp 2.00 ms 2.00-2.00 5.0% 8 open; sender late: p99 2.00 ms" in text


def test_a_jvm_that_is_here_and_was_not_asked_is_named() -> None:
    run = replace(RUN, cases=(PARK,), study=TEN_US, skipped=(Skipped("java-25", NOT_ASKED), Skipped("smt", "no")))
    said = say_advice(advise(run, trials(4, PARK)))
    assert said.endswith(" Java 25 was not measured; --runtime java-25 measures it.")


def test_the_parameter_among_whose_values_is_chosen_is_named_though_it_is_the_default() -> None:
    default = replace(way("disruptor", "java-17"), params={"rate": 1000, "wait": "busy-spin", "size": 64})
    found = advice(*trials(46, default))
    assert say_advice(found).startswith("For a p99 of 10.0 µs at 1k/s: disruptor wait=busy-spin in Java 17, p99 5.00")
    assert "disruptor wait=busy-spin" in screen(ANSWER, found)


def test_why_there_is_nothing_to_configure() -> None:
    rows: list[tuple[list[Observation], str]] = [
        ([*trials(3, SPIN, held=0.6)], "nothing meets it"),
        ([*trials(1, SPIN, held=0.98)], "undecided"),
    ]
    for seen, why in rows:
        found = advice(*seen, required=replace(TEN_US, system="openmp"))
        assert f"Nothing to configure: {why}." in flat(screen(ANSWER, found))


def spinning(spins: int, cpu: float, cpu_ns: float, slept: float = 1.0, p99: float = 5_000) -> list[Observation]:
    case = way("spin-then-park", spins=spins)
    return [trial(case, p99, cpu, cpu_ns_per_op=cpu_ns, switches_per_op=slept) for _ in range(8)]


SPINS = (
    *spinning(0, 1.0, 2_000, p99=90_000),
    *spinning(100, 2.0, 4_000, p99=80_000),
    *spinning(1000, 3.0, 42_000),  # 20 ns are left of each further spin
    *spinning(10_000, 100.0, 100_000, slept=0.0),  # a message comes before it sleeps: that tells nothing
)


def test_a_number_of_spins_becomes_the_time_that_they_took_here_and_a_wait_the_strategy_of_that_name() -> None:
    rows: list[tuple[str, Sequence[Observation], str | None]] = [
        ("openmp", SPINS, "GOMP_SPINCOUNT=1000  # GCC\nKMP_BLOCKTIME=1  # LLVM, Intel: milliseconds"),
        ("folly", SPINS, "folly::WaitOptions().spin_max(std::chrono::nanoseconds(40000))"),
        ("vllm", SPINS, "VLLM_SHM_BROADCAST_BUSY_LOOP_S=4e-05"),
        ("folly", spinning(1000, 3.0, 42_000), None),  # the time was not measured
        ("folly", SLOW, None),
        ("openmp", trials(8, way("openmp-parallel", "cpp", policy="passive")), "OMP_WAIT_POLICY=passive"),
        ("disruptor", trials(8, way("disruptor", "java-17", wait="yielding")), "new YieldingWaitStrategy()"),
        ("agrona", trials(8, way("agrona-one-to-one", "java-17", wait="sleeping")), "new SleepingIdleStrategy()"),
    ]
    for system, seen, line in rows:
        assert configure(advice(*seen, required=replace(TEN_US, system=system))) == line


def test_the_screen_says_that_other_programs_ran_and_which_budget_fits_the_other_strategies() -> None:
    """The whole question again: its own options stay, and the budget is another."""
    arguments = (*AGAIN.split(), "--budget=5s", "--budget", "10s", "--runtime", "java -Xint")
    left = too_much("22 wait strategies", 22, 39.1)
    loaded = replace(ANSWER.rows[0], findings=(Finding("other-load", "warning", {}),))
    of = replace(ANSWER, run=replace(RUN, arguments=arguments, skipped=(left,)), rows=(loaded, ANSWER.rows[1]))
    text = flat(screen(of, advice(*SLOW)))
    assert "! other programs ran next to 1 of 2 ways: threadping explain other-load 7" in text
    assert f"Next: threadping {AGAIN} --runtime 'java -Xint' --budget 44s 22 wait strategies" in text
    assert "other programs" not in screen(replace(of, rows=()), advice(*SLOW))


def test_every_way_with_a_latency_and_a_cpu_is_drawn_and_the_limits_are_lines() -> None:
    drawn = ways_chart(advice(*QUICK, *SLOW, *MIDDLE, required=replace(TEN_US, cpu_percent=20.0)))
    (panel,) = drawn.panels
    points = {one["about"]["strategy"]: (one["verdict"], one["x"], one["y"]) for one in panel["data"]["values"]}
    spins, sleeps = ("misses", 100.0, 400.0), ("misses", 3.0, 40_000.0)
    advised = {"park in Java 17": ("advised", 7.0, 8_000.0)}
    assert points == {"release-one-line in C++": spins, "futex in C++": sleeps} | advised
    rules = [one for one in panel["layer"] if one["mark"]["type"] == "rule" and "data" in one]
    assert [one["data"]["values"][0]["at"] for one in rules] == [10_000.0, 20.0]
    with pytest.raises(ChartRefused, match="no wait strategy has both"):
        ways_chart(advice(*(replace(one, figures={}, distributions={}) for one in SLOW)))


def test_options_are_a_requirement_on_messages_or_with_threads_on_rounds() -> None:
    given = dict.fromkeys(("rate", "burst", "threads", "jobs", "cpu_share", "system"))
    given |= {"arrivals": "constant", "latency_ns": 5e4}
    of_each = {"rate": 20_000, "cpu_share": 0.2}, {"rate": 20_000, "arrivals": "bursts"}, {"threads": 8, "jobs": 3}
    messages, bursts, rounds = (STUDY.ask(**given | options) for options in of_each)
    assert messages.stored == Requirement(20_000, 5e4, cpu_percent=20.0)
    assert bursts.stored == Requirement(20_000, 5e4, arrivals="bursts", burst=10)
    assert bursts.stored.text == "a p99 of 50.0 µs at 20k/s (bursts of 10)"
    assert bursts.stored.schedule == {"rate": "20000", "arrivals": "bursts", "burst": "10"}
    assert rounds.stored == Requirement(1_000, 5e4, arrivals="period", workers=7, jobs=3)
    assert rounds.selection.threads == (8,)
