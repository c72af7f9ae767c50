"""Repeat what was published, or look for it in a stored run, and show what became of it here."""

import os
from collections.abc import Sequence
from pathlib import Path

from threadping.analysis.rows import rows_of
from threadping.analysis.states import States
from threadping.cli.history import stored
from threadping.cli.measure import carry_out
from threadping.cli.options import Listing
from threadping.cli.runtimes import prepared
from threadping.errors import FlagRefused, ProbeUnusable, UnknownName
from threadping.experiments import EXPERIMENTS, declared
from threadping.machine.turn import turn
from threadping.model import Observation, Run, RunEnded, Runtime
from threadping.probes.description import Described, describe, read_topology
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags
from threadping.probes.words import words as said
from threadping.published import conclusions, records
from threadping.published.catalogue import CPP, JAVA, UNBIASED, Build
from threadping.published.comparison import Measured, compare
from threadping.published.records import Published
from threadping.selection.published import Here, cases_of_published, wanted
from threadping.selection.selection import Selection
from threadping.store import open_store

NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)


def published(
    articles: Sequence[str],
    selection: Selection,
    which: str | None,
    output: Listing,
    chart: Path | None,
    location: str | None,
) -> None:
    """Print the published figures of these experiments, of all by default, beside ours.

    Args:
        articles: names of published experiments.
        selection: the runtimes, the budget and the seed; of nothing else does this leave a choice.
        which: the run to compare; None to measure one.
        output: a table, or JSON.
        chart: where to draw it.
        location: of the store; None for the user's own.
    """
    figures = _figures(articles)
    if chart is not None:
        from threadping.views.charts import check_chart

        check_chart(chart)
    if which is not None:
        with open_store(location, create=False) as opened:
            run, observations, states = stored(opened, which)
        _print(figures, run, observations, states, output, chart)
        return
    with turn(anyway=selection.anyway) as beside:
        ended, states = _measured(figures, selection, location, beside)
    try:
        _print(figures, ended.run, ended.observations, states, output, chart)
    finally:  # also where nobody reads the answer to its end
        if ended.problem:
            raise ended.problem


def _measured(
    figures: Sequence[Published], selection: Selection, location: str | None, note: str | None
) -> tuple[RunEnded, States]:
    """Measure as many of the cases that repeat these figures as the budget allows."""
    found = find_runtimes(os.environ)
    named = selection.runtimes
    chosen = _chosen(found, named)
    cpp = found.cpp()
    topology = read_topology(cpp)
    builds = dict.fromkeys(one.way.build for group in wanted(figures) for one in group)
    offered = {build: _offered(build, chosen, found, named=bool(named)) for build in builds}
    askings = {name: experiment.asking for name, experiment in EXPERIMENTS.items()}
    cases = cases_of_published(figures, Here(offered, topology, askings, said().timed))
    used = {case.runtime for layer in cases.layers for case in layer.cases}
    described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
    with open_store(location) as opened:
        measuring = [one for label, one in described.items() if label in used]
        return carry_out(opened, cases, measuring, topology, cpp, selection, note)


def _figures(names: Sequence[str]) -> list[Published]:
    """The figures of these experiments; UnknownName where nothing of that name was published."""
    known = records.experiments()
    for name in names:
        if name not in known:
            raise UnknownName("published experiment", name, known)
    return [one for one in records.figures() if not names or one.experiment in names]


def _print(
    figures: Sequence[Published],
    run: Run,
    observations: Sequence[Observation],
    states: States,
    output: Listing,
    chart: Path | None,
) -> None:
    all_declared = declared()
    measured = Measured(run, rows_of(run, observations, all_declared, states), observations, all_declared)
    compared = compare(figures, measured)
    judged = conclusions.judge(conclusions.of_experiments({one.experiment for one in figures}), measured)
    if output == "json":
        from threadping.views.export.published import published_json

        print(published_json(run, states, compared, judged), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.published import published_tables

        stdout().print(published_tables(measured, states, compared, judged))
    if chart is not None:
        from threadping.views.charts.published import write_published

        write_published(run, compared, chart)


def _chosen(found: Found, named: Sequence[str]) -> Sequence[Runtime]:
    """The runtimes to choose from: those that were named, or every C++ build and a virtual machine of each version."""
    usual = {one.label for one in found.defaults()}
    return found.select(named) or [one for one in found.runtimes if one.probe != JAVA.probe or one.label in usual]


def _offered(build: Build, chosen: Sequence[Runtime], found: Found, *, named: bool) -> Described | str:
    """The first runtime that can be such a one, or why none can."""
    candidates: Sequence[Runtime]
    if build.probe == CPP.probe:
        candidates = [one for one in chosen if one.probe == CPP.probe and one.label.split()[1:] == [*build.flags]]
    else:
        candidates = with_jvm_flags([one for one in chosen if one.probe == build.probe], build.flags)
    if not candidates:
        return _missing(build, found, named=named)
    refusals: list[str] = []
    for one in candidates:
        try:
            return describe(*prepared([one]))
        except ProbeUnusable as error:
            refusals.append(NO_BIASED_LOCKING if isinstance(error, FlagRefused) and build.flags else str(error))
    if build == UNBIASED:  # where there is no biased locking there is no flag against it either
        return _offered(JAVA, chosen, found, named=named)
    return " ".join(dict.fromkeys(refusals))


def _missing(build: Build, found: Found, *, named: bool) -> str:
    what = " ".join([build.probe, *build.flags])
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    return next((one.reason for one in found.missing if one.what == build.probe), f"{what} is not built: `make setup`")
