"""What each study writes: its schema in docs/, its CSV, the first records of its JSON, and its screen.

`UPDATE_GOLDEN=1 pytest tests/golden` after a change that is meant.
"""

import json
import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from msgspec import Struct
from msgspec.structs import replace

from tests.golden import calls
from tests.golden.facts import (
    AdviceEntry,
    ComparedEntry,
    DoctorEntry,
    LikeEntry,
    MatrixEntry,
    PlaceEntry,
    PublishedEntry,
    SelfTestEntry,
    WhichEntry,
)
from tests.golden.fixture import ANSWER, DECLARED, MOVED, RUN
from tests.golden.schemas import AnswerEntry, schema, schema_sheets
from tests.golden.test_compare import DECIDED, SEVERAL
from tests.golden.test_exports import EACH_KIND, HERE, SCHEMA, expect
from tests.unit.output.printing import exported, printed
from tests.unit.studies import examples
from tests.unit.studies.recommend_wait.examples import TEN_US, trials, way
from tests.unit.studies.reproduce.examples import answer as published_answer
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import RowState
from threadping.conduct.study import study_named, written
from threadping.model.run import Requirement
from threadping.output.layout import Blocks
from threadping.studies.reproduce.stated import articles
from threadping.studies.reproduce.study import ARTICLES as PUBLISHED
from threadping.studies.reproduce.study import PublishedResult

WAYS = [
    *trials(46, way("release-one-line"), 400, 100.0),
    *trials(46, way("spin-then-park", spins=1000), 8_000, 7.0),
    *trials(7, way("futex"), 40_000, 3.0),
    *trials(3, way("park", "java-17"), held=0.6),
]


def advice_for(required: Requirement) -> Answer:
    cases = tuple(dict.fromkeys(one.case for one in WAYS))
    return analyse(replace(RUN, cases=cases, study=required), WAYS, (), DECLARED)


def repeated() -> tuple[Answer, PublishedResult]:
    """A figure in two states, one of an operating system that this is not, and a claim."""
    pinned = next(one for one in articles().figures if one.placement == "taskset -c 2,4")
    foreign = next(one for one in articles().figures if one.os == "macOS")
    lazy_set, *_ = articles().claims
    assert pinned.case
    found = published_answer({pinned.case: [4_046.0] * 4, **dict(zip(lazy_set.needs, (60.0, 90.0), strict=True))})
    near, far = (RowState(ns, (ns, ns), 0.5) for ns in (27.0, 128.0))
    one, *others = found.rows
    states = replace(found, rows=(replace(one, trials=one.trials[:3], state=near), replace(one, state=far), *others))
    asked = PUBLISHED.ask(experiments=("inter-thread-latency", "locked-signalling"))
    read = PUBLISHED.read(states, asked)
    return states, PublishedResult([one for one in read.figures if one.published in (pinned, foreign)], read.claims[:1])


class Example(NamedTuple):
    """What a command says of a run, and the type of what its JSON says of the whole."""

    study: str
    whole: type[Struct]
    answer: Answer
    result: Any

    def written(self, form: str) -> str:
        return written(study_named(self.study), self.answer, self.result, form)


def _of(name: str, whole: type[Struct], answer: Answer | None = None) -> Example:
    known = answer or examples.ANSWERS[name]
    return Example(name, whole, known, study_named(name).read(known, None))


EXAMPLES: Mapping[str, Example] = {
    "recommend-wait": _of("recommend-wait", AdviceEntry, advice_for(replace(TEN_US, system="folly"))),
    "compare": Example("compare", ComparedEntry, SEVERAL, DECIDED),
    "doctor": _of("doctor", DoctorEntry),
    "self-test": _of("self-test", SelfTestEntry),
    "reproduce-tool": _of("reproduce-tool", LikeEntry),
    "matrix": _of("matrix", MatrixEntry),
    "recommend-cpus": _of("recommend-cpus", PlaceEntry),
    "reproduce-articles": Example("reproduce-articles", PublishedEntry, *repeated()),
    "recommend-queue": _of("recommend-queue", WhichEntry),
}
COMMANDS = {
    "recommend-wait": "recommend wait",
    "self-test": "doctor --self-test",
    "reproduce-tool": "reproduce TOOL",
    "recommend-cpus": "recommend cpus",
    "reproduce-articles": "reproduce articles",
    "recommend-queue": "recommend queue",
}  # those that are not called as their study


