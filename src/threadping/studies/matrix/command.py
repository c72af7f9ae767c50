"""The command `matrix`: measure every pair, or go on with a stored matrix."""

from typing import Any

from threadping.conduct.conduct import conduct, show_ended
from threadping.conduct.resume import continue_run
from threadping.conduct.study import Output, pop_fields
from threadping.model.errors import UsageError
from threadping.model.run import RunEnded
from threadping.model.studies import Pairing
from threadping.planning.budget import starts_of
from threadping.planning.selection import Selection
from threadping.store.database import open_store
from threadping.studies.matrix.study import STUDY, tournament_of


def measure(resume: str | None, anyway: bool, **options: Any) -> int:
    """Measure every pair and print the matrix, or continue the stored run `resume`; the exit code."""
    output = pop_fields(Output, options)
    asked = STUDY.ask(**options, anyway=anyway)
    if resume is None:
        return conduct(STUDY, asked, output, anyway=anyway)
    plain = Selection(experiments=("signal",), anyway=anyway)
    if asked.selection != plain or asked.directions:
        raise UsageError("--resume goes on as the run began: give it with --budget, or with options of the output.")
    return show_ended(STUDY, _resumed(resume, asked.longest_s, output, anyway=anyway), None, output)


def _resumed(which: str, budget_s: float | None, output: Output, *, anyway: bool) -> RunEnded:
    """Continue a stored matrix: by default for what its budget left, or as long as a new one."""
    with open_store(output.location) as store:
        run = store.run(which)
        if not isinstance(run.study, Pairing):
            raise UsageError(f"Run {run.id} is not a matrix. `threadping show {run.id}` shows it.")
        if budget_s is None and run.status == "complete" and run.premises:
            starts, topology = starts_of(run.premises), run.machine.topology
            budget_s = tournament_of(run.study, topology, starts, None, run.seed).budget_s
        return continue_run(store, run, anyway=anyway, more_s=budget_s)
