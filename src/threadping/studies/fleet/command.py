"""A fleet: one question put to many hosts, their runs in one store."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click
from msgspec.structs import replace

from threadping import files
from threadping.analysis.answer import Answer
from threadping.characters import LEGIBLE, plain
from threadping.conduct.door import let_in
from threadping.conduct.output import Output
from threadping.conduct.present import present_sheets
from threadping.conduct.series import keep_series
from threadping.conduct.stored import answered
from threadping.errors import FleetLost, Interrupted, MachineBusy, PageUnreadable, ThreadpingError, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.extras import require
from threadping.fleet.jobs import planned
from threadping.model.bounds import read_clock
from threadping.model.fleet import Fleet, Member
from threadping.model.run import Stored
from threadping.options.measuring import measuring
from threadping.probes.interrupts import as_interrupt
from threadping.quantities import counted, memory
from threadping.sheets.console import stderr
from threadping.store.database import open_store
from threadping.store.store import Store
from threadping.studies.doctor.command import CHECKUP_S
from threadping.studies.doctor.options import DOCTOR
from threadping.studies.fleet.differing import FALSE_ALARMS, differing_hosts, without_trials
from threadping.studies.fleet.examined import examined_sheet, examined_table, exit_code, hosts_examined
from threadping.studies.fleet.hops import hops
from threadping.studies.fleet.page import fleet_page, hop_page
from threadping.studies.fleet.sheets import (
    differing_sheet,
    fleet_table,
    hop_sheet,
    hops_table,
    host_sheet,
    spread_sheet,
)

OURS = {"form", "file", "chart", "page", "strict", "location"}
"""Options of a measuring command that make nothing of a host's run here."""

HOP = ("hop", "--budget", "5s", "--runtime", "cpp", "--placement", "same-cpu")
"""How a pair of hosts is measured unless it is said. The near end is pinned, as other experiments' threads are."""

CHECKUP = "doctor"
"""The command that a fleet's hosts may be examined by, beside those that measure."""

PREPARING_S = 120.0
"""How long a host may take besides twice its budget, the most that a run takes."""


def run(
    words: Sequence[str],
    scheduler: str,
    location: str | None,
    form: str,
    *,
    transport: str = "",
) -> int:
    """Measure on every host of a scheduler, store the runs here, and print what they say together.

    With a `transport`, the network between every two hosts is measured, and the loopback of each.
    """
    require("fleet", "Fleets")
    words, budget_s = checked([*HOP, *words] if transport else words)
    fleet = Fleet(read_clock(), scheduler, tuple(words), budget_s, version("threadping"), transport)
    with open_store(location) as store:
        return _measured(store, fleet, form)


def resume(which: str, scheduler: str | None, location: str | None, form: str) -> int:
    """Measure on those hosts of a fleet that have no run yet, and on new ones."""
    require("fleet", "Fleets")
    with open_store(location) as store:
        return _measured(store, store.fleet(which), form, scheduler)


def show(which: str, location: str | None, form: str, page: Path | None = None, *, identify: bool = False) -> None:
    """Print what the hosts of a fleet say together; or write it as a page, which names hosts with `identify`."""
    with open_store(location, create=False) as store:
        fleet = store.fleet(which)
        if page is None:
            _print(store, fleet, form)
            return
        members = store.members(fleet)
        answers = _answers(store, members)
        if fleet.transport:
            text = hop_page(fleet, members, answers, _local(store, members), identify=identify)
        else:
            text = fleet_page(fleet, members, differing_hosts(answers), identify=identify)
    content = text.encode("utf-8", LEGIBLE)
    files.write(page, content, "the page")
    _say(f"{page}: {memory(len(content))}")


def _answers(store: Store, members: Sequence[Member], known: Mapping[str, Answer] = {}) -> dict[str, Answer]:
    """The runs of these hosts; what is `known` of them is not read again."""
    return {one.key: known.get(one.key) or without_trials(answered(store, str(one.run))) for one in members if one.run}


def checked(words: Sequence[str]) -> tuple[list[str], float]:
    """The words of a measuring command of this program, and its budget in seconds.

    `run` may be left out. Raises click's UsageError for words that no host would take, and UsageError for options that
    a fleet has no use for.
    """
    name, *rest = words if words and words[0] in ("run", CHECKUP, *EXPERIMENTS) else ("run", *words)
    command = DOCTOR if name == CHECKUP else measuring(name)
    with command.make_context(
        name, [*rest], click.Context(click.Group("threadping"), info_name="threadping")
    ) as context:
        for option in command.params:
            given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
            if option.name in OURS and given:
                raise UsageError(f"{option.opts[0]} is for the run of one host: leave it out of a fleet's.")
        return [name, *rest], context.params["budget_s"] or CHECKUP_S


