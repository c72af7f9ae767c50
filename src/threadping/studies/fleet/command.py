"""A fleet: one question put to many hosts, their runs in one store, and which hosts differ from their kind."""

import math
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import version
from operator import attrgetter
from statistics import NormalDist, median
from typing import Any

import click
import numpy as np
from msgspec.structs import fields, replace
from rich.text import Text

from threadping.analysis import analyse, declaration, runs, validity
from threadping.analysis.answer import Answer
from threadping.analysis.states import states_of
from threadping.conduct.pages import load_bundle
from threadping.conduct.presenting import Output, pop_fields, present_sheets
from threadping.conduct.stored import answered, keep_series
from threadping.model import errors
from threadping.model.base import Record, read_clock
from threadping.model.cases import Case, Pair, Skipped
from threadping.model.quantities import counted, fold, pair, percent
from threadping.model.run import Fleet, Host, Machine, Member
from threadping.model.text import plain
from threadping.options.measuring import RUN
from threadping.output import heading, printing, records
from threadping.output.layout import Block, Field, Flow, Sheet, attribute, grid_of, together
from threadping.output.listings import reasons
from threadping.probes.interrupts import as_interrupt
from threadping.store.store import Store, open_store

FALSE_ALARMS = 0.01  # the share of fleets of equals in which, at most, any host is said to differ, over all its figures

FEWEST_HOSTS = 8  # of fewer hosts of a kind, distances from each other say too little of the usual one

LEAST_RATIO = 1.03  # a ratio that is nearer to 1 does not matter, however alike the other hosts are

NOISY = 2.0
"""The factor on what a host's interval reaches beyond the usual one, which shortens its distance. In simulated
fleets in which one host in ten is five times as noisy, 2% have a false alarm with it, 8% with 1, and all without."""

TO_DEVIATION = 2.2191
"""The standard deviation of normal values over the lower quartile of the distances between every two of them."""


class HostKind(Record, frozen=True):
    """Hosts that should be alike: the CPUs' model, how many there are, how many may be used, and the hypervisor."""

    cpu_model: str | None
    cpus: int
    allowed: int
    hypervisor: str | None


class HostFigure(Record, frozen=True):
    """A figure that is compared among hosts: a case's headline, or how far a pair of CPUs is apart; one of both is set.

    `called` is what the headline is where it is another figure than those of most cases: `mean`; else empty.
    """

    case: Case | None
    pair: Pair | None
    unit: declaration.Unit
    called: str = ""


class Value(Record, frozen=True):
    """A figure of a host, by its subject's unit, the ends of its interval, and the codes of what disturbed it."""

    value: float
    low: float
    high: float
    warnings: tuple[str, ...] = ()

    def reach(self, downwards: bool) -> float:
        """Return how far its interval reaches, as a logarithm."""
        return math.log(self.value / self.low if downwards else self.high / self.value)


class Spread(Record, frozen=True):
    """A subject over the hosts of a kind, in one state of the machines."""

    kind: HostKind  # of the hosts
    subject: HostFigure  # the figure
    core_to_core_ns: float | None  # of the state; None where cases are not split by it
    values: Mapping[str, Value]  # each host's
    median: float  # of the hosts that do not differ
    deviation: float  # of the same, a robust standard deviation of logarithms
    reach: float  # how far intervals usually reach to either side, as a logarithm
    # the ratio to the median from which a host with a usual interval differs; None for too few hosts
    differs_from: float | None


class DifferingHost(Record, frozen=True):
    """A host that differs from its kind in a subject; `ratio` is its figure over their median."""

    host: str
    spread: Spread
    value: Value
    ratio: float


# The value of each host, by the hosts' kind and the subject, and by the state
Groups = Mapping[tuple[HostKind, HostFigure], Mapping[float | None, Mapping[str, Value]]]


class FleetFindings(Record, frozen=True):
    """The kind of each host, a spread of each figure, common kinds first, and the hosts that differ, farthest first."""

    kinds: Mapping[str, HostKind]
    spreads: tuple[Spread, ...]
    outliers: tuple[DifferingHost, ...]


def kind_of(machine: Machine) -> HostKind:
    """Return the kind of a machine; its kernel is no part of it, since a host may differ by that."""
    topology = machine.topology
    return HostKind(machine.cpu_model, len(topology.cpus), len(set(topology.allowed)), machine.hypervisor)


def without_trials(answer: Answer) -> Answer:
    """Return the judged part of an answer: 10% of it, so that hundreds fit into memory."""
    return replace(answer, trials=(), rows=tuple(replace(row, trials=(), ended=()) for row in answer.rows))


