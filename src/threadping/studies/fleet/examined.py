"""The check-ups of a fleet's hosts: which are unfit, and why."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.health.limits import HealthVerdict
from threadping.model.bounds import Record
from threadping.model.fleet import Fleet, Member
from threadping.quantities import counted
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Block, grid_of, together
from threadping.sheets.names import plain
from threadping.studies.doctor.reading import Examined, examined
from threadping.studies.doctor.sheets import HEALTH_MARKS, sentence
from threadping.studies.fleet.sheets import head_of


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
