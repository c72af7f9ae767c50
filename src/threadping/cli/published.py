"""Repeat what was published, or look for it in a stored run, and show what became of it here."""

import os
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.cli.answer import Output, give, taken
from threadping.cli.history import answered
from threadping.cli.measure import carry_out, concluding, inventory_of
from threadping.cli.runtimes import describe_each
from threadping.errors import FlagRefused, UnknownName, UsageError
from threadping.machine.turn import turn
from threadping.model.events import RunEnded
from threadping.probes.description import Described, read_topology
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags
from threadping.published.comparison import compare, judge
from threadping.published.records import Repeating, articles
from threadping.selection.published import cases_of_published
from threadping.selection.selection import Selection
from threadping.store import open_store
from threadping.views.published import published_json, published_tables, specification

BUDGET_S = 180.0
"""How long it takes by default."""

NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)


def published(experiments: Sequence[str], which: str | None, **given: Any) -> None:
    """Print the published figures of these experiments, of all by default, beside ours.

    They are those of the stored run `which`, or of one that is measured now.
    """
    output, selection = taken(Output, given), Selection(**given)
    if which is not None and selection != Selection(budget_s=BUDGET_S):
        raise UsageError("--run measures nothing: leave out --budget, --runtime and --seed, or leave out --run.")
    known = articles().experiments
    if unknown := next((name for name in experiments if name not in known), None):
        raise UnknownName("published experiment", unknown, known)
    if which is not None:
        with open_store(output.location, create=False) as opened:
            answer = answered(opened, which)
        show_published(experiments, answer, output)
        return
    with turn(anyway=selection.anyway) as beside:
        ended = _measured(experiments, selection, output.location, beside)
    with concluding(ended) as answer:
        show_published(experiments, answer, output)


def _measured(experiments: Sequence[str], selection: Selection, location: str | None, note: str | None) -> RunEnded:
    """Measure as many of the cases that repeat these experiments' figures as the budget allows."""
    asked = articles().only(experiments)
    found = find_runtimes(os.environ)
    cpp = found.cpp()
    topology = read_topology(cpp)
    offered = {one.build: _offered(one, found, selection.runtimes) for group in asked.wanted for one in group}
    described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
    here = inventory_of(topology, [*described.values()])
    cases = cases_of_published(asked, offered, here)
    with open_store(location) as opened:
        return carry_out(opened, cases, here.only(cases.every), cpp, selection, note, experiments)


def _offered(one: Repeating, found: Found, named: Sequence[str]) -> Described | str:
    """The first runtime of those named, or else of the usual ones, that can be such a one; or why none can."""
    usual = {runtime.label for runtime in found.defaults()}
    chosen = [runtime for runtime in found.select(named) or found.runtimes if runtime.probe == one.runtime]
    if one.runtime == "cpp":
        candidates = tuple(runtime for runtime in chosen if runtime.label.split()[1:] == [*one.flags])
    else:
        candidates = with_jvm_flags([each for each in chosen if named or each.label in usual], one.flags)
    refusals: list[str] = []
    for runtime in candidates:
        described, errors = describe_each([runtime], prepare=True)
        if described:
            return described[0]
        for error in errors.values():
            refusals.append(NO_BIASED_LOCKING if isinstance(error, FlagRefused) and one.flags else str(error))
    if refusals:  # where there is no biased locking there is no flag against it either
        return _offered(replace(one, flags=(), since_java=None), found, named) if one.since_java else refusals[0]
    what = " ".join(one.build)
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    missing = (each.reason for each in found.missing if each.what == one.runtime)
    return next(missing, f"{what} is not built: `make setup`")


FORMATS = {"json": published_json}


def show_published(experiments: Sequence[str], answer: Answer, output: Output) -> None:
    """Print the published figures of these experiments beside those of a run."""
    asked = articles().only(experiments)
    compared, judged = compare(asked.figures, answer), judge(asked.claims, answer)
    give(output, FORMATS, published_tables, answer, compared, judged, chart=specification)