def validator_of(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.with_name(f"{name}.schema.json").read_text()))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_in_docs_is_that_of_the_sheets_and_what_is_written_obeys_it(name: str) -> None:
    one = EXAMPLES[name]
    title = f"What threadping {COMMANDS.get(name, name)} writes with --format json"
    made = schema(title, one.whole, *study_named(name).sheets(one.answer, one.result))
    expect(SCHEMA.with_name(f"{name}.schema.json"), json.dumps(made, indent=1) + "\n")
    validator_of(name).validate(json.loads(one.written("json")))


def test_a_schema_refuses_what_no_sheet_has() -> None:
    found = json.loads(EXAMPLES["compare"].written("json"))
    found["comparisons"][0]["p"] = 0.01
    assert [tuple(error.path) for error in validator_of("compare").iter_errors(found)] == [("comparisons", 0)]


@pytest.mark.parametrize("name", sorted({*EXAMPLES} - {"matrix", "self-test"}))
def test_every_line_in_csv(name: str) -> None:
    expect(HERE / f"{name}.csv", EXAMPLES[name].written("csv"))


@pytest.mark.parametrize("name", ["doctor", "reproduce-tool", "recommend-cpus", "recommend-queue"])
def test_the_screen_of_80_columns(name: str) -> None:
    one = EXAMPLES[name]
    expect(HERE / f"{name}-80.txt", printed(Blocks.of(*study_named(name).blocks(one.answer, one.result)), 80))


def sample(text: str) -> str:
    """Return a line for each entry of a document but the run and the machine, with the first record of a list."""
    lines = []
    for name, value in json.loads(text, parse_float=lambda digits: float(f"{float(digits):.6g}")).items():
        if name in ("run", "machine"):
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            name, value = f"{name}[0]", value[0]
        line = f"{name}: {json.dumps(value, ensure_ascii=False)}"
        lines.append(textwrap.fill(line, 120, subsequent_indent="  ", break_on_hyphens=False))
    return "\n".join(lines)


def test_the_first_records_of_each_in_json() -> None:
    of_a_state = replace(EACH_KIND, rows=EACH_KIND.rows[1:])
    samples = {"run": exported(of_a_state, "json"), **{name: one.written("json") for name, one in EXAMPLES.items()}}
    expect(HERE / "samples.txt", "\n\n".join(f"# {name}\n{sample(text)}" for name, text in samples.items()) + "\n")


def test_the_schema_of_rows_is_that_of_the_types_and_the_declared_figures() -> None:
    title, sheets = "What threadping writes with --format json", schema_sheets([*DECLARED.values()])
    made = schema(title, AnswerEntry, *sheets, either=("rows", "trials"))
    expect(SCHEMA, json.dumps(made, indent=1) + "\n")


@pytest.mark.parametrize("trials", [False, True])
def test_rows_and_trials_obey_their_schema_which_refuses_what_none_has(trials: bool) -> None:
    for answer in (MOVED, ANSWER, calls.ANSWER):
        validator_of("answer").validate(json.loads(exported(answer, "json", trials)))
    whole = json.loads(exported(EACH_KIND, "json", trials))
    lines = whole["trials" if trials else "rows"]
    next(line for line in lines if line["latency_ns"])["latency_ns"]["p98"] = 1.0
    lines[0]["verdicts"] = []
    assert {tuple(error.path)[2:] for error in validator_of("answer").iter_errors(whole)} == {(), ("latency_ns",)}
    del whole["trials" if trials else "rows"]
    assert not validator_of("answer").is_valid(whole), "one of both"


@pytest.mark.parametrize("p99_ns", [300.0, 19.0])
def test_an_advice_that_names_none_obeys_the_schema_too(p99_ns: float) -> None:
    one = _of("recommend-wait", AdviceEntry, advice_for(replace(TEN_US, p99_ns=p99_ns)))
    validator_of("recommend-wait").validate(json.loads(one.written("json")))
