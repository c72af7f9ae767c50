"""Definitions that `explain` prints, and the words that it knows."""

import re
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import ROOT
from tests.golden.fixture import ANSWER, DECLARED, MOVED
from tests.golden.minute import ANSWER as MINUTE
from tests.golden.test_exports import expect
from tests.unit.cli.test_main import each
from tests.unit.output.printing import flat, printed
from threadping.analysis.answer import Answer
from threadping.analysis.causes import CAUSES
from threadping.analysis.checks import explained, sentences
from threadping.analysis.health import every_code
from threadping.analysis.percentiles import Estimate
from threadping.model.base import gathered
from threadping.model.contract import ErrorCode, ExperimentWords, MechanismWords, Words
from threadping.model.errors import UnknownName
from threadping.output.explanation import _known, explanation, glossary, meant, terms
from threadping.output.layout import Blocks
from threadping.output.row_tables import numbered

WAIT = {"wait": "What a waiter does."}
PARK = ExperimentWords({"park": MechanismWords("It [parks].", "It sleeps.")}, WAIT)
SAID = Words(timed={}, changes=(), experiments={"signal": PARK, "queue": ExperimentWords({}, WAIT)})


def text_of(term: str, answer: Answer | None = None) -> str:
    return printed(explanation(term, DECLARED, answer, SAID))


def test_a_code_says_what_it_means_and_what_to_do() -> None:
    text = flat(text_of("not-steady"))
    assert text.startswith("! not-steady warning A row whose operations took longer, or less long,")
    assert text.endswith("Give longer trials (--trial), or fewer cases.")


def test_with_a_run_it_is_said_once_with_the_worst_case_and_of_the_others_in_a_few_sentences() -> None:
    text = text_of("trial-failed", ANSWER)
    worst = "#6 [bold]lock[/] cpp unpinned: 2 of 2 trials failed, the first so (hung): The probe was killed [/proc/41]"
    assert worst in text and text.count("[bold]lock[/]") == 1
    assert text.count("show 7 --trials` shows how each one ended") == 1
    assert "\n#4   condition java-17 same-l3: 1 of 6 trials: crashed\n" in text
    assert text_of("pin-lost", ANSWER).endswith("\nRun 7 has none.\n")
    assert text_of("idle-halt", ANSWER).endswith("\nRun 7 did not check it: `threadping doctor` does.\n")
    assert "frequency governor is 'powersave'" in text_of("governor-not-performance", ANSWER)


@pytest.mark.parametrize("term", ["latency_ns.typical", "median", "Median"])
def test_a_figure_is_known_by_its_name_and_by_the_head_of_its_column(term: str) -> None:
    text = text_of(term, MINUTE)
    assert "latency_ns.typical  signal\nOne way, half a round trip: " in text
    assert text.startswith("median\nThe middle value: ") == (term != "latency_ns.typical")
    first = "#1   25.8 ns \u00b12%  release-one-line wait=pause cpp same-l3"
    assert f"\nns, lower is better; over trials the median\n{first}\n" in text
    assert "\n     and 2 more\n" in text


def test_what_experiments_share_is_said_once_and_what_they_do_not_of_each() -> None:
    assert text_of("CPU/op").count("\n") == 9  # of `load` it is the receiver's alone, of `network` the near end's
    assert text_of("CPU/op").startswith("cpu_ns_per_op  signal, lock, wakeup, queue, barrier, jitter, self-test\n")
    assert "In signal (round_trip_ns.p99), lock (latency_ns.p99, read_wait_ns.p99," in flat(text_of("p99"))
    assert "round_trip_ns.p99  signal\n" in text_of("p99", MINUTE)
    assert text_of("wait p99").startswith("latency_ns.p99  lock\n")


