"""The first screen: its leading figures, their conditions, and the notes next to them."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from msgspec.structs import replace

from tests.golden.fixture import ANYWHERE, CAS, FAR, HUNG, MACHINE, NEAR, failed, signals
from tests.golden.minute import ANSWER, BY_100, MINUTE, OBSERVATIONS, PINGS
from tests.recorded import ULTRA_155H
from tests.unit.output.printing import flat, printed
from tests.unit.studies.matrix.planted import LATENCIES, machine, planted
from threadping.analysis import analyse, checks, declaration, percentiles
from threadping.analysis.answer import Answer
from threadping.experiments import declared
from threadping.model.cases import Case, Placement, Skipped
from threadping.model.contract import Topology
from threadping.model.run import Failure, Observation, ReferencePing
from threadping.output.heading import cpus
from threadping.planning.plan import survey
from threadping.studies.survey import STUDY, screen

MOST = [one for one in OBSERVATIONS if one.round != 4 and one.case.experiment != "lock"]
NEAR_BY = [one for one in MOST if one.case.experiment != "queue"]
"""Observations in the CPUs' low-latency state alone, of the first questions."""


def answer(seen: Sequence[Observation], pings: Sequence[ReferencePing] = PINGS, **changes: object) -> Answer:
    run = replace(MINUTE, **{"cases": tuple(dict.fromkeys(one.case for one in seen)), **changes})
    return analyse.analyse(run, seen, pings, declared())


def without(left_out: Callable[[Case], bool]) -> Answer:
    """The minute without some cases, on CPUs that stayed where they were: pings count trials."""
    return answer([one for one in NEAR_BY if not left_out(one.case)], ())


@cache
def usual(width: int) -> str:
    return printed(screen(ANSWER), width)


def shown(of: Answer, width: int = 120) -> str:
    return usual(width) if of is ANSWER else printed(screen(of), width)


def line(of: Answer, ask: str, width: int = 120) -> str:
    return next((flat(one) for one in shown(of, width).splitlines() if ask in one), "")


