"""Cases and a budget in, rounds of trials out."""

from collections.abc import Sequence
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.covering import covering_order
from threadping.model import quantities
from threadping.model.cases import Case, Skipped
from threadping.planning.budget import Budget, too_much
from threadping.planning.plan import LOOKS, Plan

FEWEST_ROUNDS, USUAL_ROUNDS, MOST_ROUNDS = 3, 6, 60
"""From six trials on there is an interval. Fewer are planned only where the budget is too small for six of the cases
that were named, or of the one that is measured in any case; fewer than three only where a layer says so. What the
budget has besides goes to further trials of those cases that need it, up to so many of each."""


class Layer(Struct, frozen=True):
    """Cases that are asked for together, and what they are of, for a sentence.

    Those of one that is not `whole` stand in the order in which they are wanted, and as many are measured as fit in so
    many `rounds`. An `unhurried` one is measured only if every trial can be as long as it likes. Fewer rounds than the
    `fewest` of the first one are worth nothing. Where values of axes were `named`, its cases were asked for by name:
    those are taken first that cover these axes.
    """

    what: str
    cases: tuple[Case, ...]
    whole: bool = True
    unhurried: bool = False
    rounds: int = USUAL_ROUNDS
    fewest: int = FEWEST_ROUNDS
    named: tuple[str, ...] = ()


class Fitting(Struct, frozen=True):
    """The cases that a budget carries, in how few rounds, and a line for those of each layer that it does not.

    Those that are `missing` were asked for by name.
    """

    cases: tuple[Case, ...]
    left_out: tuple[Skipped, ...]
    fewest: int = FEWEST_ROUNDS
    missing: tuple[Case, ...] = ()


def fitting(layers: Sequence[Layer], budget: Budget) -> Fitting:
    """Take cases in the order in which they are wanted, as long as the budget carries their layer's rounds of them all.

    To see another mechanism is worth more than longer trials: those of the first layer are hurried, and all as short as
    may be until an unhurried one comes. None is taken after one that was left out; of a layer that is whole all or
    none. Of the first layer, the most wanted, at least one case is taken, and all of it where it is whole. Cases that
    are taken stand as they were given, whatever the order in which they were.
    """
    taken: dict[Case, None] = {}
    left_out: list[Skipped] = []
    asked: list[Case] = []
    hurried = least = settled = 0.0
    unhurried = False
    for layer in layers:
        unhurried = unhurried or layer.unhurried
        missing = 0
        asked += layer.cases if layer.named else ()
        ordered = [layer.cases[at] for at in covering_order(layer.cases, layer.named)]
        for group in [layer.cases] if layer.whole else [(case,) for case in ordered]:
            costs = [budget.cost(case) for case in group]
            hurried += sum(one.hurried for one in costs)
            least += sum(one.least for one in costs)
            settled += sum(one.settled for one in costs)
            round_s = settled if unhurried else hurried if layer is layers[0] else least
            needed_s = layer.rounds * round_s
            if taken and not budget.carries(needed_s):  # and so is every further one
                missing += len(group)
            else:
                taken |= dict.fromkeys(group)
        if missing:
            what = f"{quantities.counted(missing, 'case')} of {layer.what}"
            left_out.append(too_much(what, missing, needed_s, budget.spent_s))
    cases = tuple(case for layer in layers for case in layer.cases if case in taken)
    fewest = min(layers[0].fewest, *(layer.rounds for layer in layers))
    return Fitting(cases, tuple(left_out), fewest, tuple(case for case in asked if case not in taken))


def make_plan(cases: Sequence[Case], budget: Budget, fewest: int = FEWEST_ROUNDS) -> Plan:
    """Plan six rounds; what the budget has besides goes to trials until nothing hurries, and then is spare.

    That goes to further trials of the cases that need them; where all can have as many as there may be, to longer ones.
    A case that is to be known well enough is looked at after twelve trials first, so there are as many rounds.

    Where six rounds of hurried trials do not fit, rounds are left out, down to the `fewest` that are worth it.

    Raises:
        BudgetTooSmall: so few rounds of hurried trials do not fit; it names the smallest budget that will do.
    """
    found = {case: budget.cost(case) for case in cases}
    costs = found.values()
    hurried, least, settled = (sum(getattr(one, name) for one in costs) for name in ("hurried", "least", "settled"))
    what = f"{quantities.counted(fewest, 'round')} of {quantities.counted(len(cases), 'case')}"
    fewer = ", or choose fewer cases with --runtime, --mechanism or --placement"
    budget.refuse_unless_it_carries(fewest * hurried, what, fewer)
    usual = min(USUAL_ROUNDS, MOST_ROUNDS) if budget.until is None else LOOKS[0]
    able = (rounds for rounds in range(max(usual, fewest), fewest, -1) if budget.carries(rounds * hurried))
    rounds = next(able, fewest)
    a_round_s = budget.planned_s / rounds
    most_s = settled * (MOST_ROUNDS if budget.until is None else LOOKS[-1])
    if budget.trial_s is not None:
        lengths = [one.lengths.least for one in costs]
    elif a_round_s < least:
        share = max(0.0, a_round_s - hurried) / (least - hurried) if least > hurried else 0.0
        lengths = [one.lengths.hurried.towards(one.lengths.least, share) for one in costs]
    elif a_round_s < settled:
        share = (a_round_s - least) / (settled - least)
        lengths = [one.lengths.least.towards(one.lengths.settled, share) for one in costs]
    elif not budget.carries(most_s) or budget.until is not None:
        lengths = [one.lengths.settled for one in costs]
    else:
        start_s = sum(one.start_s for one in costs)
        factor = (budget.planned_s / MOST_ROUNDS - start_s) / (settled - start_s)
        lengths = [one.lengths.settled.times(factor) for one in costs]
    plan = budget.plan(found, lengths, rounds)
    spare_s = min(budget.planned_s, most_s if budget.trial_s is not None else inf) - plan.seconds
    return replace(plan, spare_s=max(0.0, spare_s), until=budget.until)