def test_a_figure_of_each_gap_has_one_sentence_and_its_values_say_which_gap() -> None:
    text = text_of("deepest idle")
    assert text.startswith("latency_after_10us_ns.deepest_idle \u2026 latency_after_1s_ns.deepest_idle  load\n")
    assert text.count("deepest_idle") == 2 and text.count("The share of messages") == 1
    row = MINUTE.rows[0]
    found = {f"latency_after_{gap}_ns.deepest_idle": Estimate(share) for gap, share in (("10us", 4.0), ("1ms", 81.0))}
    paced = replace(row, case=replace(row.case, experiment="load"), figures=found)
    text = text_of("deepest idle", replace(MINUTE, rows=(paced,)))
    for share, gap in (("4.0%", "10us"), ("81%", "1ms")):
        assert f"#1  {share}  {row.case.title}  latency_after_{gap}_ns.deepest_idle\n" in text


def test_any_other_word_is_a_sentence() -> None:
    for term, said in [
        ("stolen", "stolen  cause of outliers\nThe thread had its CPU, but the hypervisor "),
        ("park", "park  mechanism, signal\nIt [parks]. It sleeps.\n"),
        ("wait", "wait  parameter, signal, queue\nWhat a waiter does.\n"),
        ("lock", "lock  experiment\nOperations/s of all threads together.\n"),
        ("core to core", "core to core\nThe time until one CPU sees what another has written"),
        ("time", "time\nIn the table of causes: the duration of a cause's outliers, "),
        ("synchronized", "synchronized\nA keyword of Java; the mechanism is called `monitor`.\n"),
    ]:
        assert text_of(term).startswith(said)


def test_of_a_run_runtimes_and_states_are_known() -> None:
    assert text_of("java-17", MINUTE).startswith("java-17  runtime\nOpenJDK 64-Bit Server VM")
    assert "CORE TO CORE   0 \u21c4 1   26.2 ns" in text_of("state", MOVED)
    assert "below" not in text_of("state", MOVED)
    with pytest.raises(UnknownName):
        text_of("java-17")


def test_what_was_not_measured_is_listed_by_reason() -> None:
    reasons = "-  smt, numa-near: no two of the CPUs 0-1 that may be used share a core\n-  same-l2: "
    assert reasons in text_of("not-measured", ANSWER)
    assert text_of("not-measured", replace(ANSWER, run=replace(ANSWER.run, skipped=()))) == "Run 7 left nothing out.\n"
    assert "explain not-measured last" in text_of("not-measured")


def test_all_terms_are_explained_and_each_word_has_one_place() -> None:
    answer = replace(ANSWER, rows=tuple(numbered(ANSWER)))  # once: each metric looks through them
    known = gathered(_known(DECLARED, answer, SAID, {}))
    assert [*known] == terms(DECLARED, answer, SAID)
    assert all(flat(printed(Blocks.of(*chain.from_iterable(meanings)))) for meanings in known.values())
    assert tuple(sentences().causes) == CAUSES
    assert not {*sentences().words} & {*CAUSES}


def test_every_reason_why_a_trial_failed_is_known() -> None:
    asked = {"unknown-experiment", "unknown-mechanism", "unknown-param"}  # what threadping never asks of a probe
    assert {*get_args(ErrorCode)} - asked <= {*sentences().words}


WORDS_SAID = msgspec.json.decode((ROOT / "contract" / "words.json").read_bytes(), type=Words)
COMMANDS = {context.info_name or "": "What it does." for context, _ in each()}

ASKED = Path(__file__).parent / "asked_words.txt"
"""Words that the outputs print, then words of the field, by which people ask."""


def test_every_word_is_explained() -> None:
    missed, bare, known = [], [], gathered(_known(DECLARED, None, WORDS_SAID, COMMANDS))
    text_of = cache(lambda word: printed(Blocks.of(*chain.from_iterable(known[word]))))
    for word in re.split(", |\n", ASKED.read_text(encoding="utf-8").strip()):
        try:
            said = text_of(meant(word, known))
        except UnknownName:
            missed.append(word)
        else:
            bare += [word] if len(said) <= len(word) + 10 else []
    assert (missed, bare) == ([], [])


