"""What every printed word means."""

from itertools import chain
from typing import get_args

import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, DECLARED, MOVED
from tests.golden.minute import ANSWER as MINUTE
from tests.unit.output.printing import flat, printed
from threadping.analysis.answer import Answer
from threadping.analysis.checks import sentences
from threadping.analysis.outliers import CAUSES
from threadping.analysis.percentiles import Estimate
from threadping.model.contract import ErrorCode, ExperimentWords, MechanismWords, Words
from threadping.model.errors import UnknownName
from threadping.model.grouping import gathered
from threadping.output.explanation import _known, explanation, terms
from threadping.output.layout import Blocks

SAID = Words(
    timed={},
    changes=(),
    experiments={
        "signal": ExperimentWords(
            {"park": MechanismWords("It [parks].", "It sleeps.")}, {"wait": "What a waiter does."}
        ),
        "ring": ExperimentWords({}, {"wait": "What a waiter does.", "batch": "How many at once."}),
    },
)


def text_of(term: str, answer: Answer | None = None) -> str:
    return printed(explanation(term, DECLARED, answer, SAID))


def test_a_code_says_what_it_means_and_what_to_do() -> None:
    assert flat(text_of("not-steady")).startswith(
        "! not-steady warning Operations were \u2026 \u2026 in the last third of a trial"
    )
    assert flat(text_of("not-steady")).endswith("Give longer trials (--trial), or fewer cases.")


def test_with_a_run_it_is_said_once_with_the_worst_case_and_of_the_others_in_a_few_sentences() -> None:
    text = text_of("trial-failed", ANSWER)
    assert (
        "#6 [bold]lock[/] cpp unpinned: 2 of 2 trials failed, the first so (hung): The probe was killed [/proc/41]"
        in text
    )
    assert text.count("[bold]lock[/]") == 1
    assert text.count("show 7 --trials` shows how each one ended") == 1
    assert "\n#4   condition java-17 same-l3: 1 of 6 trials: crashed\n" in text
    assert text_of("pin-lost", ANSWER).endswith("\nRun 7 has none.\n")
    looks = "\nRun 7 did not look for it: `threadping doctor` does.\n"
    assert text_of("idle-halt", ANSWER).endswith(looks)
    assert "frequency governor is 'powersave'" in text_of("governor-not-performance", ANSWER)


@pytest.mark.parametrize("term", ["latency_ns.typical", "median", "Median"])
def test_a_figure_is_known_by_its_name_and_by_what_stands_over_its_column(term: str) -> None:
    text = text_of(term, MINUTE)
    assert text.startswith("latency_ns.typical  signal\nOne way, half a round trip: ")
    first = "#1   25.8 ns \u00b12%  release-one-line wait=pause cpp same-l3"
    assert f"\nns, lower is better; over trials the median\n{first}\n" in text
    assert "\n     and 2 more\n" in text


def test_what_experiments_share_is_said_once_and_what_they_do_not_of_each() -> None:
    assert text_of("CPU/op").count("\n") == 9  # of `paced` it is the receiver's alone, of `hop` the near end's
    assert text_of("CPU/op").startswith("cpu_ns_per_op  signal, lock, notify, ring, crowd, gaps, calibration\n")
    assert {"round_trip_ns.p99  signal\n", "latency_ns.p99  lock\n"} <= {
        f"{line}\n" for line in text_of("p99").splitlines()
    }
    assert text_of("wait p99").startswith("latency_ns.p99  lock\n")


def test_of_a_figure_of_each_gap_the_sentence_stands_once_and_its_values_say_which_gap() -> None:
    text = text_of("deepest idle")
    assert text.startswith("latency_after_10us_ns.deepest_idle \u2026 latency_after_1s_ns.deepest_idle  paced\n")
    assert text.count("deepest_idle") == 2 and text.count("Of the messages") == 1
    row = MINUTE.rows[0]
    found = {f"latency_after_{gap}_ns.deepest_idle": Estimate(share) for gap, share in (("10us", 4.0), ("1ms", 81.0))}
    paced = replace(row, case=replace(row.case, experiment="paced"), figures=found)
    text = text_of("deepest idle", replace(MINUTE, rows=(paced,)))
    name = row.case.title
    assert f"#1  4.0%  {name}  latency_after_10us_ns.deepest_idle\n" in text
    assert f"#1  81%  {name}  latency_after_1ms_ns.deepest_idle\n" in text


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("stolen", "stolen  cause of outliers\nThe thread had its CPU, but for at least half of it the hypervisor "),
        ("park", "park  mechanism, signal\nIt [parks]. It sleeps.\n"),
        ("wait", "wait  parameter, signal, ring\nWhat a waiter does.\n"),
        ("lock", "lock  experiment\nOperations/s of all threads together.\n"),
        ("core to core", "core to core\nHow long one CPU takes to see what another CPU has written"),
        ("time", "time\nHow long the outliers of a cause took, added up over threads and trials: "),
        ("synchronized", "synchronized\nA keyword of Java; the mechanism is called `monitor`.\n"),
    ],
)
def test_any_other_word_is_a_sentence(term: str, said: str) -> None:
    assert text_of(term).startswith(said)


def test_of_a_run_runtimes_and_states_are_known() -> None:
    assert text_of("java-17", MINUTE).startswith("java-17  runtime\nOpenJDK 64-Bit Server VM")
    assert "CORE TO CORE   0 \u21c4 1   26.2 ns" in text_of("state", MOVED)
    assert "below" not in text_of("state", MOVED)
    with pytest.raises(UnknownName):
        text_of("java-17")


def test_what_was_not_measured_is_listed_by_reason() -> None:
    assert "-  smt, numa-near: no two of the CPUs 0-1 that may be used share a core\n-  same-l2: " in text_of(
        "not-measured", ANSWER
    )
    assert text_of("not-measured", replace(ANSWER, run=replace(ANSWER.run, skipped=()))) == "Run 7 left nothing out.\n"
    assert "explain not-measured last" in text_of("not-measured")


def test_all_terms_are_explained_and_each_word_has_one_place() -> None:
    known = gathered(_known(DECLARED, ANSWER, SAID, {}))
    assert [*known] == terms(DECLARED, ANSWER, SAID)
    assert all(flat(printed(Blocks.of(*chain.from_iterable(meanings)))) for meanings in known.values())
    assert tuple(sentences().causes) == CAUSES
    assert not {*sentences().words} & {*CAUSES}


def test_every_reason_why_a_trial_failed_is_known() -> None:
    asked = {"unknown-experiment", "unknown-mechanism", "unknown-param"}  # what threadping never asks of a probe
    assert {*get_args(ErrorCode)} - asked <= {*sentences().words}


def test_a_word_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown word 'stolne'\. Did you mean stolen"):
        text_of("stolne")