def differing_hosts(answers: Mapping[str, Answer]) -> FleetFindings:
    """Say which hosts differ from their kind.

    A host differs whose logarithm is farther from the median than `critical` deviations. Hosts that do are left out of
    the median and the deviation, and the rest is judged again, until none is left. If logarithms are normal, at most
    FALSE_ALARMS of fleets without a difference have an outlier, over all hosts times all figures (Bonferroni). A host
    that is noisier than usual must differ by more.
    """
    kinds = {host: kind_of(answer.run.machine) for host, answer in answers.items()}
    groups: dict[tuple[HostKind, HostFigure], dict[float | None, dict[str, Value]]] = {}
    for kind in sorted(set(kinds.values()), key=lambda one: -sum(of == one for of in kinds.values())):
        members = {host: answer for host, answer in answers.items() if kinds[host] == kind}
        for host, subject, state, value in _values(members):
            groups.setdefault((kind, subject), {}).setdefault(state, {})[host] = value
    return FleetFindings(kinds, *differing(groups))


def _values(members: Mapping[str, Answer]) -> Iterator[tuple[str, HostFigure, float | None, Value]]:
    """Give every figure of each host with its state; states are those of all hosts together."""
    answers = list(members.values())
    states = states_of(*(answer.states.pings for answer in answers))
    for host, answer, rows in zip(members, answers, runs.rows_of(answers), strict=True):
        for cpus in answer.states.pairs:
            confirmed = [one for one in answer.states.of_pair(cpus) if analyse.is_confirmed(one, answer.states)]
            for own in confirmed[:1]:  # the nearest: how long it held is no property of a host
                ns, of_all = own.core_to_core_ns, [one.core_to_core_ns for one in states.of_pair(cpus)]
                state = min(of_all, key=lambda one: abs(math.log(one / ns)), default=None)
                yield host, HostFigure(None, cpus, "ns"), state, Value(ns, ns, ns)
        for key, row in rows.items():
            headline = row.headline
            if headline is not None and headline.ends[0] > 0 and validity.is_usable(row, "compare"):
                value = Value(headline.value, *headline.ends, row.warned)
                yield host, HostFigure(key.case, None, row.leading.unit, row.called), key.core_to_core_ns, value


def differing(groups: Groups) -> tuple[tuple[Spread, ...], tuple[DifferingHost, ...]]:
    """Return the distribution of each group in each state, and the hosts beyond it, the farthest first."""
    sizes = [len(values) for by_state in groups.values() for values in by_state.values()]
    tests = sum(size for size in sizes if size >= FEWEST_HOSTS)
    spreads: list[Spread] = []
    outliers: list[DifferingHost] = []
    for (kind, subject), by_state in groups.items():
        found = [_spread(kind, subject, state, values, tests) for state, values in by_state.items()]
        spreads += found
        outliers += _outliers(found)
    return tuple(spreads), tuple(sorted(outliers, key=lambda one: -abs(math.log(one.ratio))))


def critical(hosts: int, tests: int) -> float:
    """Return the number of deviations from the median that is beyond chance, by the number of hosts and of tests.

    The deviation is itself an estimate, so this is a quantile of Student's t, by Wallace's approximation (Bounds on
    normal approximations to Student's and the chi-square distributions, 1959). Its degrees of freedom were found by
    simulating up to 100,000 samples each of 8 to 400 normal values: they fit 100 figures, and err to the safe side for
    fewer.
    """
    freedom = 0.9 * hosts - 2.3
    normal = NormalDist().inv_cdf(1 - FALSE_ALARMS / tests / 2) * (8 * freedom + 3) / (8 * freedom + 1)
    return math.sqrt(freedom * math.expm1(normal * normal / freedom))


def deviation_of(logs: Sequence[float]) -> float:
    """Return a standard deviation that half of the values cannot spoil: Qn, of the distances between every two of them.

    Rousseeuw and Croux, Alternatives to the median absolute deviation (1993): as robust as that, and as sure with half
    as many values.
    """
    one, other = np.triu_indices(len(logs), 1)
    values = np.array(logs)
    return TO_DEVIATION * float(np.quantile(np.abs(values[one] - values[other]), 0.25)) if len(logs) > 1 else 0.0


