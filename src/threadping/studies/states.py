"""Placement states over time: of each pair of CPUs, in a run or over all runs of this machine."""

import os
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, pairwise, repeat

from rich.bar import FULL_BLOCK
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.states import PairHistory, PingSample, shares, states_of, stretches, watched_pairs, watching
from threadping.conduct.presenting import Output, present_sheets
from threadping.conduct.streams import fail
from threadping.model import quantities
from threadping.model.quantities import counted, duration, time
from threadping.model.run import Machine, Observation, Run, State
from threadping.model.text import made_literal, plain
from threadping.output import charts, layout, records, run_records
from threadping.output.heading import local_time, moment
from threadping.probes.machine import describe_machine
from threadping.probes.runtimes import find_cpp, read_lscpu, read_topology
from threadping.store.store import open_store

SOME, CHANGED = "\N{MEDIUM SHADE}", "^"

STRAY = -1  # no state
MOST_RUNS = 20  # of more runs the newest are listed, as `threadping runs list` does


def pair_sheet(watched: Sequence[PairHistory]) -> layout.Sheet[PairHistory]:
    """Return a line for each pair, with its states and its pings."""
    states = layout.Field[PairHistory](
        of=lambda pair: records.records_of(run_records.state_sheet(pair.states)),
        key="states",
        type=("StateEntry", run_records.STATE_FIELDS),
        means="The nearest first.",
    )
    return layout.Sheet("pairs", (*records.fields_of(PairHistory, "states"), states), watched)


def states_of_run(run: Run, watched: Sequence[PairHistory]) -> layout.Block:
    """Show the states of a run, and when they held; or why nothing is known of them."""
    if not watched:
        why = (
            "it ended before its first one"
            if any(case.placement.pairs for case in run.cases)
            else "only threads that are pinned to two or more CPUs have a state"
        )
        return Text(f"Run {run.id} has no pings: {why}.")
    times = [one.at for pair in watched for one in pair.series]
    whole = min(times), max(times)
    parts = [part for one in watched for part in (*_states(one), layout.WidthDependent(partial(strip_of, one, *whole)))]
    legend = [f"{FULL_BLOCK} this state alone in that moment, {SOME} others too"]
    if any(pair.state_changed for pair in watched):
        legend.append(f"{CHANGED} changed in a trial")
    return layout.Blocks.of(Text.assemble(("run ", "bold"), moment(run)), *parts, Text(f"\n{'; '.join(legend)}", "dim"))


def states_of_machine(machine: Machine, watched: Sequence[PairHistory]) -> layout.Block:
    """Show the states of a machine over all runs, and their share of each; or how to come to know some."""
    host = plain(", ".join(filter(None, (machine.hostname, machine.cpu_model))))
    if not watched:
        said = (
            f"No ping of this machine ({host}) is stored. `threadping run` takes some between its trials; "
            "`threadping ping` shows how far CPUs are from each other now."
        )
        return Text(made_literal(said))
    runs = len({one.run for pair in watched for one in pair.series})
    parts = [part for one in watched for part in (*_states(one), *(_runs(one) if one.states else ()))]
    return layout.Blocks.of(Text.assemble((host, "bold"), f", {counted(runs, 'run')}"), *parts)


def _states(pair: PairHistory) -> Iterator[layout.Block]:
    """Say how many pings, states and changes; then what is in no state, has failed, or changed during a trial."""
    name = quantities.pair(pair.cpus) + (f" ({pair.placement})" if pair.placement else "")
    numbers = (pair.pings, "ping"), (len(pair.states), "state"), (pair.changes, "change")
    yield Text.assemble("\n", (name, "bold"), f": {', '.join(counted(*one) for one in numbers)}")
    if pair.between:
        yield Text(f"{pair.between:,} in no state (disturbed, or taken while it changed)", "dim")
    if pair.failed:
        why = next((one.failure for one in pair.series if one.failure), "no reason")
        yield Text(f"{pair.failed:,} failed: {plain(why)}", "dim")
    if pair.state_changed:
        yield Text(f"the state changed during {counted(len(pair.state_changed), 'trial')}", "dim")
    if pair.states:
        yield run_records.state_table(pair.states)


def strip_of(pair: PairHistory, begun: float, ended: float, _console: Console, options: ConsoleOptions) -> RenderResult:
    """Draw when each state of a pair held: a line for each, from one time to another, as wide as the console.

    The state with the lowest latency is at the top, as in the table above it and in the ladder. Moments without a ping
    show the ping nearest in time, as dwell times do. A ping that is in no state hides no other. Yield nothing if there
    is no time to show.
    """
    heads = [time(state.core_to_core_ns) for state in pair.states]
    gap = 2 + max(map(len, heads), default=0)
    width = options.max_width - gap
    if not heads or ended <= begun or width < 1:
        return
    moments = _moments(pair, begun, ended, width)

    def block(state: int, moment: set[int]) -> str:
        others = SOME if len(moment - {STRAY}) > 1 else FULL_BLOCK
        return others if state in moment else " "

    yield Text()
    for state, head in enumerate(heads):
        line = "".join(block(state, moment) for moment in moments)
        yield Text.assemble((f"{head:>{gap - 2}}  ", "bold"), (line, "cyan"), no_wrap=True)
    if pair.state_changed:
        marks = {_column(at, begun, ended, width) for at in pair.state_changed}
        line = "".join(CHANGED if column in marks else " " for column in range(width))
        yield Text(" " * gap + line, "yellow", no_wrap=True)
    took = duration(ended - begun)
    yield Text(f"{' ' * gap}0 s{took:>{max(0, width - 3)}}", "dim", no_wrap=True)


