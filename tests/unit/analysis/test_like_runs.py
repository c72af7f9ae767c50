"""How runs differ beyond their trials."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.golden import minute
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.analysis.analyse import FORM
from threadping.analysis.answer import Answer
from threadping.analysis.runs import MOST_LIKE, scatter, scatter_of_rows
from threadping.conduct.stored import answered, beside_like_runs
from threadping.model.run import Stored
from threadping.output.records import records_of
from threadping.output.run_records import sheets_of
from threadping.store.database import open_store
from threadping.store.store import Store


def of_rows(runs: int, trials: int, apart: float, rows: int = 14, noise: float = 0.1) -> list[list[list[float]]]:
    """Trials of runs whose levels are so many times as far apart as independent trials would make them."""
    rng = np.random.default_rng(4)
    level = noise / np.sqrt(trials) * np.sqrt(apart**2 - 1)
    return [
        [np.exp(rng.normal(rng.normal(0, level), noise, trials)).tolist() for _ in range(runs)] for _ in range(rows)
    ]


@pytest.mark.parametrize(("runs", "trials"), [(3, 4), (3, 6), (5, 6), (8, 12)])
def test_runs_that_are_alike_scatter_as_their_trials_explain_and_others_by_how_much_more(
    runs: int, trials: int
) -> None:
    for apart in (1.0, 1.7):
        found = [scatter(one) for one in of_rows(runs, trials, apart, 300)]
        known = [one**2 for one in found if one is not None]
        assert len(known) == 300
        assert np.sqrt(np.mean(known)) == pytest.approx(apart, rel=0.1)


def test_too_few_runs_or_trials_tell_nothing() -> None:
    assert scatter([[1, 2], [1, 2]]) is None
    assert scatter([[1], [2], [3]]) is None
    assert scatter([[1], [2], [3, 4], [5, 6]]) is None
    assert scatter([[5.0, 5.0]] * 4) is None  # trials that are all the same explain nothing
    assert scatter([[1.0, 2.0, 4.0]] * 3) == 0
    assert scatter_of_rows([]) is None


def read_today(one: Answer) -> Stored:
    """What was measured, by today's readings: older ones are not read again for others' sake."""
    return replace(one.stored, observations=tuple(replace(seen, form=FORM) for seen in one.observations))


def of_store(folder: Path, *others: Answer) -> Answer:
    """A run beside these runs before it."""
    with open_store(str(folder / "runs.sqlite3")) as store:
        for one in others:
            store.take(read_today(one))
        last = store.take(read_today(minute.ANSWER))
        return beside_like_runs(store, answered(store, str(last.id)))


def test_a_run_that_is_shown_says_of_each_row_how_like_runs_differ(tmp_path: Path) -> None:
    slower = replace(
        minute.ANSWER,
        trials=tuple(
            replace(
                one,
                observation=replace(
                    one.observation, figures={name: 1.5 * value for name, value in one.observation.figures.items()}
                ),
            )
            for one in minute.ANSWER.trials
        ),
    )
    found = of_store(tmp_path, minute.ANSWER, slower)
    for row, before in zip(found.rows, minute.ANSWER.rows, strict=True):
        assert row.headline == before.headline
        if row.headline and row.headline.value:
            assert row.between_runs and row.between_runs.runs == 3
            assert row.between_runs.low == pytest.approx(row.headline.value)
            assert row.between_runs.high == pytest.approx(1.5 * row.headline.value)
    assert (scatter_of_rows(found.rows) or 0) > 5
    written = records_of(sheets_of(found)[0])[0]["between_runs"]
    assert written.keys() == {"runs", "headline_range", "scatter"}


def test_runs_by_another_version_or_machine_are_not_like_it_and_no_more_are_read_than_needed(tmp_path: Path) -> None:
    of = minute.ANSWER
    newer = replace(of, run=replace(of.run, version="99"))
    elsewhere = replace(of, run=replace(of.run, machine=replace(of.run.machine, cpu_model="another")))
    (tmp_path / "few").mkdir()
    assert not any(row.between_runs for row in of_store(tmp_path / "few", of, newer, elsewhere).rows)
    (tmp_path / "many").mkdir()
    many = of_store(tmp_path / "many", *[of] * (MOST_LIKE + 3))
    assert {row.between_runs.runs for row in many.rows if row.between_runs} == {MOST_LIKE}


def test_of_a_matrix_no_run_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cases are not named in its run, so none is like it: fifty were decoded to find that."""
    answer = answer_of(machine(4, 4, 4), trials=1)
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        last = [store.take(read_today(answer)) for _ in range(2)][-1]
        monkeypatch.setattr(Store, "earlier", lambda *_: pytest.fail("runs before it were read"))
        assert beside_like_runs(store, answered(store, str(last.id))).rows


def test_runs_whose_readings_are_of_an_older_form_are_left_out(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        for _ in range(3):
            store.take(minute.ANSWER.stored)
        last = store.take(read_today(minute.ANSWER))
        assert not any(row.between_runs for row in beside_like_runs(store, answered(store, str(last.id))).rows)
