"""The check-ups of a fleet's hosts: which are unfit, and why."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.health.limits import HEALTH_VERDICTS, HealthVerdict
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
    """A host of a fleet, with its check-up."""

    member: Member
    found: Examined

    @property
    def health(self) -> HealthVerdict:
        """What its check-up says."""
        return self.found.health.whole


def hosts_examined(members: Sequence[Member], answers: Mapping[str, Answer]) -> list[HostExamined]:
    """The hosts that have a check-up, the worst first."""
    known = [HostExamined(one, examined(answers[one.key])) for one in members if one.key in answers]
    return sorted(known, key=lambda one: -HEALTH_VERDICTS.index(one.health))


def worst(hosts: Sequence[HostExamined]) -> int:
    """The exit code: that of the worst host."""
    return max((HEALTH_VERDICTS.index(one.health) for one in hosts), default=1)


@together
def examined_table(fleet: Fleet, members: Sequence[Member], hosts: Sequence[HostExamined]) -> Iterator[Block]:
    """How many hosts are unfit, and a line for each."""
    yield from head_of(fleet, members, " ".join(fleet.words), counted(len(members), "host"))
    unfit, doubted = (sum(one.health == what for one in hosts) for what in ("unfit", "doubt"))
    told = f"{unfit or 'none'} of {counted(len(hosts), 'host')} {'is' if unfit == 1 else 'are'} unfit"
    told += f", {doubted} in doubt" if doubted else ""
    yield Text()
    yield Text(told, "bold red" if unfit else "yellow" if doubted else "green")
    yield Text()
    yield grid_of(examined_sheet(hosts))


def examined_sheet(hosts: Sequence[HostExamined]) -> Sheet[HostExamined]:
    """A line for each host."""
    fields: tuple[Field[HostExamined], ...] = (
        Field(head=" ", of=lambda one: one.health, write=lambda one: Text(*HEALTH_MARKS[one.health])),
        Field(of=lambda one: one.member.key, key="host"),
        Field(of=lambda one: plain(one.member.host.name), head="host", names=True, style="bold"),
        Field(of=lambda one: one.health, key="health", type=HealthVerdict),
        Field(of=lambda one: sentence(one.found), head="verdict", key="verdict", names=True),
        Field(of=lambda one: tuple(found.code for _, found in one.found.grave), key="findings", type=tuple[str, ...]),
        Field(of=lambda one: one.member.run, head="run", key="run", type=int | None),
    )
    return Sheet("checkups", fields, hosts)
