"""The contract of every study: a new one inherits these tests by its run in `examples`."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.unit.output.printing import printed
from tests.unit.studies.examples import ANSWERS
from threadping.analysis.answer import Answer
from threadping.conduct.pages import article_of, digest, load_bundle
from threadping.conduct.study import STUDIES, Study, study_named, study_of, written
from threadping.model.run import Survey
from threadping.output import charts, layout, listings, run_records, screen
from threadping.output.bundle import analyse_shared, carry_run, embed_runs, unpack_runs
from threadping.output.page.page import as_html
from threadping.studies.survey import STUDY as SURVEY

SCHEMAS = Path(__file__).parents[3] / "docs" / "reference" / "schemas"


@pytest.fixture(params=ANSWERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def answer(name: str) -> Answer:
    return ANSWERS[name]


@pytest.fixture
def study(name: str) -> Study[Any, Any]:
    return study_named(name)


def in_form(study: Study[Any, Any], answer: Answer, form: str) -> str:
    return written(study, answer, study.read(answer, None), form)


def test_every_study_has_a_run_here_that_is_its_own() -> None:
    assert {*ANSWERS} == {name for name in ANSWERS if study_of(ANSWERS[name].run) is study_named(name)}
    assert [*STUDIES] == [*ANSWERS]


def test_a_terminal_shows_the_answer_and_what_leads_it(study: Study[Any, Any], answer: Answer) -> None:
    shown = printed(layout.Blocks.of(*study.blocks(answer, study.read(answer, None))), 120)
    assert len(shown.splitlines()) > 2
    lead = [*study.lead(answer)]
    assert not lead or printed(layout.Blocks.of(*lead), 120).strip()


def test_json_is_of_the_run_and_obeys_the_schema_in_docs(study: Study[Any, Any], answer: Answer, name: str) -> None:
    made = json.loads(in_form(study, answer, "json"), parse_constant=pytest.fail)
    assert made["run"]["started"] == answer.run.started
    schema = SCHEMAS / f"{'answer' if name == 'survey' else name}.schema.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(made)


def test_shown_again_as_json_it_begins_with_the_answer_and_has_every_row(
    study: Study[Any, Any], answer: Answer, name: str
) -> None:
    again = json.loads(written(SURVEY, answer, screen.RowView(), "json"))
    Draft202012Validator(json.loads((SCHEMAS / "answer.schema.json").read_text())).validate(again)
    if name == "survey" or not study.shows_rows:
        assert "answer" not in again
        return
    first, said = next(iter(again)), json.loads(in_form(study, analyse_shared(answer), "json"))
    assert first == "answer" and again["rows"]
    assert again["answer"] == {"study": name, **{key: entry for key, entry in said.items() if key != "run"}}


def test_csv_has_a_line_for_each_of_the_sheets_of_the_first_name(study: Study[Any, Any], answer: Answer) -> None:
    sheets = study.sheets(answer, study.read(answer, None))
    if sheets or "csv" in study.formats:
        heads, *lines = csv.reader(io.StringIO(in_form(study, answer, "csv")))
        assert lines and {len(line) for line in lines} == {len(heads)} and len({*heads}) == len(heads)
        assert not sheets or len(lines) == sum(len(one.lines) for one in sheets if one.name == sheets[0].name)


def test_markdown_has_whole_tables_and_nothing_of_a_terminal(study: Study[Any, Any], answer: Answer) -> None:
    for text in (in_form(study, answer, "markdown"), digest(answer)):
        tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        assert text.strip() and "\x1b" not in text and "\N{BOX DRAWINGS LIGHT HORIZONTAL}" not in text
        for table in tables:
            heads, rule, *lines = (re.sub(r"\\.", "", line).count("|") for line in table.splitlines())
            assert {heads, *lines} == {rule}


def test_charts_draw_and_a_page_shows_what_each_study_has_to_say(
    study: Study[Any, Any], answer: Answer, name: str
) -> None:
    drawn = study.charts(answer, study.read(answer, None))
    assert not drawn or json.dumps(charts.page_of(answer.run, drawn), allow_nan=False)
    article = article_of(answer)
    names = [one.name for one in article.sections]
    assert article.lead and len({*names}) == len(names) and "machine" in names
    of_rows = replace(answer, run=replace(answer.run, study=Survey()))
    assert name in ("survey", "matrix", "reproduce-articles") or not [*study.sections(of_rows)]
    for section in article.sections:
        assert section.title and (section.blocks or section.charts or section.details), section.name
        assert "\x1b" not in "".join(str(as_html([block])) for block in section.blocks)


def test_a_run_that_travels_is_read_by_every_package_and_comes_back_unchanged(answer: Answer) -> None:
    kept = carry_run(answer.stored)
    (back,) = load_bundle(embed_runs([kept]).encode(), "a.run")
    assert back.stored == kept
    assert unpack_runs(run_records.bundle(back).encode(), "b.run") == [kept]


def test_a_list_names_the_study_its_experiments_and_how_many_cases_there_are(answer: Answer, name: str) -> None:
    listed = printed(listings.runs_table([(answer.run, 1)]), 200)
    assert (f" {name} " in listed) is (name != "survey")
    assert answer.run.patterns[0].experiment in listed and f" {answer.run.number_of_cases:,} " in listed
    assert json.loads(in_form(study_of(answer.run), answer, "json"))["run"]["cases"] == answer.run.number_of_cases > 0
