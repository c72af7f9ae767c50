"""What a run ends with: its problem comes before a doubt, and after files and the table."""

import errno
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER
from threadping.analysis.answer import Answer
from threadping.conduct import conduct, showing
from threadping.conduct.study import Output
from threadping.model.errors import Interrupted, OutputUnwritable, ThreadpingError, Undecided, UsageError
from threadping.model.run import RunEnded
from threadping.studies.survey.study import STUDY, SurveyStudy

INTERRUPTED = Interrupted("Interrupted.")


def ends(problem: ThreadpingError | None, monkeypatch: pytest.MonkeyPatch, **how: Any) -> int:
    """Show a run that ended with a problem."""
    monkeypatch.setattr(conduct, "keep_answer", lambda *_: None)
    seen = tuple(one.observation for one in ANSWER.trials)
    return conduct.show_ended(STUDY, RunEnded(ANSWER.run, seen, (), problem), None, Output(**how))


def test_the_problem_of_a_run_comes_before_a_doubt_and_after_its_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SurveyStudy, "fault", lambda *_: Undecided("--strict"))
    with pytest.raises(Undecided):
        ends(None, monkeypatch, strict=True)
    with pytest.raises(Interrupted):
        ends(INTERRUPTED, monkeypatch, strict=True, file=tmp_path / "a.json")
    assert (tmp_path / "a.json").stat().st_size > 1000 and "17 cases" in capsys.readouterr().out


def test_every_other_file_and_the_table_come_where_one_file_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(None, monkeypatch, file=tmp_path / "gone" / "a.json", page=tmp_path / "a.html") == 1
    said = capsys.readouterr()
    assert "17 cases" in said.out and "threadping: The output could not be written to" in said.err
    assert (tmp_path / "a.html").exists()


@pytest.mark.parametrize(("while_shown", "code"), [(OutputUnwritable("closed"), 1), (UsageError("no p99"), 130)])
def test_what_could_not_be_printed_counts_and_no_question_is_wrong_once_it_was_measured(
    monkeypatch: pytest.MonkeyPatch, while_shown: ThreadpingError, code: int
) -> None:
    def fails(*_: object) -> int:
        raise while_shown

    monkeypatch.setattr(conduct, "show", fails)
    with pytest.raises(ThreadpingError) as raised:
        ends(INTERRUPTED, monkeypatch)
    assert raised.value.exit_code == code
    if isinstance(while_shown, UsageError):
        with pytest.raises(ThreadpingError, match="no p99") as raised:
            ends(None, monkeypatch)
        assert raised.value.exit_code == 1


def test_files_are_written_before_the_table_is_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Full:
        def print(self, *_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(showing, "stdout", Full)
    output = Output(file=tmp_path / "a.json", chart=tmp_path / "a.svg", page=tmp_path / "a.html")
    with pytest.raises(OSError, match="No space"):
        showing.show(STUDY, ANSWER, None, output)
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "a.svg", "a.html"}


def test_a_run_of_which_no_row_has_a_figure_could_not_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(ANSWER, rows=tuple(replace(row, figures={}) for row in ANSWER.rows))
    assert ends(None, monkeypatch) == 0

    def analysed(*_: object) -> Answer:
        return bare

    monkeypatch.setattr(conduct, "analyse", analysed)
    with pytest.raises(ThreadpingError, match=r"^No case has a figure \(.*--budget \d+") as raised:
        ends(None, monkeypatch)
    assert raised.value.exit_code == 1
    monkeypatch.setattr(conduct, "analyse", lambda *_: replace(bare, rows=(ANSWER.rows[0], *bare.rows[1:])))
    assert ends(None, monkeypatch) == 0
