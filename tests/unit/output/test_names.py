"""Names: of cases, and of anything that is not ours."""

from operator import itemgetter

import pytest
from msgspec.structs import replace

from tests.golden.fixture import CAS, RELEASE
from tests.unit.output.printing import printed
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Home, Placement
from threadping.output import names
from threadping.output.layout import column, grid, named


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("two\nlines\tand\r\nmore", "two lines and more"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("left\u202eright", "left\\u202eright"),
        ("[bold]kept[/]", "[bold]kept[/]"),
        ("caf\u00e9 \u00b5s", "caf\u00e9 \u00b5s"),
    ],
)
def test_foreign_words_cannot_steer_the_terminal(foreign: str, shown: str) -> None:
    assert names.plain(foreign) == shown


@pytest.mark.parametrize(
    ("cpus", "shown"),
    [
        ((0, 1, 0, 1), "same-l3 0,1"),
        ((2, 0), "same-l3 2,0"),  # roles keep their order
        ((3, 3, 3), "same-l3 3"),
        (tuple(range(8)) * 2, "same-l3 0-7"),
        ((1, 2, 3, 5, 8, 9), "same-l3 1-3,5,8,9"),
        (tuple(range(0, 64, 2)), "same-l3 0,2,4,6,8,10,\u2026,62"),
        ((None, None), "same-l3"),
        ((None, 1), "same-l3 -,1"),
    ],
)
def test_a_placement_names_each_cpu_once(cpus: tuple[int | None, ...], shown: str) -> None:
    case = replace(CAS, placement=Placement("same-l3", cpus))
    assert names.placement_label(case) == shown
    unusual = replace(case, placement=Placement("same-l3", cpus, "process"), home=Home("node 0", (0,)))
    assert names.placement_label(unusual) == f"{shown} process home node 0"


def test_a_placement_on_a_hybrid_machine_names_the_kinds_of_its_cores() -> None:
    case = replace(CAS, placement=Placement("same-l3", (1, 2), kinds="P-E"))
    assert names.placement_label(case) == "same-l3 P-E 1,2"
    assert "same-l3 P-E" in case.title


def test_a_mechanism_is_named_with_what_is_varied() -> None:
    assert names.mechanism(RELEASE) == "release-two-lines spin=100"


def test_a_name_breaks_between_words_as_long_as_all_columns_fit() -> None:
    table = grid(
        [("futex arrivals=idle", "same-l3 0,1", "1.23 ms (0.99-1.25)")],
        named("mechanism", itemgetter(0), "bold"),
        named("placement", itemgetter(1)),
        column("p99", itemgetter(2)),
    )
    whole = ["arrivals=idle", "same-l3", "placement"]
    for width in (43, 47, 55):
        assert {*whole} < {*printed(table, width).split()}, "no word is cut"


def test_a_parameter_has_a_column_if_a_case_has_it() -> None:
    declared = EXPERIMENTS["load"].figures
    for params, has in (({"rate": "1000"}, True), ({}, False)):
        cases = [replace(CAS, params=params), replace(CAS, params=params and {"rate": "2000"})]
        fields = names.columns(cases, declared, of=lambda case: case)
        assert ("rate" in [field.head for field in fields]) is has
