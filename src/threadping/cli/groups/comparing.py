"""Compare: its options, and what it calls."""

from collections.abc import Sequence
from typing import Any, get_args

import click

from threadping.cli import options, syntax
from threadping.cli.options import CHART, EXPERIMENT, HOW, OUTPUT, STORE, WHAT, CompareFormat, Group, Option
from threadping.errors import UsageError
from threadping.experiments import EXPERIMENTS, of_run

COMMANDS = Group()

METRIC = Option(
    "--metric",
    type=click.Choice(["headline", "mean", "p99", "cpu", "rate"]),
    default="headline",
    help="headline (of each experiment, the default), mean, p99, cpu (the CPU time of an operation) or rate.",
    group=WHAT,
)
MARGIN = Option("--margin", type=syntax.SHARE, help="A difference that does not matter; 3% by default.", group=HOW)
FAIL_ABOVE = Option(
    "--fail-above",
    type=syntax.SHARE,
    help="Exit with 3 if B is surely slower by more than this; by default if it is called slower.",
    group=OUTPUT,
)
OR_4 = Option("--strict", is_flag=True, help="Exit with 4 if the budget was too small to decide that.", group=OUTPUT)
COMPARED = Option(
    *("--format", "form"),
    type=click.Choice(get_args(CompareFormat)),
    metavar="FORMAT",
    default="table",
    help="What goes to stdout: table, json, csv or markdown, a comment for a pull request.",
    group=OUTPUT,
)
ACROSS = Option(
    "--across-machines", "across", is_flag=True, help="Lay runs of different machines side by side.", group=WHAT
)
HISTORY = Option(
    "--history",
    metavar="N",
    type=click.IntRange(4),
    help="Set a run against the last N before it on this machine: is this host as it was? Exit with 3 if not.",
    group=WHAT,
)
ITSELF = Option(
    "--self", "itself", is_flag=True, help="Compare a thing with itself: how often is it said to differ?", group=WHAT
)
POWER = Option("--power", is_flag=True, help="With --self: how often are planted 1, 2, 3 and 5% seen?", group=WHAT)
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
