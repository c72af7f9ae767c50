"""What other tools write is read, and written byte for byte; what is something else is refused in a sentence."""

from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadping.errors import MatrixUnreadable
from threadping.matrix import published
from threadping.matrix.matrix import Matrix
from threadping.matrix.published import c2clat, core_to_core_latency, read

CSV = (  # of results/Intel Core i7-6700K.csv, by its author
    ",,,,,,,\n"
    "6.93,,,,,,,\n"
    "20.313333333333333,19.89666666666667,,,,,,\n"
    "23.386666666666667,18.64666666666667,6.926666666666667,,,,,\n"
    "20.153333333333332,18.803333333333335,19.74,19.686666666666667,,,,\n"
    "21.04,20.573333333333334,19.636666666666667,19.063333333333333,6.976666666666667,,,\n"
    "18.906666666666666,20.936666666666667,20.886666666666667,19.01,19.79,18.073333333333334,,\n"
    "19.22,19.273333333333333,19.323333333333334,20.363333333333333,18.023333333333333,19.89666666666667,"
    "6.876666666666667,\n"
)
BOTH_WAYS = ",20.5,87\n21,,88.25\n86,88.5,\n"
TEXT = " CPU    0    2    5\n   0    0   27  110\n   2   27    0  112\n   5  110  112    0\n"
WRITERS: dict[str, Callable[[Matrix], str]] = {"core-to-core-latency": core_to_core_latency, "c2clat": c2clat}


@pytest.mark.parametrize(
    ("text", "form"), [(CSV, "core-to-core-latency"), (BOTH_WAYS, "core-to-core-latency"), (TEXT, "c2clat")]
)
def test_what_they_write_is_written_byte_for_byte(text: str, form: str, tmp_path: Path) -> None:
    (file := tmp_path / "matrix").write_text(text)
    found, of = read(file)
    assert found == form
    assert WRITERS[form](of) == text


@settings(max_examples=30)
@given(st.integers(2, 12), st.data())
def test_any_csv_of_theirs_survives(cpus: int, data: st.DataObject) -> None:
    figure = st.none() | st.floats(1e-3, 1e6)
    rows = [[data.draw(figure) if other < cpu else None for other in range(cpus)] for cpu in range(cpus)]
    text = "".join(",".join("" if one is None else repr(one).removesuffix(".0") for one in row) + "\n" for row in rows)
    with NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        if any(one is not None for row in rows for one in row):
            assert core_to_core_latency(read(Path(file.name))[1]) == text
        else:
            with pytest.raises(MatrixUnreadable, match="it has no latency between two CPUs"):
                read(Path(file.name))


def test_its_groups_are_found_and_nothing_is_claimed_of_its_states(tmp_path: Path) -> None:
    (file := tmp_path / "i7.csv").write_text(CSV)
    _, of = read(file)
    assert [(one.named, one.pairs, round(one.latency_ns, 1)) for one in of.clusters] == [("", 4, 6.9), ("", 24, 19.7)]
    assert {(cell.trials, cell.state, cell.latency.kind) for cell in of.cells} == {(0, None, None)}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "it is empty"),
        ("\n\n", "it is empty"),
        (",,\n1,,\n", "a matrix of 2 rows has as many columns, but line 1 has 3"),
        (",\n1,,\n", "line 2 has 3"),
        (",\nnear,\n", "'near' in line 2 is no latency in nanoseconds"),
        (",\n-3,\n", "'-3' in line 2 is no latency"),
        (",\n1e3,\n", "'1e3' in line 2 is no latency"),
        (";\n1;\n", "it has semicolons where core-to-core-latency writes commas"),
        (",\n,\n", "it has no latency between two CPUs"),
        ("5\n", "it has no latency between two CPUs"),
        (" CPU    0    1\n   0    0   27\n", "its rows and its first line name different CPUs"),
        (" CPU    0    1\n   0    0   27\n   1   27\n", "line 3 has 1"),
        (" CPU    0    b\n   0    0   27\n   1   27    0\n", "'b' in line 1 is no CPU"),
        (b"\xff\xfe\x00", "it is no text"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_something_else_is_refused_in_a_sentence(content: str | bytes | None, why: str, tmp_path: Path) -> None:
    file = tmp_path / "matrix"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MatrixUnreadable) as raised:
        read(file)
    assert why in str(raised.value)
    assert str(raised.value).startswith(f"{file} cannot be imported: ")
    assert raised.value.exit_code == 1


def test_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    with (file := tmp_path / "huge.csv").open("wb") as sparse:
        sparse.truncate(1 << 30)
    with pytest.raises(MatrixUnreadable, match=r"would be smaller than its 1 GiB\.$"):
        read(file)
    assert published.MOST_BYTES < 1 << 30
