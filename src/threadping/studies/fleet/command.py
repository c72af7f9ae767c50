"""A fleet: one question put to many hosts, their runs in one store, and what they say together."""

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib.metadata import version

import click
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.conduct.pages import load_bundle
from threadping.conduct.presenting import Output, present_sheets
from threadping.conduct.stored import answered, keep_series
from threadping.conduct.study import PageContributor
from threadping.experiments import EXPERIMENTS
from threadping.model.base import read_clock
from threadping.model.errors import (
    FleetLost,
    Interrupted,
    MachineBusy,
    PageUnreadable,
    ThreadpingError,
    UsageError,
    require_extra,
)
from threadping.model.quantities import counted
from threadping.model.run import Fleet, Member
from threadping.model.text import plain
from threadping.options.shared import measuring
from threadping.output.printing import stderr
from threadping.probes.interrupts import as_interrupt
from threadping.store.store import Store, open_store
from threadping.studies.fleet.differing import (
    FALSE_ALARMS,
    differing_hosts,
    differing_sheet,
    fleet_table,
    host_sheet,
    spread_sheet,
    without_trials,
)

OURS = {"form", "file", "chart", "page", "strict", "location"}
"""Options of a measuring command that make nothing of a host's run here."""

PREPARING_S = 120.0  # a host may take so long besides twice its budget, the most that a run takes


def run(words: Sequence[str], scheduler: str, location: str | None, form: str) -> int:
    """Measure on every host of a scheduler, store the runs here, and print what they say together."""
    require_extra("fleet", "Fleets")
    words, budget_s = checked(words)
    with open_store(location) as store:
        return _measured(store, Fleet(read_clock(), scheduler, tuple(words), budget_s, version("threadping")), form)


def resume(which: str, scheduler: str | None, location: str | None, form: str) -> int:
    """Measure on those hosts of a fleet that have no run yet, and on new ones."""
    require_extra("fleet", "Fleets")
    with open_store(location) as store:
        return _measured(store, store.fleet(which), form, scheduler)


def show(which: str, location: str | None, form: str) -> None:
    """Print what the hosts of a fleet say together."""
    with open_store(location, create=False) as store:
        _print(store, store.fleet(which), form)


def checked(words: Sequence[str]) -> tuple[list[str], float]:
    """Return the words of a measuring command of this program, and its budget in seconds.

    `run` may be left out. Raises click's UsageError for words that no host would take, and UsageError for options that
    a fleet has no use for.
    """
    name, *rest = words if words and words[0] in ("run", *EXPERIMENTS) else ("run", *words)
    command = measuring(name)
    program = click.Context(click.Group("threadping"), info_name="threadping")
    with command.make_context(name, [*rest], program) as context:
        for option in command.params:
            given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
            if option.name in OURS and given:
                raise UsageError(f"{option.opts[0]} is for the run of one host: leave it out of a fleet's.")
        return [name, *rest], context.params["budget_s"]


def _measured(store: Store, fleet: Fleet, form: str, scheduler: str | None = None) -> int:
    from threadping.studies.fleet.cluster import connected, is_open

    scheduler = scheduler or fleet.scheduler
    if is_open(scheduler):
        _say(f"{scheduler} has no TLS: a program that reaches it can run anything on every host (docs/fleet.md).")
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
            raise MachineBusy(f"No host can measure: {plain(_ended(unable[0]))}{others}.")
        fleet = fleet if fleet.id else store.begin_fleet(fleet)
        _say(f"fleet {fleet.id}: {counted(len(members), 'host')} of {scheduler}")
        for member in unable:
            if member.host.key == member.host.address:
                strangers.append(member)
            else:
                store.add_member(fleet, member, None)
            _say(_ended(member))
        name, limit_s = f"{fleet.id} of {socket.gethostname()}", 2 * fleet.budget_s + PREPARING_S
        with _kept(store, fleet), closing(cluster.measured(members, fleet.words, name, limit_s)) as coming:
            for number, (member, sent) in enumerate(coming, 1):
                member, answer = _stored(store, fleet, member, sent)
                _say(f"{_ended(member)} ({number} of {len(members)})")
                if answer:
                    answers[member.host.key] = answer
    code = _print(store, fleet, form, answers, strangers)
    keep_series(store)
    return code


def _say(text: str) -> None:
    stderr().print(plain(text), soft_wrap=True)


def _ended(member: Member) -> str:
    said = (f"run {member.run}" if member.run else member.problem, member.note)
    return f"{member.host.name}: {'; '.join(filter(None, said))}"


def _stored(store: Store, fleet: Fleet, member: Member, content: bytes | None) -> tuple[Member, Answer | None]:
    """Store what came of a host. Its run is validated like a page from a stranger."""
    if content is None:
        return store.add_member(fleet, member, None), None
    try:
        (answer,) = load_bundle(content, "The run")
    except (PageUnreadable, ValueError) as error:
        problem = f"its run came back damaged: {error}"
        return store.add_member(fleet, replace(member, problem=problem), None), None
    of_it = answer.run
    machine = replace(of_it.machine, hostname=member.host.name)  # which it does not send
    of_it = replace(of_it, machine=machine, note="; ".join(filter(None, (of_it.note, member.note))) or None)
    return store.add_member(fleet, member, replace(answer.stored, run=of_it)), without_trials(answer)


@contextmanager
def _kept(store: Store, fleet: Fleet) -> Iterator[None]:
    """Say which fleet it is, and how to go on with it, whatever ends it early."""
    try:
        yield
    except (KeyboardInterrupt, FleetLost) as error:
        number = sum(one.run is not None for one in store.members(fleet))
        said = "Interrupted" if isinstance(error, KeyboardInterrupt) else str(error).rstrip(".")
        kind: type[ThreadpingError] = Interrupted if isinstance(error, KeyboardInterrupt) else FleetLost
        raise kind(
            f"{said}. The runs of {counted(number, 'host')} are stored: `threadping fleet resume {fleet.id}` measures "
            "on the others."
        ) from error


def _print(
    store: Store, fleet: Fleet, form: str, known: Mapping[str, Answer] = {}, strangers: Sequence[Member] = ()
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
    sheets = spread_sheet(judged.spreads), differing_sheet(judged, members), host_sheet(members, judged)
    code, block = int(not members or len(measured) < len(members)), partial(fleet_table, fleet, members, judged)
    return present_sheets(Output(form=form), block, *sheets, fleet=fleet, false_alarms=FALSE_ALARMS, code=code)


class FleetRuns(PageContributor):
    """The runs of hosts: each is read as a fleet reads it before it is imported."""

    def readers(self, answer: Answer) -> Iterable[Callable[[], object]]:
        yield lambda: differing_hosts({"host": without_trials(answer)})


STUDY = FleetRuns()
