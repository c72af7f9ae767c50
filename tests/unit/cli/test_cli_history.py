"""Observations of an older form are made anew, each in its place."""

from typing import Any

from msgspec.structs import replace

from tests.unit.analysis.examples import SIGNAL, observed, result, trial
from threadping.cli.history import _observations

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
    made: Any = _observations(shelf, None)  # type: ignore[arg-type]
    assert [(one.case.experiment, bool(one.figures)) for one in made] == [
        ("signal", True),
        ("gone", False),
        ("signal", True),
    ]
