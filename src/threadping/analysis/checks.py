"""What may be wrong with a figure, a machine or a run: how it is found, and the sentences that outputs print."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model.bounds import Record


class Wording(Struct, frozen=True):
    """The words for a finding; its facts stand in them as `{fact:spec}`, which `warnings.words` writes."""

    means: str  # what it means for the figure, in sentences
    brief: str = ""  # the facts in a few words, behind the code
    remedy: str = ""  # what to do about it
    costs: str = ""  # what that costs, where it is known
    why: str = ""  # the finding as a clause, where it may forbid to use a figure


class Sentences(Struct, frozen=True):
    """For each code, cause of outliers, figure, and word that no experiment declares."""

    findings: Mapping[str, Wording] = {}  # by code
    causes: Mapping[str, str] = {}  # by cause
    figures: Mapping[str, str] = {}  # by name
    words: Mapping[str, str] = {}  # by word, those of the field too
    first: Mapping[str, str] = {}  # what stands before all else that is said of a word
    same: Mapping[str, str] = {}  # for other words of the field the one that is explained


@cache
def sentences() -> Sentences:
    """Read the words of findings, causes and figures, and those of the field, once."""
    ours, field = (
        msgspec.toml.decode((files(__package__) / name).read_bytes(), type=Sentences)
        for name in ("words.toml", "field.toml")
    )
    return replace(ours, words={**ours.words, **field.words}, first=field.first, same=field.same)


Level = Literal["error", "warning", "note"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")  # The gravest first

Fact = float | str
Facts = Mapping[str, Fact]

Checked = TypeVar("Checked")


class Check(Struct, Generic[Checked], frozen=True):
    """Something that may be wrong with a figure (or with a machine, or a run)."""

    code: str  # its name, for good
    # `error`: the figure is not what it is called; `warning`: something changed this figure, by a test; `note`: what
    # must be known to read it. `find` may give another one as the fact `level`.
    level: Level
    find: Callable[[Checked], Facts | None]  # the facts where it is true, else None
    always: bool = False  # whether it is checked for rows without a trial too
    of_timed: bool = False  # whether it is of what was timed one by one: it is not asked of rows where nothing was
    # the regime that a row is in where it is true, in a word: rows of different mechanisms are compared only where they
    # are in the same one
    regime: str = ""
    words: Wording | None = None  # its own; None if they stand in `words.toml`
    # the codes of findings, with facts of theirs, that say no more than this one: left out beside it
    explains: Mapping[str, Facts] = {}
    # the figures, and groups of figures, that are left out where it is true, and that checks behind it do not see:
    # `latency_ns` is `latency_ns.p99` and all others of that group
    hides: tuple[str, ...] = ()
    # of how many rows that are like this one it is true, at most, where nothing is wrong
    by_chance: Callable[[Checked], float] = lambda _: 0.0


class Finding(Record, frozen=True):
    """What must be known to believe a figure: a check's code, its level, and the facts that its words are made with."""

    code: str
    level: Level
    facts: Facts


def gravest_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """In the order of their levels, otherwise as they were found."""
    return tuple(sorted(findings, key=lambda one: LEVELS.index(one.level)))