def _spread(
    kind: HostKind, subject: HostFigure, state: float | None, values: Mapping[str, Value], tests: int
) -> Spread:
    reach = median(one.reach(downwards) for one in values.values() for downwards in (True, False))
    alike, differs_from = [*values.values()], None
    while True:
        logs = [math.log(one.value) for one in alike]
        middle, deviation = median(logs), deviation_of(logs)
        if len(alike) < FEWEST_HOSTS:
            break
        limit = max(math.log(LEAST_RATIO), critical(len(alike), tests) * deviation)
        differs_from = math.exp(min(limit, 50.0))
        near = [one for one in alike if _distance(one, middle, reach) <= limit]
        if len(near) in (len(alike), *range(FEWEST_HOSTS)):
            break
        alike = near
    return Spread(kind, subject, state, values, math.exp(middle), deviation, reach, differs_from)


def _distance(value: Value, middle: float, reach: float) -> float:
    """Return how far a logarithm is from the median, less what the interval of the value is wider than usual."""
    distance = math.log(value.value) - middle
    return abs(distance) - NOISY * max(0.0, value.reach(distance > 0) - reach)


def _outliers(spreads: Sequence[Spread]) -> Iterator[DifferingHost]:
    """Give those of one subject. A host in states of few hosts only is held against the nearest state of many."""
    common = [one for one in spreads if one.differs_from is not None]
    usual = {host for one in common for host in one.values}
    for spread in spreads if common else ():
        for host, value in spread.values.items():
            if spread.differs_from is None and host in usual:
                continue
            against = min(common, key=lambda one: abs(math.log(value.value / one.median)))
            against = against if spread.differs_from is None else spread
            distance = _distance(value, math.log(against.median), against.reach)
            if against.differs_from and distance > math.log(against.differs_from):
                yield DifferingHost(host, against, value, value.value / against.median)


# ---- what is shown ----


@together
def fleet_table(fleet: Fleet, members: Sequence[Member], found: FleetFindings) -> Iterator[Block]:
    """Show which hosts differ, what could not be measured, and each figure over the hosts of each kind."""
    measured = sum(one.run is not None for one in members)
    of = counted(len(members), "host") + ("" if measured == len(members) else f", {measured} measured")
    texts = [Text(plain(one)) for one in (" ".join(fleet.words), of, heading.local_time(fleet.started))]
    yield Flow([Text(f"fleet {fleet.id}", "bold"), *texts])
    missing = [Skipped(one.host.name, one.problem or "its run was removed") for one in members if not one.run]
    yield from reasons("\nNot measured", missing)
    yield from reasons("\nNoted", [Skipped(one.host.name, one.note) for one in members if one.run and one.note])
    yield Text()
    decides = any(one.differs_from for one in found.spreads)
    yield Text(verdict(found), "bold red" if found.outliers else "green" if decides else "yellow")
    if decides:
        share = percent(FALSE_ALARMS)
        yield Text(f"Of fleets whose hosts are alike, at most {share} have a host that differs by chance.", "dim")
    if found.outliers:
        yield Text()
        yield grid_of(differing_sheet(found, members))
    for kind in dict.fromkeys(one.kind for one in found.spreads):
        number = sum(of == kind for of in found.kinds.values())
        named = heading.named_cpus(kind.cpu_model, kind.allowed, kind.cpus, kind.hypervisor)
        yield Text()
        yield Text.assemble((named, "bold"), f": {counted(number, 'host')}")
        yield grid_of(spread_sheet([one for one in found.spreads if one.kind == kind]))


def verdict(found: FleetFindings) -> str:
    judged = {host for one in found.spreads if one.differs_from for host in one.values}
    if not judged:
        return f"cannot tell: {FEWEST_HOSTS} hosts of a kind are needed, measured in the same cases"
    differ = {one.host for one in found.outliers}
    differs = "differs from its" if len(differ) == 1 else "differ from their"
    return f"{len(differ) or 'none'} of {counted(len(judged), 'host')} {differs} kind"


def name_of(subject: HostFigure) -> str:
    """Name what is compared: `signal cas-one-line cpp same-l3`, `core to core CPUs 0,1`."""
    if subject.case is None:
        return f"core to core, {pair(subject.pair or (0, 0))}"
    called = f", {subject.called}" if subject.called else ""
    return plain(f"{subject.case.experiment} {subject.case.title}{called}")


def _subject(of: Callable[[Any], Spread]) -> tuple[Field[Any], ...]:
    """Return what is compared among hosts: a case, or how far a pair of CPUs is apart; in which state."""

    def case(one: Any) -> str | None:
        subject = of(one).subject
        return f"{subject.case.experiment} {subject.case.title}" if subject.case else None

    apart: Any = {"head": "core to core", "key": "core_to_core_ns", "unit": "ns", "rank": 2, "if_known": True}
    return (
        Field(of=lambda one: name_of(of(one).subject), head="case", names=True),
        Field(of=case, key="case", type=str | None),
        Field(of=lambda one: of(one).subject.pair, key="pair", type=Pair | None),
        Field(of=lambda one: of(one).subject.unit, key="unit"),
        Field(of=lambda one: of(one).core_to_core_ns, **apart),
    )


