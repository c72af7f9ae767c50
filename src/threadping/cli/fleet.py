"""A fleet: one question put to many hosts, their runs in one store."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version

import click
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.cli.history import answered
from threadping.cli.options import Listing
from threadping.cli.report import analysed
from threadping.cli.signals import sigterm_as_interrupt
from threadping.comparing.fleet import judged, slim
from threadping.errors import FleetLost, Interrupted, MachineBusy, PageUnreadable, ThreadpingError, UsageError
from threadping.extras import require
from threadping.model import Fleet, Member
from threadping.quantities import counted
from threadping.store import Store, open_store
from threadping.views.page import carried_in
from threadping.views.terminal.console import stderr
from threadping.views.terminal.names import plain

OURS = {"output_format", "output_file", "chart", "page", "strict", "store"}
"""Options of a measuring command that make nothing of a host's run here."""

PREPARING_S = 120.0
"""How long a host may take besides twice its budget, the most that a run takes."""


class Told:
    """Says on stderr what becomes of hosts, as they end."""

    def __init__(self, hosts: int) -> None:
        """Nothing has ended yet."""
        self._hosts, self._ended = hosts, 0

    def __call__(self, member: Member, *, asked: bool = True) -> None:
        """Say it of one; `asked` whether it is among those that measure."""
        self._ended += asked
        name, count = plain(member.host.name), f" ({self._ended} of {self._hosts})" if asked else ""
        said = f"run {member.run}" if member.run else plain(member.problem or "")
        note = f"; {plain(member.note)}" if member.note else ""
        stderr().print(f"{name}: {said}{note}{count}", soft_wrap=True)


def run(words: Sequence[str], scheduler: str, location: str | None, output: Listing) -> int:
    """Measure on every host of a scheduler, store the runs here, and print what they say together."""
    require("fleet", "Fleets")
    words, budget_s, anyway = checked(words)
    with open_store(location) as store:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        fleet = Fleet(started, scheduler, tuple(words), budget_s, version("threadping"))
        return _measured(store, fleet, output, anyway=anyway)


def resume(which: str, scheduler: str | None, location: str | None, output: Listing) -> int:
    """Measure on those hosts of a fleet that have no run yet, and on new ones."""
    require("fleet", "Fleets")
    with open_store(location) as store:
        fleet = store.fleet(which)
        return _measured(store, fleet, output, scheduler, anyway=checked(fleet.words)[2])


def show(which: str, location: str | None, output: Listing) -> None:
    """Print what the hosts of a fleet say together."""
    with open_store(location, create=False) as store:
        _print(store, store.fleet(which), output)


def checked(words: Sequence[str]) -> tuple[list[str], float, bool]:
    """The words of a measuring command, its budget in seconds, and whether it measures beside others.

    `run` may be left out. Raises click's UsageError for words that no host would take, and UsageError for options that
    a fleet has no use for.
    """
    from threadping.cli.app import APP
    from threadping.cli.commands import measuring
    from threadping.experiments import EXPERIMENTS

    name, *rest = words if words and words[0] in ("run", *EXPERIMENTS) else ("run", *words)
    with (
        click.Context(APP, info_name="threadping") as parent,
        measuring(name).make_context(name, list(rest), parent) as context,
    ):
        for option in context.command.params:
            given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
            if option.name in OURS and given:
                raise UsageError(f"{option.opts[0]} is for the run of one host: leave it out of a fleet's.")
        return [name, *rest], context.params["budget_s"], context.params["anyway"]


def _measured(
    store: Store, fleet: Fleet, output: Listing, scheduler: str | None = None, *, anyway: bool = False
) -> int:
    from threadping.fleet.cluster import connected, is_open

    scheduler = scheduler or fleet.scheduler
    if is_open(scheduler):
        stderr().print(
            f"{plain(scheduler)} has no TLS: whoever reaches it can run programs on every host (docs/fleet.md).",
            soft_wrap=True,
        )
    with sigterm_as_interrupt(), connected(scheduler) as cluster:
        done = {one.host.key for one in store.members(fleet) if one.run} if fleet.id else set()
        found = cluster.hosts(anyway=anyway)
        hosts = [host for host in found.hosts if host.key not in done]
        problems = [(host, why) for host, why in found.problems if host.key not in done]
        if not hosts and problems:
            _refused(problems[0][0].name, problems[0][1], len(problems))
        fleet = fleet if fleet.id else store.begin_fleet(fleet)
        told = Told(len(hosts))
        stderr().print(f"fleet {fleet.id}: {counted(len(hosts), 'host')} of {plain(scheduler)}", soft_wrap=True)
        for host, why in problems:
            member = Member(host, None, why)
            named = host.key != host.address  # else it may come back under its own name
            told(store.add_member(fleet, member, None) if named else member, asked=False)
        answers: dict[str, Answer] = {}
        with _kept(store, fleet):
            name = f"{fleet.id} of {socket.gethostname()}"
            limit_s = 2 * fleet.budget_s + PREPARING_S
            with closing(cluster.measured(hosts, fleet.words, name, limit_s)) as coming:
                for came in coming:
                    note = found.notes.get(came.host.key)
                    member, answer = _stored(store, fleet, Member(came.host, None, came.problem, note), came.run)
                    told(member)
                    if answer:
                        answers[came.host.key] = answer
    _print(store, fleet, output, answers)
    return 0 if any(one.run for one in store.members(fleet)) else 1


def _refused(name: str, why: str, hosts: int) -> None:
    others = f", and {counted(hosts - 1, 'other host')} cannot measure either" if hosts > 1 else ""
    raise MachineBusy(f"No host can measure: {plain(name)}: {plain(why)}{others}.")


def _stored(store: Store, fleet: Fleet, member: Member, content: bytes | None) -> tuple[Member, Answer | None]:
    """Store what came of a host. Its run is believed no more than a page that somebody sent."""
    if content is None:
        return store.add_member(fleet, member, None), None
    try:
        (one,) = carried_in(content, "The run")
        answer = analysed(one, "The run")
    except (PageUnreadable, ValueError) as error:
        problem = f"its run came back damaged: {error}"
        return store.add_member(fleet, replace(member, problem=problem), None), None
    return store.add_member(fleet, member, (one.run, one.observations, one.pings)), slim(answer)


@contextmanager
def _kept(store: Store, fleet: Fleet) -> Iterator[None]:
    """Whatever ends a fleet early says which one it is, and how to go on with it."""
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


def _print(store: Store, fleet: Fleet, output: Listing, known: Mapping[str, Answer] = {}) -> None:
    """Print what hosts say together; what is `known` of their runs is not read again."""
    members = store.members(fleet)
    answers = {
        one.host.key: known.get(one.host.key) or slim(answered(store, str(one.run))) for one in members if one.run
    }
    found = judged(answers)
    if output == "json":
        from threadping.views.export.fleet import fleet_json

        print(fleet_json(fleet, members, found), end="")
    else:
        from threadping.views.terminal.console import stdout
        from threadping.views.terminal.fleet import fleet_table

        stdout().print(fleet_table(fleet, members, found))
