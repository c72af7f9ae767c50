"""`threadping runs import`: every file is read within a bound, and handed on as what is in it."""

import io
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.golden import calls
from tests.unit.studies.matrix.pastes import CSV, OTHERS, PRINTED
from threadping.cli.report import import_files
from threadping.model.errors import PageUnreadable, StoreError, UsageError
from threadping.model.run import Stored
from threadping.output.bundle import embed_runs
from threadping.store.store import open_store


def imported(*paths: Path, **given: object) -> None:
    import_files(paths, **{"location": str(paths[0].parent / "runs.sqlite3"), **given})


def on_standard_input(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))


def test_a_pipe_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    on_standard_input(monkeypatch, CSV)
    monkeypatch.chdir(tmp_path)
    import_files([Path("-")], location="runs.sqlite3")
    assert capsys.readouterr().out.startswith("Standard input: core-to-core-latency, 4 CPUs.\n")
    on_standard_input(monkeypatch, f"<!doctype html>{embed_runs([])}")
    with pytest.raises(
        PageUnreadable, match=r"^Standard input cannot be imported: .* contains no run\. `threadping help runs import` "
    ):
        import_files([Path("-")], location="runs.sqlite3")


def test_a_table_shows_every_matrix_and_a_format_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "all.txt").write_text(str(OTHERS["three benchmarks"]))
    imported(path)
    shown = " ".join(capsys.readouterr().out.split())  # where a line ends, the length of the path decides
    titles = ("CAS latency on a single shared cache line", "Single-writer single-reader", "Message passing.")
    assert [shown.count(title) for title in titles] == [1, 1, 1]
    imported(path, form="core-to-core-latency")
    written = capsys.readouterr()
    assert written.out == ",,,\n7,,,\n20,21,,\n21,22,8,\n"
    assert written.err.startswith(f"{path} holds 3 matrices: this is the first (")
    path.write_text(PRINTED + CSV)
    imported(path, form="core-to-core-latency")
    assert capsys.readouterr() == (CSV, "")
    path.write_text(str(OTHERS["zeros"]))
    imported(path)
    shown = capsys.readouterr().out
    assert " 0.0 " in shown and "1 figure of 0: the tool's clock was too coarse." in shown


def test_of_several_files_all_runs_are_stored_or_none(tmp_path: Path) -> None:
    location = str(tmp_path / "runs.sqlite3")
    pages = [tmp_path / f"{place}.html" for place in range(3)]
    for seed, page in enumerate(pages):
        page.write_text(f"<!doctype html>{embed_runs([run_of(seed)])}")
    with open_store(location) as store:
        full = "WHEN (SELECT count(*) FROM runs) = 2 BEGIN SELECT RAISE(ABORT, 'full'); END"
        store.connection.rows(f"CREATE TRIGGER full BEFORE INSERT ON runs {full}")
    with pytest.raises(StoreError, match="full"):
        imported(*pages)
    with open_store(location) as store:
        assert store.listed()[0] == []
    imported(*pages[:2])
    with open_store(location) as store:
        assert [run.seed for run, _ in store.listed()[0]] == [1, 0]


def test_run_files_that_were_put_together_are_all_read_and_one_that_is_cut_off_refuses_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (both := tmp_path / "both.run").write_text("".join(f"{embed_runs([run_of(seed)])}\n" for seed in range(2)))
    imported(both)
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        assert [run.seed for run, _ in store.listed()[0]] == [1, 0]
    with monkeypatch.context() as patch, pytest.raises(PageUnreadable, match="more than 1 runs"):
        patch.setattr("threadping.output.bundle.MOST_RUNS", 1)
        imported(both)
    whole = both.read_text()
    for cut in (20, len(whole) // 2 - 10):
        both.write_text(whole[:-cut])
        with pytest.raises(PageUnreadable, match="its end is missing"):
            imported(both)


def run_of(seed: int) -> Stored:
    whole = calls.ANSWER.stored
    return replace(whole, run=replace(whole.run, seed=seed), observations=whole.observations[:6])


def test_options_of_a_matrix_are_refused_for_a_page_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (matrix := tmp_path / "matrix.csv").write_text(CSV)
    with pytest.raises(UsageError, match="--format and -o are for a matrix"):
        imported(matrix, tmp_path / "page.html", form="json")
    (renamed := tmp_path / "page.txt").write_text(embed_runs([]))
    with pytest.raises(UsageError, match="--format and -o are for a matrix"):
        imported(renamed, form="json")
    assert capsys.readouterr() == ("", "")
