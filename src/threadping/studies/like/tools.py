"""The tools, read from `like.toml`: what each of their numbers is of, and the case of ours that repeats it."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from threadping.studies.like.rules import RULES, Rule
from threadping.studies.repeating.wanted import WantedCase


class ToolRun(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a tool is made to print a number.

    Attributes:
        arguments: behind its path.
        prints: the name of what reads its output.
        operations: of how many operations the number is read, for what a trial stores: where the tool runs for a fixed
            time, fewer than a slow machine performs in it, since no trial measures for longer than its process lives.
        seconds: what it takes, about.
        sleeps: whether its threads sleep while they wait.
    """

    arguments: tuple[str, ...]
    prints: str
    operations: int
    seconds: float
    sleeps: bool = False


class Number(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number that a tool prints.

    Attributes:
        name: what the tool calls it.
        times: what it times.
        divides: what it divides that by.
        creation: whether threads or processes are created while it times.
        placement: where they stand.
        over: how its samples become one.
        unit: as it is printed.
        contains: a sentence: what the number has in it.
        case: of ours, which repeats it.
        rule: the reading by which ours becomes the like of it.
        figure: what that is read from.
        differs: in what the case differs from the tool; empty where in nothing.
        nearest: whether it differs so much that both are not held against each other.
        run: how it is had from the tool; None where threadping does not run that.
    """

    name: str
    times: str
    divides: str
    creation: str
    placement: str
    over: str
    unit: str
    contains: str
    case: WantedCase
    rule: str
    figure: str = "latency_ns.mean"
    differs: str = ""
    nearest: bool = False
    run: ToolRun | None = None

    @property
    def reading(self) -> Rule:
        """The reading by which ours becomes the like of it."""
        return RULES[self.rule]


class Tool(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tool that measures what threads, or processes, cost each other.

    Attributes:
        name: by which it is asked for.
        says: what it is, in a clause.
        url: where it is.
        source: what was read of it, and of which version.
        numbers: those that are told of it.
        block: round trips in a block of ours, where the tool's samples are of so many; None for the usual ones.
    """

    name: str
    says: str
    url: str
    source: str
    numbers: tuple[Number, ...]
    block: int | None = None

    @property
    def runs(self) -> list[Number]:
        """The numbers for which it can be run."""
        return [one for one in self.numbers if one.run]

    def theirs(self, number: Number) -> WantedCase:
        """The case that is the tool itself: a probe of its name."""
        ours = number.case
        return WantedCase("signal", number.name, self.name, place=ours.place, pin=ours.pin, lines=1)


def read_tools(text: str) -> dict[str, Tool]:
    """Read tools by their names; ValueError for what is none."""
    content = tomllib.loads(text)["tools"]
    tools = {name: msgspec.convert({"name": name, **given}, Tool) for name, given in content.items()}
    for tool in tools.values():
        for one in tool.numbers:
            if one.rule not in RULES:
                raise ValueError(f"There is no reading {one.rule}.")
            if not one.figure.strip():
                raise ValueError(f"{one.name} has no figure.")
    return tools


@cache
def tools() -> Mapping[str, Tool]:
    """Read the tools from like.toml, once."""
    return read_tools((files(__package__) / "like.toml").read_text(encoding="utf-8"))
