"""Compare two things: measured in blocks, again from the store, or two stored runs laid side by side."""

import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import click
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.metric import metric
from threadping.cli.answer import Output, give, taken
from threadping.cli.commands import SELECTED
from threadping.cli.history import answered, is_like, with_headlines
from threadping.cli.measure import (
    budget_of,
    concluding,
    inventory,
    paces_of_all,
    run_of,
    runtimes_of,
    warm_starts,
    watched,
)
from threadping.comparing.apart import among, beside_each_other
from threadping.comparing.blocks import Block, looks
from threadping.comparing.compare import Contest, Rules, gate
from threadping.comparing.compare import compare as compare_blocks
from threadping.comparing.compared import compared, metrics_of, why_not
from threadping.comparing.power import itself as of_itself
from threadping.comparing.words import REASONS
from threadping.errors import ProbeUnusable, UnknownName, UsageError
from threadping.experiments import EXPERIMENTS, declared, of_run
from threadping.machine.turn import turn
from threadping.model.cases import Skipped
from threadping.model.events import RunEnded
from threadping.model.run import Premises, Run, is_same
from threadping.model.studies import Comparing
from threadping.plan.again import plan_of, premises_of
from threadping.plan.blocks import Blocks, Comparable, make_blocks
from threadping.plan.schedule import Schedule
from threadping.probes.runtimes import find_runtimes
from threadping.selection.selection import Selection
from threadping.selection.sides import Pairs, Sides, pairs_of, sides
from threadping.store import open_store
from threadping.views import apart
from threadping.views.comparison import FORMATS, chart, comparing, comparison, itself_json, itself_table

ITSELF = Sides("", "", "")
"""Each case against itself, as often as the budget allows; `cas-one-line` in C++ unless others are selected."""

MARGIN = 0.03

COMMANDLINE = click.core.ParameterSource.COMMANDLINE


class Asked(Output, frozen=True, kw_only=True):
    """How to compare, and how to give the answer.

    Attributes:
        metric: the figure that is compared; None for the headline, or a stored run's own.
        margin: a difference that does not matter, as a share; None for MARGIN, or a stored run's own.
        fail_above: B is too slow if it is surely slower by more; None for the margin, or a stored run's own.
        strict: whether it is a failure too where that is open.
    """

    metric: str | None = None
    margin: float | None = None
    fail_above: float | None = None
    strict: bool = False


def compare(
    what: Sequence[str],
    experiment: str | None,
    across: bool,
    nights: int | None,
    itself: bool,
    power: bool,
    **given: Any,
) -> int:
    """Compare two things now, show a stored comparison, or lay two runs side by side; the exit code."""
    asked = taken(Asked, given)
    runs, experiments = runs_and_experiments((*what, *([experiment] if experiment else [])))
    context = click.get_current_context()
    named = [one.opts[0] for one in SELECTED if context.get_parameter_source(one.name or "") == COMMANDLINE]
    if (runs or nights) and (named or itself):
        raise UsageError(f"{(named or ['--self'])[0]} is for what is measured now: leave it out, or the runs.")
    if (itself or nights or len(runs) == 2) and asked.form not in ("table", "json"):
        raise UsageError(f"--format {asked.form} is for A against B. Choose table or json.")
    _check_use(asked, runs, nights=bool(nights), itself=itself, power=power, across=across)
    if nights:
        return _history(runs[0] if runs else "last", nights, asked)
    if len(runs) == 2:
        return _side_by_side(runs, asked, across=across)
    if runs:
        return _again(runs[0], asked)
    selection = Selection(experiments=tuple(experiments or of_run()), **given)
    if itself and not (selection.mechanisms or selection.params or selection.runtimes):
        selection = replace(selection, experiments=("signal",), mechanisms=("cas-one-line",), runtimes=("cpp",))
    with concluding(_carried_out(selection, ITSELF if itself else sides(selection), asked)) as answer:
        return show_comparisons(answer, asked, planted=power)


