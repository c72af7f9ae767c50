"""A fleet: one question put to many hosts, their runs in one store, and which of them are unfit."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.health.health import HealthVerdict
from threadping.conduct.showing import present_sheets
from threadping.conduct.stored import answered, keep_series
from threadping.conduct.study import Output
from threadping.conduct.validation import load_bundle
from threadping.experiments import EXPERIMENTS
from threadping.model import files
from threadping.model.bounds import Record, read_clock
from threadping.model.characters import LEGIBLE, plain
from threadping.model.errors import (
    FleetLost,
    Interrupted,
    MachineBusy,
    PageUnreadable,
    ThreadpingError,
    UsageError,
    require_extra,
)
from threadping.model.fleet import Fleet, Member
from threadping.model.quantities import counted, memory
from threadping.model.run import Stored
from threadping.options.shared import measuring
from threadping.output.layout import Block, Field, Sheet, grid_of, together
from threadping.output.printing import stderr
from threadping.probes.interrupts import as_interrupt
from threadping.store.database import open_store
from threadping.store.store import Store
from threadping.studies.doctor.command import CHECKUP_S
from threadping.studies.doctor.options import DOCTOR
from threadping.studies.doctor.reading import Examined, examined
from threadping.studies.doctor.sheets import HEALTH_MARKS, sentence
from threadping.studies.fleet.differing import FALSE_ALARMS, differing_hosts, hops, without_trials
from threadping.studies.fleet.jobs import planned
from threadping.studies.fleet.output import (
    differing_sheet,
    fleet_page,
    fleet_table,
    head_of,
    hop_page,
    hop_sheet,
    hops_table,
    host_sheet,
    spread_sheet,
)


class HostExamined(Record, frozen=True):
    """A host of a fleet, with its check-up; None where it has no run."""

    member: Member
    found: Examined | None

    @property
    def health(self) -> HealthVerdict | None:
        """What its check-up says."""
        return self.found.health.whole if self.found else None

    @property
    def verdict(self) -> str:
        """What its check-up says in words, or why there is none."""
        return sentence(self.found) if self.found else plain(self.member.problem or "its run was removed")


def hosts_examined(members: Sequence[Member], answers: Mapping[str, Answer]) -> list[HostExamined]:
    """All hosts: those that are unfit first, then those without a check-up."""
    found = [HostExamined(one, examined(answers[one.key]) if one.key in answers else None) for one in members]
    return sorted(found, key=lambda one: ("unfit", None, "doubt", "fit").index(one.health))


def exit_code(hosts: Sequence[HostExamined]) -> int:
    """3 where a host is unfit, 1 where one has no check-up."""
    health = [one.health for one in hosts]
    return 3 if "unfit" in health else 1 if None in health or not hosts else 0


MAX_LOST_NAMED = 3
"""Maximum number of hosts without a check-up that the first line names."""


def verdict(hosts: Sequence[HostExamined]) -> str:
    """How many hosts are unfit, and which could not be checked."""
    health = [one.health for one in hosts]
    unfit, doubted, lost = (health.count(what) for what in ("unfit", "doubt", None))
    of = f" of {counted(len(hosts), 'host')}"
    said = f"{unfit or 'none'}{'' if lost else of} {'is' if unfit == 1 else 'are'} unfit"
    said += f", {doubted} in doubt" if doubted else ""
    if not lost:
        return said
    why = [f"{plain(one.member.host.name)}: {one.verdict}" for one in hosts if one.found is None]
    why[MAX_LOST_NAMED:] = [f"and {lost - MAX_LOST_NAMED} more"] * (lost > MAX_LOST_NAMED)
    has = "has" if lost == 1 else "have"
    return f"{len(hosts) - lost}{of} were checked: {said}; {lost} {has} no result: {'; '.join(why)}"


@together
def examined_table(fleet: Fleet, members: Sequence[Member], hosts: Sequence[HostExamined]) -> Iterator[Block]:
    """How many hosts are unfit, and a line for each."""
    worst = hosts[0].health if hosts else None
    yield Text(verdict(hosts), HEALTH_MARKS[worst][1] or "bold yellow")
    yield Text()
    yield from head_of(fleet, [one for one in members if one.run], " ".join(fleet.words), counted(len(members), "host"))
    yield Text()
    yield grid_of(examined_sheet(hosts))


def examined_sheet(hosts: Sequence[HostExamined]) -> Sheet[HostExamined]:
    """A line for each host."""
    fields: tuple[Field[HostExamined], ...] = (
        Field(head=" ", of=lambda one: one.health, write=lambda one: Text(*HEALTH_MARKS[one.health])),
        Field(of=lambda one: one.member.key, key="host"),
        Field(of=lambda one: plain(one.member.host.name), head="host", names=True, style="bold"),
        Field(of=lambda one: one.health, key="health", type=HealthVerdict | None),
        Field(of=lambda one: one.verdict, head="verdict", key="verdict", names=True),
        Field(
            of=lambda one: tuple(found.code for _, found in one.found.grave) if one.found else (),
            key="findings",
            type=tuple[str, ...],
        ),
        Field(of=lambda one: one.member.run, head="run", key="run", type=int | None),
    )
    return Sheet("checkups", fields, hosts)


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
    require_extra("fleet", "Fleets")
    words, budget_s = checked([*HOP, *words] if transport else words)
    fleet = Fleet(read_clock(), scheduler, tuple(words), budget_s, version("threadping"), transport)
    with open_store(location) as store:
        return _measured(store, fleet, form)


def resume(which: str, scheduler: str | None, location: str | None, form: str) -> int:
    """Measure on those hosts of a fleet that have no run yet, and on new ones."""
    require_extra("fleet", "Fleets")
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
    from threadping.studies.fleet.cluster import connected, is_open

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
    (answer,) = load_bundle(content, "The run")
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
