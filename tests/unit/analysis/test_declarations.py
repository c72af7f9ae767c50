"""Rules that every experiment's declaration keeps, so that loops over it can show, export and compare."""

from string import Formatter

import pytest
from msgspec.structs import astuple

from tests.unit.analysis.examples import DECLARED
from threadping.analysis.checks import WRITERS, sentences, wording
from threadping.analysis.declaration import Declaration, Figure, Percentiles
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.validity import checks_of

each_declaration = pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)


@each_declaration
def test_every_name_appears_once_as_a_value_or_as_a_group(declared: Declaration) -> None:
    parts = (*PERCENTILE_NAMES, "samples", "censored", "negative")
    names = [*(one.name for one in declared.figures), *(f"{d.name}.{p}" for d in declared.distributions for p in parts)]
    for words in (names, [check.code for check in declared.checks]):
        assert len(set(words)) == len(words)
    groups = [name.rpartition(".")[0] for name in names if not name.endswith(".9")]
    assert not set(groups).intersection(names)


@each_declaration
@pytest.mark.parametrize("table", ["of_rows", "of_trials"])
def test_in_a_table_heads_differ_and_columns_go_one_by_one_but_the_headline(declared: Declaration, table: str) -> None:
    columns = {one.name: one.column for one in declared.figures if one.column and getattr(one.column, table)}
    assert len({column.head for column in columns.values()}) == len(columns)
    assert len({column.rank for column in columns.values()}) == len(columns)
    assert [name for name, column in columns.items() if column.rank == 0] == [declared.headline]
    headline = declared.figure(declared.headline)
    assert headline.better


def test_all_that_is_shown_or_said_has_words_and_there_are_no_others() -> None:
    ours = [one for name, one in DECLARED.items() if name != "toy"]
    distributions = [one for of in ours for one in of.distributions]
    declared: list[Figure | Percentiles] = [*(one for of in ours for one in of.figures), *distributions]
    shown = [one for one in declared if isinstance(one, Percentiles) or one.column]
    assert [one.name for one in shown if not one.means.endswith(".")] == []
    assert {*sentences().figures} <= {one.says or one.name for one in declared}
    assert {*sentences().findings} == {*checks_of(DECLARED)} - {"lost-adds"}
    for check in checks_of(DECLARED).values():
        text = "".join(astuple(wording(check)))
        assert {spec for _, name, spec, _ in Formatter().parse(text) if name} <= {*WRITERS}, check.code
