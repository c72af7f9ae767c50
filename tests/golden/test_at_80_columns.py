"""The metric that was asked for is on a screen of 80 columns, for every command of README and the how-to guides."""

import shlex
from collections.abc import Mapping
from functools import cache

from tests.conftest import ROOT
from tests.golden.fixture import DECLARED
from tests.golden.test_studies import EXAMPLES
from tests.unit.output.printing import flat, printed
from tests.unit.test_docs import _command_lines
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.conduct.study import study_named
from threadping.output.bundle import unpack_runs
from threadping.output.layout import Blocks
from threadping.output.screen import RowView, only, tables_of

GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
LINES = sorted({line for page in GUIDES for line in _command_lines(page)})
STUDIES: Mapping[str, tuple[str, str]] = {  # how a command begins, its study, and what it was asked for
    "recommend wait": ("recommend-wait", "p99"),
    "recommend queue": ("recommend-queue", "queue depth 1"),
    "recommend cpus": ("recommend-cpus", "as fast as where"),
    "reproduce articles": ("reproduce-articles", "here"),
    "reproduce": ("reproduce-tool", "ns by its rules"),
    "doctor --self-test": ("self-test", "planted"),
    "doctor": ("doctor", "late at a random moment"),
    "compare": ("compare", "B/A"),
    "matrix": ("matrix", "ns"),
}


@cache
def of_subjects() -> dict[str, Answer]:
    files = (ROOT / "docs" / "results" / "runs").glob("*.run")
    stored = [one for file in files for one in unpack_runs(file.read_bytes(), file)]
    answers = [analyse(one.run, one.observations, one.pings, DECLARED) for one in stored]
    answers.append(EXAMPLES["recommend-wait"].answer)
    return {row.case.experiment: answer for answer in answers for row in answer.rows}


@cache
def screen_of(study: str) -> str:
    one = EXAMPLES[study]
    made = study_named(study)
    return flat(printed(Blocks.of(*made.lead(one.answer), *made.blocks(one.answer, one.result)), 80))


def shows_what_was_asked_for(line: str) -> bool:
    words = shlex.split(line, comments=True)
    if words[0] == "run" and words[1:2] and words[1] in of_subjects():
        answer, detail = of_subjects()[words[1]], RowView(experiment=words[1])
        text = flat(printed(tables_of(answer, detail), 80))
        return {row.leading.head in text for row in only(answer, detail).rows} == {True}
    known = next((found for begin, found in STUDIES.items() if line.startswith(begin)), None)
    return known is None or known[1].casefold() in screen_of(known[0]).casefold()


def test_the_metric_that_was_asked_for_is_on_the_screen() -> None:
    assert [line for line in LINES if not shows_what_was_asked_for(line)] == []