def differing_sheet(found: FleetFindings, members: Sequence[Member]) -> Sheet[DifferingHost]:
    """Return a line for each host that differs, and in what."""
    hosts, unit = {one.host.key: one for one in members}, attrgetter("spread.subject.unit")
    table: tuple[Field[Any], ...] = (
        attribute("host", type=str),
        Field(of=lambda one: plain(hosts[one.host].host.name), head="host", names=True, style="bold"),
        *_subject(lambda one: one.spread),
        attribute("value.value", head="here", key="value", unit=unit),
        attribute("spread.median", head="its kind", key="median", unit=unit),
        attribute("ratio", type=float, show=fold, head="ratio"),
        attribute("value.warnings", "", tuple[str, ...], show=", ".join, head="warnings", style="yellow", rank=2),
        Field(of=lambda one: hosts[one.host].run, head="run", key="run", type=int | None, rank=1),
    )
    return Sheet("outliers", table, found.outliers)


def spread_sheet(spreads: Sequence[Spread]) -> Sheet[Spread]:
    """Return a line for each figure over the hosts of a kind."""

    def ordered(one: Spread) -> list[float]:
        return sorted(value.value for value in one.values.values())

    unit = attrgetter("subject.unit")
    each = Field[Spread](
        of=lambda one: {host: value.value for host, value in one.values.items()},
        key="values",
        type=dict[str, float],
        means="Of each host, by its key.",
    )
    table: tuple[Field[Any], ...] = (
        *(attribute(f"kind.{one.name}", key=f"kind.{one.name}", type=one.type) for one in fields(HostKind)),
        *_subject(lambda one: one),
        Field(of=lambda one: len(one.values), head="hosts", key="hosts", unit="count", type=int),
        Field(of=lambda one: ordered(one)[0], head="least", key="least", unit=unit, rank=1),
        attribute("median", head="median", unit=unit),
        Field(of=lambda one: ordered(one)[-1], head="most", key="most", unit=unit, rank=1),
        attribute("deviation", type=float),
        attribute("differs_from", type=float | None, show=fold, head="differs from"),
        each,
    )
    return Sheet("spreads", table, spreads)


# ---- the command ----

OURS = {"form", "files", "plan", "strict", "location"}
"""Options of a measuring command that make nothing of a host's run here."""

PREPARING_S = 120.0  # a host may take so long besides twice its budget, the most that a run takes


def run(words: Sequence[str], scheduler: str, **given: Any) -> int:
    """Measure on every host of a scheduler, store the runs here, and print what they say together."""
    errors.require_extra("fleet", "Fleets")
    output, (words, budget_s) = pop_fields(Output, given), checked(words)
    with open_store(output.location) as store:
        return _measured(store, Fleet(read_clock(), scheduler, tuple(words), budget_s, version("threadping")), output)


def resume(which: str, scheduler: str | None, **given: Any) -> int:
    """Measure on those hosts of a fleet that have no run yet, and on new ones."""
    errors.require_extra("fleet", "Fleets")
    output = pop_fields(Output, given)
    with open_store(output.location) as store:
        return _measured(store, store.fleet(which), output, scheduler)


def show(which: str, **given: Any) -> None:
    """Print what the hosts of a fleet say together."""
    output = pop_fields(Output, given)
    with open_store(output.location, create=False) as store:
        _print(store, store.fleet(which), output)


def checked(words: Sequence[str]) -> tuple[list[str], float]:
    """Return the words of `run` for each host, and its budget in seconds.

    Raises click's UsageError for words that no host would take, and UsageError for options that a fleet has no use for.
    """
    program = click.Context(click.Group("threadping"), info_name="threadping")
    with RUN.make_context("run", [*words], program) as context:
        for option in context.command.params:
            given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
            if option.name in OURS and given:
                raise errors.UsageError(
                    f"{option.opts[0]} applies to the run of one host: leave it out of `threadping fleet run`."
                )
        return ["run", *words], context.params["budget_s"]


