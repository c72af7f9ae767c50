"""A matrix is found in any paste that people make of it, and its figures are those that were measured."""

import re
from decimal import Decimal
from tomllib import loads
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.unit.studies.matrix.pastes import C2CLAT, CSV, EXACT, OTHERS, PAIRS, PRINTED, ROUNDED, WHOLE
from threadping.analysis.latency_map import LatencyMap
from threadping.model.errors import Unreadable
from threadping.model.files import decode
from threadping.studies.matrix import pasted, study
from threadping.studies.reproduce.stated import tools


def found(paste: str | bytes) -> tuple[pasted.PastedMatrix, ...]:
    return pasted.read(decode(paste if isinstance(paste, bytes) else paste.encode(), "it"), "it")


def figures(of: pasted.PastedMatrix) -> dict[tuple[int, int], float]:
    return {**of.map.ns}


def lower(of: pasted.PastedMatrix) -> dict[tuple[int, int], float]:
    """The figures with the higher CPU first: all that is known where both directions are alike."""
    return {(max(pair), min(pair)): ns for pair, ns in figures(of).items()}


@pytest.mark.parametrize("name", [*EXACT, *WHOLE, *C2CLAT])
def test_every_form_of_what_they_print_is_read(name: str) -> None:
    (one,) = found({**EXACT, **WHOLE, **C2CLAT}[name])
    assert one.form == ("c2clat" if name in C2CLAT else "core-to-core-latency")
    assert one.map.cpus == ((0, 2, 1, 3) if name.endswith("side by side") else (0, 1, 2, 3))
    assert (lower(one), len(one.map.ns)) == (PAIRS if name in EXACT else ROUNDED, 6)


def test_every_benchmark_of_a_paste_is_a_matrix_with_its_title() -> None:
    first, second, third = found(OTHERS["three benchmarks"])
    assert [one.title for one in (first, second)] == [
        "An Example @ 3.00GHz, CAS latency on a single shared cache line",
        "An Example @ 3.00GHz, Single-writer single-reader latency on two shared cache lines",
    ]
    assert third.title.startswith("An Example @ 3.00GHz, Message passing.")
    assert (lower(first), figures(second), figures(third)) == (ROUNDED, {(1, 0): 52}, {(0, 1): 61, (1, 0): 63})


def test_matrices_below_each_other_are_distinguished() -> None:
    first, second, third = found(OTHERS["three CSV without a word"])
    assert lower(first) == PAIRS
    assert lower(second) == {(1, 0): 8, (2, 0): 9, (2, 1): 10, (3, 0): 11, (3, 1): 12, (3, 2): 13}
    assert figures(third)[0, 1] == 1.5 and figures(third)[1, 0] == 4.5 and len(figures(third)) == 12
    assert [len(found(CSV + end + CSV.replace("7", "9"))) for end in ("", "\n", "and\n")] == [2, 2, 2]


def test_the_numbers_of_cpus_are_those_of_header_index_and_print_out() -> None:
    (named,) = found(OTHERS["named CPUs"])
    assert (named.map.cpus, lower(named)) == ((4, 8, 12), {(8, 4): 30.5, (12, 4): 31.5, (12, 8): 32.5})
    printed = "   8   4\n 8\n 4   31±0\n\n    Mean latency: 31ns\n"
    for paste, ns in ((printed, 31), (f"{printed},\n30.75,\n", 30.75)):
        (one,) = found(paste)
        assert (one.map.cpus, figures(one)) == ((8, 4), {(4, 8): ns})


def test_what_was_taken_for_granted_is_said() -> None:
    named = "The numbers of its CPUs are those of its first row and column."
    notes = {"pandas": named, "names of CPUs": named, "CSV": ""}
    assert {name: found(EXACT[name])[0].note for name in notes} == notes
    (cut_off,) = found(PRINTED + CSV[: CSV.rindex("20.75")] + "20.75,21.5\n")
    assert lower(cut_off) == ROUNDED
    assert cut_off.note.startswith("Something else that may be a matrix was left out: a matrix of 4 rows")


