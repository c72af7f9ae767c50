"""Compare: its options, and what it calls."""

from collections.abc import Sequence
from typing import Any

import click

from threadping.cli import options, syntax
from threadping.cli.options import CHART, EXPERIMENT, HOW, OUTPUT, STORE, WHAT, CompareFormat, Group, Option
from threadping.errors import UsageError
from threadping.experiments import EXPERIMENTS, of_run

COMMANDS = Group()

METRIC = Option(
    "--metric",
    "headline (of each experiment, the default), mean, p99, cpu (the CPU time of an operation) or rate.",
    WHAT,
    type=click.Choice(["headline", "mean", "p99", "cpu", "rate"]),
    default="headline",
)
MARGIN = Option("--margin", "A difference that does not matter; 3% by default.", HOW, type=syntax.SHARE)
FAIL_ABOVE = Option(
    "--fail-above",
    "Exit with 3 if B is surely slower by more than this; by default if it is called slower.",
    OUTPUT,
    type=syntax.SHARE,
)
OR_4 = Option("--strict", "Exit with 4 if the budget was too small to decide that.", OUTPUT, is_flag=True)
COMPARED = options.form(CompareFormat, "table, json, csv or markdown, a comment for a pull request.", "--format form")
ACROSS = Option("--across-machines across", "Lay runs of different machines side by side.", WHAT, is_flag=True)
HISTORY = Option(
    "--history",
    "Set a run against the last N before it on this machine: is this host as it was? Exit with 3 if not.",
    WHAT,
    metavar="N",
    type=click.IntRange(4),
)
ITSELF = Option("--self itself", "Compare a thing with itself: how often is it said to differ?", WHAT, is_flag=True)
POWER = Option("--power", "With --self: how often are planted 1, 2, 3 and 5% seen?", WHAT, is_flag=True)
SELECTED = options.selecting([*EXPERIMENTS.values()])


@COMMANDS.command(
    "compare",
    params=[
        click.Argument(["what"], metavar="[EXPERIMENT... | RUN [RUN]]", nargs=-1),
        *(EXPERIMENT, *SELECTED, METRIC, MARGIN, FAIL_ABOVE, OR_4, ACROSS, HISTORY, ITSELF, POWER),
        *(COMPARED, CHART, STORE),
    ],
)
@click.pass_context
def _compare(
    context: click.Context,
    /,
    what: Sequence[str],
    experiment: str | None,
    across: bool,
    history: int | None,
    itself: bool,
    power: bool,
    **selected: Any,
) -> int:
    """Say whether B is slower than A, with an exit code.

    A and B are the two values of one option: two runtimes, mechanisms, placements, or values of a parameter. They are
    measured in turn, in random order. Of a run that did so: show it again; of two runs: lay them side by side.
    """
    from threadping.cli import compare
    from threadping.selection.selection import Selection

    asked = compare.Asked(**{name: selected.pop(name) for name in compare.Asked.__struct_fields__})
    runs, experiments = compare.runs_and_experiments((*what, *([experiment] if experiment else [])))
    given = [
        param.opts[0]
        for param in SELECTED
        if param.name and context.get_parameter_source(param.name) == click.core.ParameterSource.COMMANDLINE
    ]
    if (runs or history) and (given or itself):
        raise UsageError(f"{(given or ['--self'])[0]} is for what is measured now: leave it out, or the runs.")
    if history:
        return compare.history(runs[0] if runs else "last", history, asked)
    if len(runs) == 2:
        return compare.side_by_side(runs, asked, across=across)
    if runs:
        return compare.again(runs[0], asked)
    selection = Selection(experiments=tuple(experiments or of_run()), **selected)
    return compare.itself(selection, asked, power=power) if itself else compare.measured(selection, asked)
