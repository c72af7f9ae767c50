"""The words of the first screen: whoever types them selects the very cases of the line."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.golden import minute
from tests.unit.cli.test_commands import called
from tests.unit.output.printing import flat, printed
from tests.unit.planning.examples import TWO_CORES, inventory, offer
from tests.unit.planning.test_budgets import MINUTE_OFFERED
from threadping.analysis.questions import QuestionLine, question_lines
from threadping.experiments import EXPERIMENTS
from threadping.output.screen import questions
from threadping.planning.cases import expand

LINES = question_lines(minute.ANSWER)
LABELS = [one.label for one in minute.RUNTIMES]
SUBJECTS = {
    "signal a spinning thread": "signal",
    "wake a blocked thread": "signal",
    "lock and unlock": "lock",
    "wake-up call": "wakeup",
    "queue throughput": "queue",
    "queue latency": "queue",
    "release and join": "barrier",
}
"""The subject of `run` for each operation."""


def shown() -> Iterator[tuple[str, str]]:
    """Yield the operation and the label of each line, as they are printed."""
    operation = ""
    for line in printed(questions(LINES, LABELS), 160).splitlines()[1:-1]:
        words = re.split(r"\s{2,}", line.rstrip())
        if line.startswith("  "):
            yield operation, words[1]
        elif alone := re.fullmatch(r"(.*) \((.*)\)", words[0]):
            yield alone[1], alone[2]
        else:
            (operation,) = words


def test_at_80_columns_each_of_three_runtimes_has_its_figures_and_what_is_not_shown_names_its_runtime() -> None:
    lines = [replace(one, rows={**one.rows, "rust": rows}) for one in LINES if (rows := one.rows.get("cpp"))]
    text = flat(printed(questions(lines, [*LABELS, "rust"], wide=False), 80))
    assert text.startswith("cpp p99 java-17 p99 rust signal a spinning thread")
    assert "Not shown at this width: p99 of rust, intervals of cpp, java-17, rust." in text


def typed(operation: str, label: str) -> list[str]:
    """Return the options that the words of a line ask for."""
    case, *conditions = label.split(", ")
    mechanism, *params = case.split()
    words = ["--mechanism", mechanism]
    for name, value in (param.split("=") for param in params):
        words += [f"--{name}", value]
    if "unpinned" in conditions:
        words += ["--placement", "unpinned"]
    if pairs := re.search(r"(\d+) independent pairs", operation):
        words += ["--pairs", pairs[1]]
    if threads := re.search(r"(\d+) \N{RIGHTWARDS ARROW} (\d+) threads", operation):
        words += ["--threads", f"{threads[1]},{threads[2]}"]
    if workers := re.search(r"(\d+) workers?", operation):
        words += ["--threads", str(int(workers[1]) + 1)]
    return words


def test_every_line_is_shown_with_its_operation() -> None:
    assert [*shown()] == [(line.operation, line.label) for line in LINES]
    assert len(LINES) == 17


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.operation} ({line.label})")
def test_the_words_of_a_line_select_its_cases(line: QuestionLine, monkeypatch: pytest.MonkeyPatch) -> None:
    (subject,) = (name for words, name in SUBJECTS.items() if line.operation.startswith(words))
    selection, _ = called(monkeypatch, subject, *typed(line.operation, line.label))
    offers = [offer(label, *MINUTE_OFFERED[subject, label.split("-")[0]], experiment=subject) for label in LABELS]
    here = inventory(*offers, machine=TWO_CORES, case_defaults={subject: EXPERIMENTS[subject].defaults})
    selected = {case.title for layer in expand(selection, here).layers for case in layer.cases}
    assert {row.case.title for rows in line.rows.values() for row in rows} <= selected