def test_a_csv_that_is_not_what_was_printed_is_a_matrix_of_its_own() -> None:
    first, second = found(PRINTED + CSV.replace("20.5", "22.5"))
    assert lower(first) == ROUNDED and lower(second) == PAIRS | {(2, 0): 22.5}


def test_a_figure_of_0_is_shown_and_written_back_and_in_no_group() -> None:
    (one,) = found(OTHERS["zeros"])
    assert figures(one)[1, 0] == 0.0
    assert study.core_to_core_latency(one.map) == OTHERS["zeros"]
    assert [(group.pairs, group.latency_ns) for group in one.map.groups] == [(1, 26.5), (4, 51.625)]


INPUTS = ROOT / "tests" / "data" / "pasted"
RIGHT = loads(INPUTS.with_suffix(".toml").read_text())
WORDS = {PRINTED.replace(" 8±0", " x±0"): "'x±0' in line 12 is not a latency in nanoseconds", **RIGHT["texts"]}


@pytest.mark.parametrize("paste", WORDS)
def test_what_is_less_regular_is_refused_and_never_taken_for_latencies(paste: str) -> None:
    with pytest.raises(Unreadable) as raised:
        found(paste)
    assert WORDS[paste] in str(raised.value) and raised.value.exit_code == 1


def test_whole_numbers_that_cannot_be_names_are_latencies() -> None:
    rows: list[tuple[str, list[float]]] = [
        (",20,20\n20,,21\n20,21,\n", [20, 20, 21]),
        (",20\n20,\n", [20]),
        ("0,20,87\n20,0,88\n87,88,0\n", [20, 87, 88]),
    ]
    for paste, cells in rows:
        assert [*lower(found(paste)[0]).values()] == cells