def test_other_words_lead_to_one_that_is_explained_and_none_is_said_twice() -> None:
    field = tomllib.loads((ROOT / "src/threadping/analysis/field.toml").read_text())
    ours = tomllib.loads((ROOT / "src/threadping/analysis/words.toml").read_text())
    known = {one.casefold() for one in (*terms(DECLARED, None, WORDS_SAID), *COMMANDS)}
    assert {other for other in field["same"].values() if other.casefold() not in known} == set()
    assert {word for word in field["same"] if word.casefold() in known} == set()
    assert not {*field["words"]} & {*ours["words"]}


def test_each_code_has_a_definition_without_facts() -> None:
    for code in every_code(DECLARED):
        assert sentences().findings[code].definition.endswith("."), code
        assert "{" not in explained(code), code


PLAIN = Path(__file__).parent / "plain_words.txt"
"""Words of the outputs that are no terms; after a new one: `UPDATE_GOLDEN=1`, and read the diff."""


def printed_words() -> Iterator[str]:
    """Yield the words of the golden outputs, and the placeholders of every help."""
    for file in sorted((ROOT / "tests" / "golden").glob("*.txt")):
        text = re.sub(r"https?://\S+|threadping .*|[\w./-]*[_/=][\w./=-]*", " ", file.read_text())
        yield from (word.rstrip(".'-") for word in re.findall(r"[A-Za-z][A-Za-z0-9.'-]+", text))
    for context, _ in each():
        for one in context.command.params:
            yield from re.findall(r"[A-Z][A-Za-z]+", one.make_metavar(context))


def test_every_word_of_the_outputs_is_explained_or_plain() -> None:
    known = {one.casefold() for one in gathered(_known(DECLARED, ANSWER, WORDS_SAID, COMMANDS))}
    known |= {one.casefold() for one in sentences().same}
    parts = {part for one in known for part in re.split(r"[\s_./-]+", one)}
    words = {word.casefold() for word in printed_words()}
    forms = {word: {word, word.removesuffix("s"), word.removesuffix("'s")} for word in words}
    plain = sorted(word for word, of_it in forms.items() if not of_it & (known | parts))
    expect(PLAIN, textwrap.fill(" ".join(plain), 118, break_on_hyphens=False) + "\n")


def test_a_percentile_begins_with_one_sentence() -> None:
    for word in sentences().first:
        said = printed(explanation(word, DECLARED, None, WORDS_SAID)).splitlines()
        assert said[0] == word and said[1].endswith(".")
    assert len(printed(explanation("p99", DECLARED, None, WORDS_SAID), 80).splitlines()) <= 12


def test_a_miss_is_one_line() -> None:
    for word, near in [
        ("stolne", "Did you mean stolen"),
        ("budgt", "Did you mean budget"),
        ("turbulence", "`threadping explain` lists them all"),
        ("hyperviser", "Did you mean hypervisor"),
        ("tailing", "`threadping explain` lists them all"),
        ("mwait", "Did you mean umwait"),
        ("temperature", "turbo"),  # which others speak of
    ]:
        with pytest.raises(UnknownName) as missed:
            explanation(word, DECLARED, None, WORDS_SAID, COMMANDS)
        assert near in str(missed.value) and len(str(missed.value)) < 160
        assert len(missed.value.near) <= 3


def test_without_a_word_all_are_listed() -> None:
    text = printed(glossary(DECLARED, WORDS_SAID, COMMANDS))
    for word in ("compare", "other-load", "stolen", "cas-one-line", "cache coherence", "±"):
        assert word in text
    assert "latency_after" not in text


def test_a_row_is_said_whole() -> None:
    row = max(numbered(ANSWER), key=lambda one: len(one.findings))
    text = printed(explanation(f"#{row.place}", DECLARED, ANSWER, WORDS_SAID))
    assert re.match(rf"#{row.place} ", text)
    assert len(row.findings) > 1 and all(f"{one.code}: " in text for one in row.findings)
    assert "median" in text and "counters." not in text
    with pytest.raises(Exception, match=r"Run 7 has no row #999: its rows are #1 to #\d+\."):
        explanation("#999", DECLARED, ANSWER, WORDS_SAID)
