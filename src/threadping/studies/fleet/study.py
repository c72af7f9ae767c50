"""What a fleet makes of the run of a host."""

from collections.abc import Callable, Iterable

from threadping.analysis.answer import Answer
from threadping.conduct.study import PageContributor
from threadping.studies.fleet.differing import differing_hosts, without_trials


class FleetRoom(PageContributor):
    """What a page shows of the runs of several hosts, and of a host's run among them."""

    def readers(self, answer: Answer) -> Iterable[Callable[[], object]]:
        """The figures by which hosts of a kind are held against each other."""
        yield lambda: differing_hosts({"host": without_trials(answer)})


STUDY = FleetRoom()
