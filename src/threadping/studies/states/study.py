"""What is said of the states in which the CPUs of any run were."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat

from threadping.analysis.answer import Answer
from threadping.analysis.standing import watched_pairs
from threadping.conduct.study import Room
from threadping.sheets.records import as_json
from threadping.studies.states.shown import over_time_of, pair_sheet, states_of_machine, states_of_run


class StatesRoom(Room):
    """The states of the machine in a run."""

    def readers(self, answer: Answer) -> Iterable[Callable[[], object]]:
        """Its tables, its records, its chart."""
        run = answer.run
        watched = watched_pairs(answer.states, repeat(run.id), run.machine.topology, answer.observations)
        yield partial(states_of_run, run, watched)
        yield partial(states_of_machine, run.machine, watched)
        yield partial(as_json, pair_sheet(watched))
        yield partial(over_time_of, run.machine, watched)


STUDY = StatesRoom()