def _measured(store: Store, fleet: Fleet, output: Output, scheduler: str | None = None) -> int:
    from threadping.studies.fleet.cluster import connected, is_open

    scheduler = scheduler or fleet.scheduler
    if is_open(scheduler):
        _say(f"{scheduler} has no TLS: a program that reaches it can run anything on each host (docs/how-to/fleet.md).")
    strangers: list[Member] = []  # without a key, which may come back under their own names
    answers: dict[str, Answer] = {}
    with as_interrupt(), connected(scheduler) as cluster:
        done = {one.host.key for one in store.members(fleet) if one.run} if fleet.id else set()
        reports = cluster.hosts(anyway="--anyway" in fleet.words)
        able = sorted((one for one in reports if not one.problem), key=lambda one: one.host.name)
        members = [Member(one.host, note=one.note) for one in able if one.host.key not in done]
        unable = [Member(one.host, None, one.problem) for one in reports if one.problem and one.host.key not in done]
        if not members and unable:
            others = f", and {counted(len(unable) - 1, 'other host')} cannot measure either" if unable[1:] else ""
            raise errors.ThreadpingError(f"No host can measure: {plain(_ended(unable[0]))}{others}.")
        fleet = fleet if fleet.id else store.begin_fleet(fleet)
        _say(f"fleet {fleet.id}: {counted(len(members), 'host')} of {scheduler}")
        for member in unable:
            if member.host.key == member.host.address:
                strangers.append(member)
            else:
                store.add_member(fleet, member, None)
            _say(_ended(member))
        name, limit_s = f"{fleet.id} of {socket.gethostname()}", 2 * fleet.budget_s + PREPARING_S
        try:
            with closing(cluster.measured(members, fleet.words, name, limit_s)) as coming:
                for number, (member, sent) in enumerate(coming, 1):
                    member, answer = _stored(store, fleet, member, sent)
                    _say(f"{_ended(member)} ({number} of {len(members)})")
                    if answer:
                        answers[member.host.key] = answer
        except (KeyboardInterrupt, errors.FleetLost) as error:  # whatever ends it early, it can go on
            is_lost = isinstance(error, errors.FleetLost)
            number = sum(one.run is not None for one in store.members(fleet))
            said = str(error).rstrip(".") if is_lost else "Interrupted"
            raise (errors.FleetLost if is_lost else errors.Interrupted)(
                f"{said}. The runs of {counted(number, 'host')} are stored: `threadping fleet resume {fleet.id}` "
                "measures on the others."
            ) from error
    code = _print(store, fleet, output, answers, strangers)
    keep_series(store)
    return code


def _say(text: str) -> None:
    printing.stderr().print(plain(text), soft_wrap=True)


def _ended(member: Member) -> str:
    said = (f"run {member.run}" if member.run else member.problem, member.note)
    return f"{member.host.name}: {'; '.join(filter(None, said))}"


def _stored(store: Store, fleet: Fleet, member: Member, content: bytes | None) -> tuple[Member, Answer | None]:
    """Store what came of a host. Its run is validated like a page from a stranger."""
    if content is None:
        return store.add_member(fleet, member, None), None
    try:
        (answer,) = load_bundle(content, "The run")
    except (errors.PageUnreadable, ValueError) as error:
        problem = f"its run came back damaged: {error}"
        return store.add_member(fleet, replace(member, problem=problem), None), None
    of_it = answer.run
    machine = replace(of_it.machine, hostname=member.host.name)  # which it does not send
    of_it = replace(of_it, machine=machine, note="; ".join(filter(None, (of_it.note, member.note))) or None)
    return store.add_member(fleet, member, replace(answer.stored, run=of_it)), without_trials(answer)


def _print(
    store: Store, fleet: Fleet, output: Output, known: Mapping[str, Answer] = {}, strangers: Sequence[Member] = ()
) -> int:
    """Print what hosts say together; the exit code is 1 where a host has no run.

    What is `known` of their runs is not read again; `strangers` are hosts without a run that are not stored.
    """
    members = [*store.members(fleet), *strangers]
    measured = [one for one in members if one.run]
    answers = {
        one.host.key: known.get(one.host.key) or without_trials(answered(store, str(one.run))) for one in measured
    }
    judged = differing_hosts(answers)
    of_host = (attribute(f"host.{name}", type=str) for name in Host.__struct_fields__)
    kind = Field[Member](of=lambda one: judged.kinds.get(one.host.key), key="kind", type=HostKind | None)
    hosts = Sheet("hosts", (*of_host, *records.fields_of(Member, "host"), kind), members)
    sheets = spread_sheet(judged.spreads), differing_sheet(judged, members), hosts
    code, block = int(not members or len(measured) < len(members)), partial(fleet_table, fleet, members, judged)
    return present_sheets(output, block, lambda: sheets, fleet=fleet, false_alarms=FALSE_ALARMS, code=code)


def readers(answer: Answer) -> Iterator[Callable[[], object]]:
    yield lambda: differing_hosts({"host": without_trials(answer)})
