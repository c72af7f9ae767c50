"""The cases that repeat the published figures on this machine, the most wanted first."""

from collections.abc import Mapping
from itertools import chain, zip_longest

from msgspec.structs import replace

from threadping.errors import ThreadpingError, UsageError
from threadping.model.cases import Case, Skipped
from threadping.plan.rounds import Layer
from threadping.probes.description import Described
from threadping.selection.cases import Cases, expand
from threadping.selection.selection import Inventory, Selection
from threadping.studies.published.articles import Articles, Build, Repeating
from threadping.studies.published.claims import LAYER, place


def cases_of_published(asked: Articles, runtimes: Mapping[Build, Described | str], here: Inventory) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    One of each experiment comes first, then what claims need, then a further one of each experiment in turn.

    Args:
        asked: what is to be repeated.
        runtimes: for each build its runtime with what its probe describes, or why there is none.
        here: what there is to measure with besides.

    Raises:
        ThreadpingError: none of it can be repeated here.
    """

    def case_of(one: Repeating) -> Case | str:
        """The case that its options alone would select, or why there is none."""
        described, name = runtimes[one.build], place(one, here.topology)
        if isinstance(described, str) or name is None:
            return described if isinstance(described, str) else "no two CPUs of different cores may be used"
        param, _, value = one.params.partition("=")
        selected = Selection(
            experiments=(one.experiment,),
            mechanisms=(one.mechanism,),
            placements=(name,),
            threads=(one.threads,),
            pairs=(one.threads // 2,),
            params={param: (value,)} if param else {},
            pins=(one.pin,),
            lines=one.lines,
        )
        try:
            return expand(selected, replace(here, described=[described])).every[0]
        except UsageError as error:
            return str(error).removeprefix("Nothing is left to measure. ").removesuffix(".")

    groups = asked.wanted
    found_of = {one: case_of(one) for one in chain.from_iterable(groups)}
    skipped = tuple(Skipped(one.title, why) for one, why in found_of.items() if isinstance(why, str))
    needed, *of_experiments = [[case for one in group if isinstance(case := found_of[one], Case)] for group in groups]
    first, *further = *zip_longest(*of_experiments), ()
    ordered = tuple(filter(None, dict.fromkeys((*first, *needed, *chain.from_iterable(further)))))
    if not ordered:
        whys = dict.fromkeys((*(one.why for one in asked.figures if one.why), *(one.reason for one in skipped)))
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(whys)}.")
    return Cases((Layer(LAYER, ordered, whole=False),), skipped)
