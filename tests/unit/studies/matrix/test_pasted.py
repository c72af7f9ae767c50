"""A matrix is found in any paste that people make of it, and its figures are those that were measured."""

from tomllib import loads

import pytest

from tests.conftest import ROOT
from tests.unit.studies.matrix.pastes import C2CLAT, CSV, EXACT, OTHERS, PAIRS, PRINTED, ROUNDED, WHOLE
from threadping.model.errors import MatrixUnreadable
from threadping.model.files import decode
from threadping.studies.matrix.pasted import PastedMatrix, read
from threadping.studies.matrix.study import core_to_core_latency


def found(paste: str | bytes) -> tuple[PastedMatrix, ...]:
    return read(decode(paste if isinstance(paste, bytes) else paste.encode(), "it"), "it")


def figures(of: PastedMatrix) -> dict[tuple[int, int], float]:
    return {**of.map.ns}


def lower(of: PastedMatrix) -> dict[tuple[int, int], float]:
    """The figures with the higher CPU first: all that is known where both directions are alike."""
    return {(max(pair), min(pair)): ns for pair, ns in figures(of).items()}


@pytest.mark.parametrize("name", EXACT)
def test_exact_figures_are_read_from_every_form_of_their_csv(name: str) -> None:
    (one,) = found(EXACT[name])
    assert (one.form, one.map.cpus) == ("core-to-core-latency", (0, 1, 2, 3))
    assert lower(one) == PAIRS and len(one.map.ns) == 6


@pytest.mark.parametrize("name", WHOLE)
def test_what_it_prints_for_a_person_is_read(name: str) -> None:
    (one,) = found(WHOLE[name])
    assert (one.form, one.map.cpus) == ("core-to-core-latency", (0, 1, 2, 3))
    assert lower(one) == ROUNDED


@pytest.mark.parametrize("name", C2CLAT)
def test_c2clat_is_read_with_and_without_prompts_and_frames(name: str) -> None:
    (one,) = found(C2CLAT[name])
    assert (one.form, sorted(one.map.cpus)) == ("c2clat", [0, 1, 2, 3])
    assert lower(one) == ROUNDED


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
    (one,) = found(printed)
    assert (one.map.cpus, figures(one)) == ((8, 4), {(4, 8): 31})
    (exact,) = found(f"{printed},\n30.75,\n")
    assert (exact.map.cpus, figures(exact)) == ((8, 4), {(4, 8): 30.75})


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
    assert core_to_core_latency(one.map) == OTHERS["zeros"]
    assert [(group.pairs, group.latency_ns) for group in one.map.groups] == [(1, 26.5), (4, 51.625)]


WORDS = {
    PRINTED.replace(" 8±0", " x±0"): "'x±0' in line 12 is not a latency in nanoseconds",
    **loads((ROOT / "tests" / "data" / "pasted.toml").read_text())["texts"],
}


@pytest.mark.parametrize("paste", WORDS)
def test_what_is_less_regular_is_refused_and_never_taken_for_latencies(paste: str) -> None:
    with pytest.raises(MatrixUnreadable) as raised:
        found(paste)
    assert WORDS[paste] in str(raised.value) and raised.value.exit_code == 1


@pytest.mark.parametrize(
    ("paste", "cells"),
    [
        (",20,20\n20,,21\n20,21,\n", {(1, 0): 20, (2, 0): 20, (2, 1): 21}),
        (",20\n20,\n", {(1, 0): 20}),
        ("0,20,87\n20,0,88\n87,88,0\n", {(1, 0): 20, (2, 0): 87, (2, 1): 88}),
    ],
)
def test_whole_numbers_that_cannot_be_names_are_latencies(paste: str, cells: dict[tuple[int, int], float]) -> None:
    assert lower(found(paste)[0]) == cells


NUMBERS = [
    *("-3", "+3", "1e3", "1_000", "0x10", "inf", "Infinity", "9" * 400, "0." + "0" * 400 + "1", "1e999", "5.", ".5"),
    *("1.000,5", "\u0663\u0664", "\uff11\uff12", "1000000001", "3 4", "near", "\u00b2"),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
def test_a_number_is_a_latency_only_as_a_person_would_write_one(number: str) -> None:
    with pytest.raises(MatrixUnreadable, match=r"in line 2 is not a latency in nanoseconds\. `threadping help"):
        found(f";;\n{number};;\n20.5;21.5;\n")


@pytest.mark.parametrize("number", ["0.000001", "1000000000", "12345.6789012345678901"])
def test_the_least_and_the_most_are_read(number: str) -> None:
    (one,) = found(f",\n{number},\n")
    assert figures(one) == {(1, 0): float(number)}
