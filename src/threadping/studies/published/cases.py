"""The cases that repeat the published figures: which to measure on this machine, and which of a run they are."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, zip_longest

from threadping.errors import ThreadpingError
from threadping.model.cases import Case, Skipped
from threadping.model.run import Run
from threadping.plan.rounds import Layer
from threadping.probes.description import Described
from threadping.probes.runtimes import Found
from threadping.selection.cases import Cases
from threadping.selection.selection import Inventory
from threadping.studies.published.articles import Articles, articles
from threadping.studies.repeating.cases import case_of, find_case, offer_runtime
from threadping.studies.repeating.wanted import Build, WantedCase

LAYER = "what repeats the published figures"
"""What a plan calls its cases: so those that its budget left out are named in a run."""


def find_repeating(wanted: WantedCase, run: Run) -> Case | None:
    """The case of a run that repeats a published figure."""
    return find_case(wanted, run, _flags_that_matter())


@cache
def _flags_that_matter() -> frozenset[str]:
    return frozenset(flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags)


def runtimes_of(wanted: Articles, found: Found, named: Sequence[str]) -> dict[Build, Described | str]:
    """For each build the first runtime of those named, or else of the usual ones, that can be it; or why none can."""
    return {one.build: offer_runtime(one, found, named) for group in wanted.wanted for one in group}


def cases_of(asked: Articles, runtimes: Mapping[Build, Described | str], here: Inventory) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    One of each experiment comes first, then what claims need, then a further one of each experiment in turn.

    Args:
        asked: what is to be repeated.
        runtimes: for each build its runtime with what its probe describes, or why there is none.
        here: what there is to measure with besides.

    Raises:
        ThreadpingError: none of it can be repeated here.
    """
    groups = asked.wanted
    found = {one: case_of(one, runtimes[one.build], here) for one in chain.from_iterable(groups)}
    skipped = tuple(Skipped(one.title, why) for one, why in found.items() if isinstance(why, str))
    needed, *of_experiments = [[case for one in group if isinstance(case := found[one], Case)] for group in groups]
    first, *further = *zip_longest(*of_experiments), ()
    ordered = tuple(filter(None, dict.fromkeys((*first, *needed, *chain.from_iterable(further)))))
    if not ordered:
        whys = dict.fromkeys((*(one.why for one in asked.figures if one.why), *(one.reason for one in skipped)))
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(whys)}.")
    return Cases((Layer(LAYER, ordered, whole=False),), skipped)
