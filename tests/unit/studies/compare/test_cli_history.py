"""Observations of an older form are made anew, each in its place; of other nights only headlines are kept."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden import calls, fixture, minute
from tests.unit.analysis.examples import SIGNAL, observed, result, trial
from threadping.analysis.analyse import analyse_headlines
from threadping.analysis.answer import Answer
from threadping.conduct.presenting import Output
from threadping.conduct.stored import observations_of
from threadping.model.errors import UsageError
from threadping.model.run import Observation, Run
from threadping.store.store import Store, open_store
from threadping.studies.compare import study as compare

GONE = replace(SIGNAL, experiment="gone")


class Shelf:
    """A store whose observations are of an older form, one of an experiment that is known no more."""

    def trials(self, _run: Any) -> list[Any]:
        return [replace(trial(SIGNAL, result()), case=case) for case in (SIGNAL, GONE, SIGNAL)]

    def observations(self, _run: Any) -> list[Any]:
        made = observed(SIGNAL, result())
        return [replace(made, case=case, figures={}, form=0) for case in (SIGNAL, GONE, SIGNAL)]


def test_an_experiment_that_is_known_no_more_keeps_its_places_since_pings_are_counted_by_trials() -> None:
    shelf: Any = Shelf()
    made: Any = observations_of(shelf, fixture.RUN)
    assert [(one.case.experiment, bool(one.figures)) for one in made] == [
        ("signal", True),
        ("gone", False),
        ("signal", True),
    ]


@pytest.mark.parametrize("whole", [fixture.ANSWER, fixture.MOVED, minute.ANSWER, calls.ANSWER])
def test_headlines_alone_are_those_of_the_whole_analysis(whole: Answer) -> None:
    of = whole.stored
    few = analyse_headlines(of.run, of.observations, of.pings, whole.declared)

    def headlines(answer: Answer) -> list[tuple[object, ...]]:
        return [(row.case, row.state, row.headline, row.leads) for row in answer.rows]

    assert headlines(few) == headlines(whole)
    assert not few.trials and not any(row.trials or row.ended for row in few.rows)
    assert any(one.headline for one in few.rows)


def test_a_history_reads_the_requested_number_of_runs_and_keeps_none_of_their_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, read = minute.ANSWER.stored, list[int]()
    kept = list[Answer]()
    with open_store(location := str(tmp_path / "runs.sqlite3")) as store:
        for _ in range(12):
            store.take(of)
        store.take(replace(of, run=replace(of.run, machine=replace(of.run.machine, cpu_model="another"))))
        last = store.take(of)
    observations = Store.observations

    def counted(store: Store, run: Run) -> list[Observation]:
        read.append(run.id)
        return observations(store, run)

    def among(_: Answer, others: list[Answer]) -> None:
        kept.extend(others)
        raise UsageError("It is read.")

    monkeypatch.setattr(Store, "observations", counted)
    monkeypatch.setattr(compare.sheets, "among", among)
    with pytest.raises(UsageError, match="It is read"):
        compare._history(str(last.id), 4, Output(location=location))
    assert read == [14, 12, 11, 10, 9]
    assert [one.run.id for one in kept] == [9, 10, 11, 12]
    assert [len(one.rows) for one in kept] == [len(minute.ANSWER.rows)] * 4
    assert not any(one.trials or one.run.cases for one in kept)