def _measured(
    store: Store,
    fleet: Fleet,
    form: str,
    scheduler: str | None = None,
) -> int:
    from threadping.fleet.cluster import connected, is_open  # Dask: 0.4 s, and `fleet show` needs none

    scheduler = scheduler or fleet.scheduler
    if is_open(scheduler):
        _say(f"{scheduler} has no TLS: a program that reaches it can run anything on every host (docs/fleet.md).")
    with as_interrupt(), connected(scheduler) as cluster:
        done = {one.key for one in store.members(fleet) if one.run} if fleet.id else set()
        found = cluster.hosts(anyway="--anyway" in fleet.words)
        jobs = [job for job in planned(fleet, found) if job.member.key not in done]
        problems = [(host, why) for host, why in found.problems if host.key not in done]
        if not jobs and problems:
            others = f", and {counted(len(problems) - 1, 'other host')} cannot measure either" if problems[1:] else ""
            raise MachineBusy(f"No host can measure: {plain(f'{problems[0][0].name}: {problems[0][1]}')}{others}.")
        fleet = fleet if fleet.id else store.begin_fleet(fleet)
        pairs = sum(job.member.peer is not None for job in jobs)
        what = counted(len(jobs) - pairs, "host") + (f" and {counted(pairs, 'pair')}" if fleet.transport else "")
        _say(f"fleet {fleet.id}: {what} of {scheduler}")
        strangers: list[Member] = []  # without a key, which may come back under their own names
        for host, why in problems:
            member = Member(host, None, why)
            if host.key == host.address:
                strangers.append(member)
            else:
                store.add_member(fleet, member, None)
            _say(_ended(member))
        answers: dict[str, Answer] = {}
        with _kept(store, fleet):
            name = f"{fleet.id} of {socket.gethostname()}"
            limit_s = 2 * fleet.budget_s + PREPARING_S
            with closing(cluster.measured(jobs, name, limit_s)) as coming:
                for number, came in enumerate(coming, 1):
                    member, answer = _stored(store, fleet, replace(came.member, problem=came.problem), came.run)
                    _say(f"{_ended(member)} ({number} of {len(jobs)})")
                    if answer:
                        answers[member.key] = answer
    code = _print(store, fleet, form, answers, strangers)
    keep_series(store)
    return code


def _say(text: str) -> None:
    """Print a line of progress."""
    stderr().print(plain(text), soft_wrap=True)


def _ended(member: Member) -> str:
    said = (f"run {member.run}" if member.run else member.problem, member.note)
    return f"{member.name}: {'; '.join(filter(None, said))}"


def _stored(store: Store, fleet: Fleet, member: Member, content: bytes | None) -> tuple[Member, Answer | None]:
    """Store what came of a host. Its run is validated like a page from a stranger."""
    if content is None:
        return store.add_member(fleet, member, None), None
    try:
        one, answer = _read(content)
    except (PageUnreadable, ValueError) as error:
        problem = f"its run came back damaged: {error}"
        return store.add_member(fleet, replace(member, problem=problem), None), None
    pair = member.name if member.peer else None
    machine = replace(one.run.machine, hostname=member.host.name)  # which it does not send
    run = replace(one.run, machine=machine, note="; ".join(filter(None, (pair, one.run.note, member.note))) or None)
    return store.add_member(fleet, member, replace(one, run=run)), without_trials(answer)


def _read(content: bytes) -> tuple[Stored, Answer]:
    """The run that a host sent; PageUnreadable or ValueError where it cannot be believed."""
    (answer,) = let_in(content, "The run")
    return answer.stored, answer


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


def _print(
    store: Store, fleet: Fleet, form: str, known: Mapping[str, Answer] = {}, strangers: Sequence[Member] = ()
) -> int:
    """Print what hosts say together; the exit code: 3 where one is unfit, else 1 where one has no run.

    What is `known` of their runs is not read again; `strangers` are hosts without a run that are not stored.
    """
    members = [*store.members(fleet), *strangers]
    answers = _answers(store, members, known)
    output, code = Output(form=form), int(not members or any(one.run is None for one in members))
    if fleet.transport:
        found = hops(members, answers, _local(store, members))
        block = partial(hops_table, fleet, members, found)
        return present_sheets(output, block, hop_sheet(found), fleet=fleet, members=members, code=code)
    if fleet.words[:1] == (CHECKUP,):
        hosts = hosts_examined(members, {one.key: answered(store, str(one.run)) for one in members if one.run})
        block = partial(examined_table, fleet, members, hosts)
        return present_sheets(output, block, examined_sheet(hosts), fleet=fleet, members=members, code=exit_code(hosts))
    judged = differing_hosts(answers)
    sheets = spread_sheet(judged.spreads), differing_sheet(judged, members), host_sheet(members, judged)
    block = partial(fleet_table, fleet, members, judged)
    return present_sheets(output, block, *sheets, fleet=fleet, false_alarms=FALSE_ALARMS, code=code)


def _local(store: Store, members: Sequence[Member]) -> dict[str, Answer]:
    """By host the newest run of a fleet that says what it costs to reach a thread there, where there is one."""
    found = {}
    for key in dict.fromkeys(one.host.key for one in members):
        runs = (run for run in store.runs_of_host(key) if any(case.experiment == "signal" for case in run.cases))
        if newest := next(runs, None):
            found[key] = without_trials(answered(store, str(newest.id)))
    return found
