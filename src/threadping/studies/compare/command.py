"""The command `compare`: two things now, a stored comparison again, two runs side by side, a run among earlier ones."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import click
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.runs import beside_each_other
from threadping.conduct.conduct import conduct
from threadping.conduct.showing import present_sheets, show
from threadping.conduct.stored import (
    answered,
    changes_between,
    compiled_between,
    is_like,
    stored_answer,
    with_headlines,
)
from threadping.conduct.study import Output, pop_fields
from threadping.experiments import EXPERIMENTS, of_run
from threadping.model.errors import UnknownName, UsageError
from threadping.model.proposals import made_literal
from threadping.model.run import is_same
from threadping.model.studies import Comparing
from threadping.output.heading import where
from threadping.output.layout import Blocks, grid_of
from threadping.output.run_records import run_entry, side_by_side_sheet
from threadping.planning.selection import Selection
from threadping.store.database import open_store
from threadping.studies.compare.cases import sides, two_named
from threadping.studies.compare.history import among, history_blocks, history_chart, history_facts, history_sheet
from threadping.studies.compare.study import ITSELF, STUDY, CompareQuestion

NOT_TESTED = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both "
    "sides measures them in turn."
)

COMMANDLINE = click.core.ParameterSource.COMMANDLINE

OF_ANY_RUN = {  # parameters that do not say what is measured now
    *("what", "experiment", "metric", "margin", "fail_above", "across", "nights", "itself", "power"),
    *Output.__struct_fields__,
}


def compare(
    what: Sequence[str],
    experiment: str | None,
    across: bool,
    nights: int | None,
    itself: bool,
    power: bool,
    a: str | None,
    b: str | None,
    **options: Any,
) -> int:
    """Compare two things now, show a stored comparison, or lay two runs side by side; the exit code."""
    output = pop_fields(Output, options)
    how = {name: options.pop(name) for name in ("metric", "margin", "fail_above")}
    runs, experiments = runs_and_experiments((*what, *([experiment] if experiment else [])))
    context = click.get_current_context()
    given = [one for one in context.command.params if context.get_parameter_source(one.name or "") == COMMANDLINE]
    named = [one.opts[0] for one in given if one.name not in OF_ANY_RUN]
    if (runs or nights) and (named or itself):
        raise UsageError(f"{(named or ['--self'])[0]} is for what is measured now: leave it out, or the runs.")
    _check_use(how, runs, nights=bool(nights), itself=itself, power=power, across=across)
    if nights:
        return _history(runs[0] if runs else "last", nights, output)
    if len(runs) == 2:
        return _side_by_side(runs, output, across=across)
    if runs:
        return _again(runs[0], CompareQuestion(**how), output)
    selection = Selection(experiments=tuple(experiments or of_run()), **options)
    if itself and not (selection.mechanisms or selection.params or selection.runtimes):
        selection = replace(selection, experiments=("signal",), mechanisms=("cas-one-line",), runtimes=("cpp",))
    if itself and (a or b):
        raise UsageError("--self compares a thing with itself: leave --a and --b out.")
    selection, of_sides = two_named(selection, a, b) if a or b else (selection, ITSELF if itself else sides(selection))
    asked = CompareQuestion(selection=selection, sides=of_sides, planted=power, **how)
    return conduct(STUDY, asked, output, anyway=selection.anyway)


def _check_use(
    how: dict[str, Any], runs: Sequence[str], *, nights: bool, itself: bool, power: bool, across: bool
) -> None:
    """Raise UsageError for an option that would be without effect."""
    in_turn, tested = not nights and len(runs) < 2, "what was measured in turn: of other runs nothing is tested"
    for option, given, used, what in (
        *((f"--{name.replace('_', '-')}", given, in_turn, tested) for name, given in how.items()),
        ("--power", power, itself or len(runs) == 1, "a thing compared with itself: give --self"),
        ("--across-machines", across, len(runs) == 2, "two runs"),
    ):
        if given and not used:
            raise UsageError(f"{option} is for {what}.")


def runs_and_experiments(what: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divide numbers of runs, or `last`, from experiments; raise UsageError for both, or for neither."""
    runs = [one for one in what if re.fullmatch(r"\d+|last", one)]
    experiments = [one for one in what if one not in runs]
    for name in experiments:
        if "/" in name:
            raise UsageError(
                f"'{name}' is a path. Probes are compared as runtimes: --runtime cpp=OLD --runtime cpp=NEW; runs of a "
                "page by their numbers, once `threadping import` has stored them."
            )
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, list(EXPERIMENTS), note=", and no run's number")
    if runs and experiments:
        raise UsageError(f"'{runs[0]}' is a run, and '{experiments[0]}' is to be measured: name runs or experiments.")
    if len(runs) > 2:
        raise UsageError(f"Two runs can be laid side by side, but {len(runs)} are named.")
    return runs, experiments


def _again(which: str, asked: CompareQuestion, output: Output) -> int:
    """Show a stored comparison, by its own margin unless another is asked for; the exit code."""
    answer = stored_answer(output.location, which)
    if not isinstance(answer.run.study, Comparing):
        raise UsageError(
            f"Run {answer.run.id} is no comparison. `threadping show {answer.run.id}` shows it; two runs are laid side "
            f"by side by `threadping compare {answer.run.id} OTHER`."
        )
    return show(STUDY, answer, asked, output)


def _side_by_side(which: Sequence[str], output: Output, *, across: bool) -> int:
    """Print two stored runs side by side, by case and state; nothing is tested."""
    with open_store(output.location, create=False) as store:
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
    beside, changes = beside_each_other(one, other), changes_between((one, other))
    if not beside:
        none = f"Runs {one.run.id} and {other.run.id} have no case in common that was in the same state."
        raise UsageError(" ".join([none, *changes]))
    sheet = side_by_side_sheet(beside, [f"run {answer.run.id}" for answer in (one, other)])
    remarks = compiled_between((one, other))
    said = [Text(text, "yellow") for text in (made_literal(NOT_TESTED), *changes, *remarks)]
    shown = Blocks.of(where(one.run), where(other.run), Text(), *said, Text(), grid_of(sheet))
    runs = [run_entry(one.run), run_entry(other.run)]
    facts: dict[str, Any] = {"not_compared": changes, "compiled_differently": remarks, "runs": runs}
    return present_sheets(output, lambda: shown, sheet, measured_apart=True, **facts)


def _history(which: str, nights: int, output: Output) -> int:
    """Print the rank of a run among the runs before it on its machine; return 3 if it is outside of them all."""
    with open_store(output.location, create=False) as store:
        tonight = answered(store, which)
        like = (one for one, _ in store.newest(tonight.run.id) if is_like(one, tonight.run))
        others = [with_headlines(store, run, tonight.run.cases) for run in islice(like, nights)][::-1]
    if not others:
        raise UsageError(f"The store has no earlier run of this machine that shares a case with run {tonight.run.id}.")
    found = among(tonight, others)
    changes, remarks = changes_between((tonight, *others)), compiled_between((tonight, *others))
    said = (Text(text, "yellow") for text in (*changes, *remarks))
    shown = Blocks.of(history_blocks(tonight, others, found), *said)
    facts = {**history_facts(tonight, others, found), "not_compared": changes, "compiled_differently": remarks}
    chart = partial(history_chart, tonight, others, found)
    code = 3 if found.outside else 4 if found.outside is None and output.strict else 0
    return present_sheets(output, lambda: shown, history_sheet(tonight, found), chart=chart, code=code, **facts)