def _check_use(asked: Asked, runs: Sequence[str], *, nights: bool, itself: bool, power: bool, across: bool) -> None:
    """Refuse an option that would be without effect; UsageError."""
    in_turn, tested = not nights and len(runs) < 2, "what was measured in turn: of other runs nothing is tested"
    for option, given, used, what in (
        ("--metric", asked.metric, in_turn, tested),
        ("--margin", asked.margin, in_turn, tested),
        ("--fail-above", asked.fail_above, in_turn, tested),
        ("--power", power, itself or len(runs) == 1, "a thing compared with itself: give --self"),
        ("--across-machines", across, len(runs) == 2, "two runs"),
    ):
        if given and not used:
            raise UsageError(f"{option} is for {what}.")


def runs_and_experiments(what: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell the numbers of runs, or `last`, from experiments; UsageError where both were named, or neither is meant."""
    runs = [one for one in what if re.fullmatch(r"\d+|last", one)]
    experiments = [one for one in what if one not in runs]
    for name in experiments:
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, list(EXPERIMENTS), note=", and no run's number")
    if runs and experiments:
        raise UsageError(f"'{runs[0]}' is a run, and '{experiments[0]}' is to be measured: name runs or experiments.")
    if len(runs) > 2:
        raise UsageError(f"Two runs can be laid side by side, but {len(runs)} are named.")
    return runs, experiments


def _again(which: str, asked: Asked) -> int:
    """Show a stored comparison, by its own margin unless another is asked for; the exit code."""
    with open_store(asked.location, create=False) as store:
        answer = answered(store, which)
    if answer.run.comparison is None:
        raise UsageError(
            f"Run {answer.run.id} is no comparison. `threadping show {answer.run.id}` shows it; two runs are laid side "
            f"by side by `threadping compare {answer.run.id} OTHER`."
        )
    return show_comparisons(answer, asked)


def _carried_out(selection: Selection, of_sides: Sides, asked: Asked) -> RunEnded:
    found = find_runtimes(os.environ)
    wanted = runtimes_of(found, selection)
    if of_sides.what == "runtime" and len(wanted) != 2:
        labels = ", ".join(one.label for one in wanted)
        these = f"both are {labels}" if len(wanted) == 1 else f"these are {len(wanted)}: {labels}"
        raise UsageError(f"A and B are two runtimes, but {these}. Name one runtime for each.")
    cpp = found.cpp()
    with turn(anyway=selection.anyway) as beside:
        here = inventory(cpp, wanted, () if selection.runtimes else found.missing, selection.cpus)
        if of_sides.what == "runtime" and here.missing:
            raise ProbeUnusable(here.missing[0].reason)
        name = asked.metric or "headline"
        pairs = having(pairs_of(of_sides, selection, here), name)
        here = here.only(case for pair in pairs.found for case in pair)
        budget = budget_of(selection, warm_starts(here.described))
        plan = make_blocks(pairs.found, budget, settling=of_sides != ITSELF)
        a, b = (wanted[0].label, wanted[1].label) if of_sides.what == "runtime" else of_sides.titles
        of = Comparing(of_sides.what, a, b, plan.pairs, name, asked.margin or MARGIN)
        skipped = (*pairs.skipped, *plan.left_out)
        premises = replace(premises_of(plan.plan, budget.starts), fail_above=asked.fail_above)
        begun = run_of(plan.plan, selection.budget_s, skipped, here.topology, here.runtimes, premises)
        with open_store(asked.location) as store:
            said = comparing(of, plan.plan.cases, selection.budget_s, skipped)
            return watched(store, replace(begun, comparison=of, note=beside), blocks_of, cpp, said)


def having(pairs: Pairs, asked: str) -> Pairs:
    """The pairs that have the figure which is asked for; the others fall away.

    Raises:
        UsageError: none has.
    """
    found, without = [], []
    for a, b in pairs.found:
        how = metric(asked, EXPERIMENTS[a.experiment].figures, a, b)
        if why := why_not(asked, how, (a, b)):
            without.append(Skipped(f"{a.experiment} {a.title}", why.rstrip(".")))
        else:
            found.append((a, b))
    if not found:
        raise UsageError(f"Nothing here can be compared by --metric {asked}. {without[0].reason}.")
    return Pairs(tuple(found), (*pairs.skipped, *without))


def blocks_of(run: Run, premises: Premises) -> Schedule:
    """The schedule of a comparison: in blocks, until they decide it."""
    of, plan = run.comparison, plan_of(run, premises, paces_of_all())
    assert of
    wanted = Comparable(plan, of.pairs, looks(plan.rounds), bool(of.what), run.budget_s)
    rules = Rules(of.margin, wanted.looks, premises.fail_above)
    metrics = metrics_of(run, of, declared())

    def settles(pair: int, blocks: Sequence[Block]) -> bool:
        contest = Contest(blocks, metrics[pair].higher_is_better)
        return compare_blocks(contest, rules, len(of.pairs)).is_settled

    return Blocks(wanted, lambda pair, trial: metrics[pair].of_trial(trial), settles)


def show_comparisons(answer: Answer, asked: Asked, *, planted: bool = True) -> int:
    """Print the comparisons of a run, by its own metric, margin and limit unless others are asked for; the exit code.

    Raises:
        UsageError: there is a case that has no such figure.
    """
    run = answer.run
    of = run.comparison
    assert of is not None
    of = replace(of, metric=asked.metric or of.metric, margin=asked.margin or of.margin)
    if not of.what:
        give(asked, {"json": itself_json}, itself_table, answer, of_itself(answer, of, planted=planted))
        return 0
    limit = run.premises.fail_above if run.premises and asked.fail_above is None else asked.fail_above
    found = compared(answer, of, limit)
    if asked.metric and not any(value for one in found for value in one.values):
        raise UsageError(f"Run {run.id} has no {of.metric}: {REASONS['metric-absent']}.")
    give(asked, FORMATS, comparison, answer, of, found, chart=chart)
    return gate((one.comparison for one in found), strict=asked.strict)


def _side_by_side(which: Sequence[str], asked: Asked, *, across: bool) -> int:
    """Print two stored runs beside each other, by case and state; nothing is tested."""
    with open_store(asked.location, create=False) as store:
        one, other = (answered(store, name) for name in which)
    if one.run.id == other.run.id:
        raise UsageError(f"Run {one.run.id} is named twice. Name two runs.")
    machines = one.run.machine, other.run.machine
    if not (across or is_same(*machines)):
        of = (", ".join(filter(None, (one.cpu_model, one.kernel, one.hypervisor))) for one in machines)
        raise UsageError(
            f"Runs {one.run.id} and {other.run.id} are of different machines ({'; '.join(of)}). With --across-machines "
            "they are laid side by side all the same."
        )
    beside = beside_each_other(one, other)
    if not beside:
        raise UsageError(f"Runs {one.run.id} and {other.run.id} have no case in common that was in the same state.")
    give(asked, {"json": apart.beside_json}, apart.beside_table, one, other, beside)
    return 0


def _history(which: str, nights: int, asked: Asked) -> int:
    """Print where a run stands among so many before it on its machine; 3 if it is outside of them all."""
    with open_store(asked.location, create=False) as store:
        tonight = answered(store, which)
        like = (one for one in store.earlier(tonight.run.id) if is_like(one, tonight.run))
        others = [with_headlines(store, run, tonight.run.cases) for run in islice(like, nights)][::-1]
    if not others:
        raise UsageError(f"The store has no earlier run of this machine that shares a case with run {tonight.run.id}.")
    results = among(tonight, others)
    give(asked, {"json": apart.history_json}, apart.history_table, tonight, others, results, chart=apart.history)
    return 3 if results.outside else 4 if results.outside is None and asked.strict else 0
