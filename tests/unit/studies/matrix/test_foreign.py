"""Other tools' matrices are read, and written byte for byte; anything else is refused in a sentence."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from threadping.analysis.latency_map import LatencyMap
from threadping.model.errors import MatrixUnreadable
from threadping.studies.matrix import pasted
from threadping.studies.matrix.pasted import MOST_CPUS, MOST_LINES, read
from threadping.studies.matrix.study import c2clat, core_to_core_latency

CSV = (ROOT / "tests" / "data" / "pasted" / "c2c-balanced-5700x.csv").read_text()
BOTH_WAYS = ",20.5,87\n21,,88.25\n86,88.5,\n"
ZEROS = ",,,\n0,,,\n51.5,51.75,,\n53.25,51.5,26.5,\n"
SMALL = ",,\n0.00000125,,\n0.5,100000000,\n"
TEXT = " CPU    0    2    5\n   0    0   27  110\n   2   27    0  112\n   5  110  112    0\n"
BELOW_ONE = " CPU    0    1    2\n   0    0    0  110\n   1    0    0  112\n   2  110  112    0\n"
WRITERS: dict[str, Callable[[LatencyMap], str]] = {"core-to-core-latency": core_to_core_latency, "c2clat": c2clat}


def matrix_in(text: str) -> tuple[str, LatencyMap]:
    (one,) = read(text, "theirs")
    return one.form, one.map


@pytest.mark.parametrize("text", [CSV, BOTH_WAYS, ZEROS, SMALL, TEXT, BELOW_ONE])
def test_what_they_write_is_written_byte_for_byte(text: str) -> None:
    form, of = matrix_in(text)
    assert form == ("c2clat" if text.startswith(" CPU") else "CSV" if text == BOTH_WAYS else "core-to-core-latency")
    assert WRITERS["c2clat" if form == "c2clat" else "core-to-core-latency"](of) == text


@settings(max_examples=30)
@given(st.integers(2, 12), st.data())
def test_any_csv_of_theirs_survives(cpus: int, data: st.DataObject) -> None:
    figure = st.none() | st.just(0.0) | st.floats(1e-9, 1e9)
    rows = [[data.draw(figure) if other < cpu else None for other in range(cpus)] for cpu in range(cpus)]
    text = "".join(",".join("" if one is None else plain(one) for one in row) + "\n" for row in rows)
    if any(one for row in rows for one in row):
        assert core_to_core_latency(matrix_in(text)[1]) == text
    else:
        with pytest.raises(MatrixUnreadable, match="it has no latency between two CPUs"):
            read(text, "theirs")


def plain(ns: float) -> str:
    """As Rust writes a number: the shortest that is this one, without an exponent."""
    written = repr(ns)
    if "e" in written:
        digits, exponent = written.split("e")
        written = f"{ns:.{max(0, len(digits.replace('.', '')) - 1 - int(exponent))}f}"
    return written.removesuffix(".0")


def test_a_matrix_has_no_more_cpus_and_a_paste_no_more_lines_than_there_is_memory_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST_CPUS == 1024
    with pytest.raises(MatrixUnreadable, match=r"more than 1,024 CPUs are not read\."):
        read(",1\n" * 5000, "theirs")
    with pytest.raises(MatrixUnreadable, match=r"more than 100,000 lines"):
        read("\n" * 2 * MOST_LINES + "\n", "theirs")
    monkeypatch.setattr(pasted, "MOST_CPUS", 8)
    assert len(read("," * 7 + "\n" + ("1" + "," * 7 + "\n") * 7, "theirs")[0].map.cpus) == 8
    with pytest.raises(MatrixUnreadable, match=r"it is of 9 CPUs, and more than 8 are not read\."):
        read("," * 8 + "\n" + ("1" + "," * 8 + "\n") * 8, "theirs")