def _column(at: float, begun: float, ended: float, width: int) -> int:
    return min(width - 1, int(width * (at - begun) / (ended - begun)))


def _moments(pair: PairHistory, begun: float, ended: float, width: int) -> list[set[int]]:
    """Return the states of each moment's pings; none before the first and after the last of this pair."""
    series = sorted((one.at, STRAY if one.state is None else one.state) for one in pair.series if one.ns is not None)
    places = [_column(at, begun, ended, width) for at, _ in series]
    moments: list[set[int]] = [set() for _ in range(width)]
    for place, (_, state) in zip(places, series, strict=True):
        moments[place].add(state)
    turns = [(one + other) / 2 for (one, _), (other, _) in pairwise(series)]
    for place in range(places[0], places[-1]):
        if not moments[place]:
            middle = begun + (place + 0.5) / width * (ended - begun)
            moments[place].add(series[bisect(turns, middle)][1])
    return moments


def _runs(pair: PairHistory) -> Iterator[layout.Block]:
    """List the newest runs, each with the share of each state."""
    of_runs = [list(of_it) for _, of_it in groupby(pair.series, lambda one: one.run)]
    shown = of_runs[: -MOST_RUNS - 1 : -1]
    series = [[(one.at, one.state) for one in of_it if one.state is not None] for of_it in shown]
    of_time = [shares([*stretches(of_it)], Counter(state for _, state in of_it)) for of_it in series]
    yield Text()
    yield layout.grid(
        [*zip(shown, of_time, strict=True)],
        layout.named("run", lambda one: str(one[0][0].run), "bold"),
        layout.named("first ping", lambda one: local_time(datetime.fromtimestamp(one[0][0].at, UTC).isoformat())),
        layout.Field(head="pings", unit="count", of=lambda one: len(one[0]), rank=1),
        *map(_share_of, range(len(pair.states)), pair.states),
    )
    if older := len(of_runs) - len(shown):
        yield Text(f"Not shown: {counted(older, 'older run')}.", "dim")


def _share_of(place: int, state: State) -> layout.Field[tuple[list[PingSample], Mapping[int, float]]]:
    return layout.Field(head=time(state.core_to_core_ns), unit="share", of=lambda one: one[1].get(place) or None)


def over_time_of(machine: Machine, watched: Sequence[PairHistory]) -> layout.Json:
    """Lay out a panel for each pair with a successful ping; ChartRefused if there is none."""
    taken = charts.some([one for pair in watched for one in pair.series if one.ns], "no ping has a figure")
    runs, times = {one.run for one in taken}, [one.at for one in taken]
    which = f"run {min(runs)}" if len(runs) == 1 else counted(len(runs), "run")
    when = f"{which}, {charts.minute_of(min(times))} to {charts.minute_of(max(times))} UTC"
    return charts.page(machine, when, charts.over_time(watched))


def readers(answer: Answer) -> Iterator[Callable[[], object]]:
    run = answer.run
    watched = watched_pairs(answer.states, repeat(run.id), run.machine.topology, answer.observations)
    yield partial(states_of_run, run, watched)
    yield partial(states_of_machine, run.machine, watched)
    yield partial(records.as_json, pair_sheet(watched))
    yield partial(over_time_of, run.machine, watched)


# ---- the command ----


def show_states(which: str | None, output: Output) -> int:
    """Print the states of a run; where none is named, of this machine over all runs; the exit code."""
    observations: Sequence[Observation] = ()
    with open_store(output.location, create=False) as store:
        if which is None:
            run, machine = None, describe_machine(read_topology(find_cpp(os.environ)), read_lscpu())
            pings, damaged = store.pings_of_machine(machine)
            for said in dict.fromkeys(str(one) for one in (*store.listed()[1], *damaged)):
                fail(said, 0)
        else:
            run = store.run(which)
            machine, observations, pings = run.machine, store.observations(run), {run.id: store.pings(run)}
    resumed = run.resumed if run else ()
    of_runs = [(number, of) for number, taken in pings.items() for of in watching(taken, resumed)[1]]
    found, runs = states_of(*(of for _, of in of_runs)), [number for number, of in of_runs for _ in of]
    watched = watched_pairs(found, runs, machine.topology, observations)
    block = partial(states_of_run, run, watched) if run else partial(states_of_machine, machine, watched)
    return present_sheets(output, block, lambda: [pair_sheet(watched)], chart=partial(over_time_of, machine, watched))