def test_the_worst_default_run_fits_a_terminal_of_31_lines_and_80_columns() -> None:
    """Four pairs, the first in four states; few trials, failed ones, warnings of four codes, a CPU with a long name."""
    grid = [NEAR, FAR, 60.0, 500.0]
    moved = [replace(one, ns=grid[one.trials // 50 % 4]) for one in PINGS]
    others = [replace(one, cpus=(0, cpu)) for one in PINGS for cpu in (2, 3, 4)]
    seen = [one for one in OBSERVATIONS if one.case.mechanism not in ("mutex", "fetch-add") or one.round < 3]
    seen[-5:] = [replace(one, figures={}, failure=HUNG) for one in seen[-5:]]
    machine = replace(MACHINE, cpu_model="Intel(R) Xeon(R) Platinum 8488C", cpu_quota=0.5)
    of = answer(seen, [*moved, *others], machine=machine)
    facts: dict[str, str | float] = dict.fromkeys(("fold", "shown", "without", "by"), 2.5)
    facts |= dict.fromkeys(("way", "which", "cause", "how", "what"), "the JIT compiled")
    codes = [checks.Finding(code, "warning", facts) for code in ("regime", "tail", "wide", "disturbed")]
    marked = [replace(row, findings=(*row.findings, codes[at % 4])) for at, row in enumerate(of.rows)]
    text = shown(replace(of, rows=tuple(marked)), 80)
    assert re.search(r"0 ⇄ 1   26\.2 ns 35%, 60\.0 ns 22%, 2 more; 4 changes\n +0 ⇄ 2 ", text)
    assert "\nAnd 2 more pairs; results that depend on it: in each pair's longest state.\n" in text
    for word in ("2 trials", "\n! ", " · also: ", "Not measured", "Next:", "5 trials failed"):
        assert word in text
    assert len(text.splitlines()) <= 30, len(text.splitlines())


def surveyed(topology: Topology, pings: Sequence[ReferencePing] = PINGS) -> Answer:
    """The minute on a planted machine whose pairs were pinged before it."""
    pairs = survey(topology, 60.0)[0]
    before = [ReferencePing(pair, PINGS[0].at - 1, 0, LATENCIES[planted(topology, pair)]) for pair in pairs]
    return answer(OBSERVATIONS, [*before, *pings], machine=replace(MACHINE, topology=topology))


def test_the_groups_of_all_pairs_of_cpus_are_one_line() -> None:
    for number, expected in [
        (4, "4 CPUs, a ping for every two · same L3"),
        (64, "32 of 64 CPUs, a ping for every two · same core 9.00 ns · same L3 24.0 ns"),
    ]:
        near = [one for one in PINGS if one.ns == NEAR]
        of = surveyed(machine(number, 4, max(4, number // 2), siblings=number > 4), near)
        text = shown(of, 80)
        assert expected in text
        assert len(text.splitlines()) <= 30, len(text.splitlines())
        assert [state.cpus for state in of.states.found] == [(0, 1)]


def test_words_do_without_colour() -> None:
    text = shown(ANSWER, 80)
    coloured = printed(screen(ANSWER), 80, colour=True)
    assert "\x1b[" in coloured
    assert [one.rstrip() for one in re.sub(r"\x1b\[[\d;]*m", "", coloured).splitlines()] == text.splitlines()


def test_what_is_of_something_else_never_leads() -> None:
    merged = checks.Finding("coarsened", "note", {})
    mutexes = [row for row in ANSWER.rows if row.case.mechanism == "mutex"]
    rows = [replace(row, findings=(merged,)) if row in mutexes else row for row in ANSWER.rows]
    assert line(ANSWER, "  mutex").endswith(" 86.4 \u2192 21.2 M \u2013")
    assert line(replace(ANSWER, rows=tuple(rows)), "  mutex") == ""
    assert "144 M" not in shown(ANSWER)


def test_a_figure_that_another_program_disturbed_has_its_mark() -> None:
    loaded = checks.Finding("other-load", "warning", {"share": 0.4})
    rows = tuple(replace(row, findings=(loaded,)) for row in ANSWER.rows)
    marked = line(replace(ANSWER, rows=rows), "release-one-line")
    assert marked.endswith("25.8 ns \u00b12% ! ⇄79.0 ns ⇄105 ns 26.5 ns \u00b12% ! ⇄81.0 ns ⇄108 ns")


def test_only_the_longest_state_leads_and_its_share_is_above() -> None:
    assert re.search(r"CORE TO CORE   0 ⇄ 1   26\.2 ns 86%, 128 ns 14%; 2 changes\n", shown(ANSWER))
    swapped = {26.25: 127.5, 127.5: 26.25}
    other = answer(OBSERVATIONS, [replace(one, ns=swapped[one.ns or 0]) for one in PINGS])
    assert re.search("0 ⇄ 1   128 ns 86%, 26.2 ns 14%; 2 changes", shown(other))
    # the trials are the same, their state has another name
    assert line(other, "release-one-line") == line(ANSWER, "release-one-line")
    assert "113 ns" not in shown(ANSWER)
    assert "CORE TO CORE" not in shown(without(lambda _: False))


def test_pings_that_are_one_state_by_drift_alone_have_their_ratio() -> None:
    drifting = [replace(one, ns=26.0 * 1.1 ** abs(place % 8 - 4)) for place, one in enumerate(PINGS)]
    assert re.search(r"\(26\.0.38\.1 ns, spread by 1\.5x\), one state", shown(answer(OBSERVATIONS, drifting)))


def test_an_operation_with_one_mechanism_is_one_line_where_the_two_fit() -> None:
    of = without(lambda case: case.mechanism in ("release-one-line", "release-two-lines"))
    assert line(of, "spinning thread").startswith("signal a spinning thread (cas-one-line) 27.8 ns")
    assert "\nsignal a spinning thread\n  cas-one-line  " in shown(of, 90)


def test_of_unpinned_threads_or_one_cpu_alone_the_question_says_so_and_is_not_asked_twice() -> None:
    text = shown(without(lambda case: case.mechanism == "condition" and case.placement != ANYWHERE))
    assert text.count("34.8 \u00b5s") == 2  # in the answer, and at its question
    assert re.search(r"wake a blocked thread\n +condition, unpinned, mean ", text)
    together = Placement("same-cpu", (0, 0))
    seen = [replace(one, case=replace(one.case, placement=together)) for one in NEAR_BY if one.case.threads == 2]
    assert re.search(r"wake a blocked thread\n +condition, on one CPU  ", shown(answer(seen, ())))


def test_few_trials_are_called_so_and_need_no_mark() -> None:
    for trials, said in [(1, "1 trial"), (2, "2 trials"), (4, "(27.0\u201328.2)"), (6, "\u00b12%")]:
        rounds = (1, 2, 3, 5, 6, 7)[:trials]
        others = [one for one in NEAR_BY if not one.case.mechanism.startswith("release")]
        few = answer([one for one in others if one.case.mechanism != "cas-one-line" or one.round in rounds], ())
        both = rf"27\.\d ns {re.escape(said)} ⇄8\d\.0 ns(?: ⇄\S+ ns)? 27\.\d ns {re.escape(said)} "
        assert re.search(both, line(few, "thread (cas-one-line)", 160))
        assert "! wide" not in shown(few)


def test_what_failed_is_shown_at_its_question() -> None:
    broken = next(one.case for one in MOST if one.case.params == BY_100 and one.case.runtime == "java-17")
    seen = [one for one in MOST if one.case != broken]
    of = answer([*seen, *failed(broken, HUNG, 1, 2)], ())
    assert line(of, "sequenced-ring batch=100").startswith("sequenced-ring batch=100 526 M ±2% \u2013 \N{BALLOT X}")
    assert "\N{BALLOT X} trial-failed  sequenced-ring batch=100 java-17: 2 of 2 trials: hung\n" in shown(of)
    assert "2 trials failed" in shown(of)


def test_of_many_things_left_out_the_first_are_named_and_a_run_that_is_not_stored_is_called_so() -> None:
    many = replace(ANSWER, run=replace(MINUTE, id=0, skipped=tuple(Skipped(f"thing-{n}", "none") for n in range(9))))
    assert shown(many).endswith("\nNot measured: thing-0, thing-1, thing-2, 6 more\n")
    assert shown(many).splitlines()[1].startswith("a run that is not stored \u00b7 AMD EPYC")


def test_the_heading_names_what_is_unusual() -> None:
    known = replace(MACHINE, cpu_model=None, hypervisor=None, topology=replace(MACHINE.topology, allowed=(1,)))
    run = replace(MINUTE, machine=known, status="interrupted", note="Stopped by [hand].", ended=None)
    what, how, note = shown(replace(ANSWER, run=run)).splitlines()[1:4]
    assert what.startswith("run 1 · unknown CPU, 1 of 2 CPUs · Linux 6.1 · g++ 12.2.0 · OpenJDK 17.0.15")
    assert how.startswith("33 cases, 7 trials each · median, ") and how.endswith("interrupted")
    assert note == "Stopped by [hand]."


def test_the_heading_counts_the_cores_of_each_kind() -> None:
    hybrid = replace(MACHINE, cpu_model="Core Ultra 7 155H", hypervisor=None, topology=ULTRA_155H)
    assert cpus(hybrid) == "Core Ultra 7 155H, 22 CPUs, 6 P + 8 E + 2 LP-E"
    narrowed = replace(hybrid, hypervisor="KVM", topology=replace(ULTRA_155H, allowed=(0, 1)))
    assert cpus(narrowed) == "Core Ultra 7 155H, 2 of 22 CPUs, 6 P + 8 E + 2 LP-E (KVM)"


def test_of_one_experiment_the_answer_is_its_table() -> None:
    one = answer(signals(CAS, 50.0), ())
    text = shown(one)
    assert "Lower is better" not in text
    assert "signal: one-way latency (cpp, same-l3 0,1) # mechanism median 95% interval" in flat(text)
    assert "threadping show 1 --outliers" in text


def test_a_ratio_has_no_more_digits_than_its_figures_carry() -> None:
    asks = ("release-one-line", "wake a blocked thread (")
    one, other = (line(ANSWER, ask).split()[-1].removesuffix("x").replace(",", "") for ask in asks)
    assert one == "1" and float(other) > 100
    assert other.strip("0") == f"{float(other):.1e}".replace(".", "")[:2].strip("0")


def test_runtimes_that_do_not_fit_are_named() -> None:
    third = [
        replace(one, case=replace(one.case, runtime="java-25")) for one in OBSERVATIONS if one.case.runtime != "cpp"
    ]
    runtimes = (*MINUTE.runtimes, replace(MINUTE.runtimes[1], label="java-25"))
    of = answer([*OBSERVATIONS, *third], (), runtimes=runtimes)
    assert "cpp p99 java-17 p99 java-25 p99" in line(of, "java-25")
    assert "Not shown at this width: p99 of cpp, p99 of java-17, p99 of java-25.\n" in shown(of, 80)


def test_a_latency_without_p99_9_is_named_with_the_budget_that_gives_it() -> None:
    assert "p99.9 of" not in shown(ANSWER)
    rows = [*ANSWER.rows]
    for at, row in enumerate(rows):
        if (row.case.experiment, row.case.mechanism) == ("signal", "condition"):
            figures = {**row.figures, "round_trip_ns.samples": percentiles.Estimate(2_500)}
            del figures["round_trip_ns.p99.9"]
            rows[at] = replace(row, figures=figures)
    assert "threadping run --budget 4m p99.9 of every latency" in flat(shown(replace(ANSWER, rows=tuple(rows))))


ROW = replace(ANSWER.rows[0], findings=(), ended=ANSWER.rows[0].trials)
NOTED = replace(ROW, findings=(checks.Finding("mixture", "note", {}),))
DOUBTED = replace(ROW, findings=(checks.Finding("wide", "warning", {}),))
FAILED = replace(
    ROW, ended=(*ROW.trials, replace(ROW.trials[0], failure=Failure("stalled", "It stalled."), figures={}))
)


def test_a_failed_case_is_not_measured_and_all_else_is_undecided() -> None:
    cases: list[tuple[list[declaration.Row], int | None]] = [
        ([ROW], None),
        ([NOTED], None),
        ([ROW, DOUBTED], 4),
        ([DOUBTED, FAILED], 1),
        ([FAILED], 1),
    ]
    for rows, code in cases:
        answer = replace(ANSWER, rows=tuple(rows))
        fault = STUDY.fault(answer, STUDY.read(answer, None))
        assert (fault and fault.exit_code) == code