NUMBERS = [
    *("-3", "+3", "1e3", "1_000", "0x10", "inf", "Infinity", "9" * 400, "0." + "0" * 400 + "1", "1e999", "5.", ".5"),
    *("1.000,5", "\u0663\u0664", "\uff11\uff12", "1000000001", "3 4", "near", "\u00b2"),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
def test_a_number_is_a_latency_only_as_a_person_would_write_one(number: str) -> None:
    with pytest.raises(Unreadable, match=r"in line 2 is not a latency in nanoseconds\. `threadping help"):
        found(f";;\n{number};;\n20.5;21.5;\n")


@pytest.mark.parametrize("number", ["0.000001", "1000000000", "12345.6789012345678901"])
def test_the_least_and_the_most_are_read(number: str) -> None:
    (one,) = found(f",\n{number},\n")
    assert figures(one) == {(1, 0): float(number)}


REFUSALS = [(name, code, says) for code, of in ((2, "named"), (1, "refused")) for name, says in RIGHT[of].items()]


def in_file(name: str) -> tuple[pasted.PastedMatrix, ...]:
    return pasted.read((INPUTS / name).read_text(), "it")


@pytest.mark.parametrize("name", RIGHT["read"])
def test_what_has_latencies_of_pairs_is_read_with_its_groups(name: str) -> None:
    groups = [[[group.pairs, round(group.latency_ns, 1)] for group in one.map.groups] for one in in_file(name)]
    assert [[one.form, one.title, of] for one, of in zip(in_file(name), groups, strict=True)] == RIGHT["read"][name]


@pytest.mark.parametrize(("name", "code", "says"), REFUSALS)
def test_the_rest_is_answered_with_a_command_or_with_what_is_read(name: str, code: int, says: str) -> None:
    with pytest.raises(Unreadable) as raised:
        in_file(name)
    assert str(raised.value).startswith(f"it cannot be imported: {says}") and raised.value.exit_code == code
    assert {*re.findall(r"threadping reproduce ([\w-]+)", says)} <= {*tools()}


def test_every_file_is_right() -> None:
    assert {*RIGHT["read"], *(name for name, *_ in REFUSALS)} == {one.name for one in INPUTS.iterdir()}


def test_figures_in_steps_of_a_clock_say_so_and_others_do_not() -> None:
    (coarse,) = in_file("c2c-coarse-5800x3d.txt")
    assert coarse.note == "Its figures come in steps of 5.2 ns: finer differences are the clock's."
    fine = ("c2c-9900x-agesa.txt", "pairs-long-frangkli.csv")
    assert [one.note for name in fine for one in in_file(name)] == ["", ""]
    assert pasted.clock_step([6.7 * step for step in (9, 10, 38, 39, 40, 41)] * 4) == pytest.approx(6.7, rel=0.01)


def test_whole_figures_that_vary_freely_are_seldom_taken_for_steps() -> None:
    rng = np.random.default_rng(1)
    maps = (rng.choice([25, 90], 21) * np.exp(rng.normal(0, rng.choice([0.03, 0.1, 0.3]), 21)) for _ in range(200))
    assert sum(pasted.clock_step(one.round().tolist()) > 0 for one in maps) <= 2  # 1 of 100 maps of 7 CPUs


@pytest.mark.parametrize(("error", "groups"), [(0, 2), (13, 1)])
def test_a_printed_error_keeps_groups_together_that_it_covers(error: int, groups: int) -> None:
    cells = [[f"{40 if cpu // 4 == other // 4 else 52}±{error}" for other in range(cpu)] for cpu in range(8)]
    rows = [" ".join([str(cpu), *row]) for cpu, row in enumerate(cells)]
    (one,) = pasted.read("\n".join([" ".join(map(str, range(8))), *rows]), "it")
    assert len(one.map.groups) == groups


BALANCED = (ROOT / "tests" / "data" / "pasted" / "c2c-balanced-5700x.csv").read_text()
SMALL = ",,\n0.00000125,,\n0.5,100000000,\n"
TEXT = " CPU    0    2    5\n   0    0   27  110\n   2   27    0  112\n   5  110  112    0\n"
BELOW_ONE = " CPU    0    1    2\n   0    0    0  110\n   1    0    0  112\n   2  110  112    0\n"


def matrix_in(text: str) -> tuple[str, LatencyMap]:
    (one,) = pasted.read(text, "theirs")
    return one.form, one.map


def test_what_they_write_is_written_byte_for_byte() -> None:
    rows: list[tuple[str, Any]] = [
        *(("core-to-core-latency", text) for text in (BALANCED, OTHERS["zeros"], SMALL)),
        *(("CSV", OTHERS["both directions"]), ("c2clat", TEXT), ("c2clat", BELOW_ONE)),
    ]
    for form, text in rows:
        assert matrix_in(text)[0] == form
        assert (study.c2clat if form == "c2clat" else study.core_to_core_latency)(matrix_in(text)[1]) == text


@settings(max_examples=30)
@given(st.integers(2, 12), st.data())
def test_any_csv_of_theirs_survives(cpus: int, data: st.DataObject) -> None:
    figure = st.none() | st.just(0.0) | st.floats(1e-9, 1e9)
    rows = [[data.draw(figure) if other < cpu else None for other in range(cpus)] for cpu in range(cpus)]
    text = "".join(",".join("" if one is None else plain(one) for one in row) + "\n" for row in rows)
    if any(one for row in rows for one in row):
        assert study.core_to_core_latency(matrix_in(text)[1]) == text
    else:
        with pytest.raises(Unreadable, match="it has no latency between two CPUs"):
            pasted.read(text, "theirs")


def plain(ns: float) -> str:
    """As Rust writes a number: the shortest that is this one, without an exponent."""
    return f"{Decimal(repr(ns)):f}".removesuffix(".0")


def test_a_matrix_has_no_more_cpus_and_a_paste_no_more_lines_than_there_is_memory_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert pasted.MOST_CPUS == 1024
    with pytest.raises(Unreadable, match=r"more than 1,024 CPUs are not read\."):
        pasted.read(",1\n" * 5000, "theirs")
    with pytest.raises(Unreadable, match=r"more than 100,000 lines"):
        pasted.read("\n" * 2 * pasted.MOST_LINES + "\n", "theirs")
    monkeypatch.setattr(pasted, "MOST_CPUS", 8)
    assert len(pasted.read("," * 7 + "\n" + ("1" + "," * 7 + "\n") * 7, "theirs")[0].map.cpus) == 8
    with pytest.raises(Unreadable, match=r"it is of 9 CPUs, and more than 8 are not read\."):
        pasted.read("," * 8 + "\n" + ("1" + "," * 8 + "\n") * 8, "theirs")
