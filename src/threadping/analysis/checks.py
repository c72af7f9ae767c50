"""Checks of a figure, a machine or a run: how a fault is found, and the sentences that outputs print of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model import quantities
from threadping.model.base import Record

Use = Literal["rank", "compare", "gate", "recommend", "history", "export", "chart"]
"""Uses of a result: `rank` puts it before or behind others, `compare` makes a ratio of two, `gate` an exit
code, `recommend` advice, `history` an alarm among earlier runs, `export` a point of a series elsewhere."""

UseEffect = Literal["usable", "marked", "alike", "unusable"]
"""The effect of a finding on a use; `alike`: usable, marked, with results that have the same finding, and
no others."""


Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")  # The gravest first
Fact = float | str
Facts = Mapping[str, Fact]


class Wording(Struct, frozen=True):
    """All that is declared of a finding: its level, its effect, and its words, in which `{fact:spec}` is a fact."""

    # `error`: the figure is not what it is called; `warning`: something changed this figure, by a test; `note`: what
    # must be known to read it. A check may give a finding another one
    level: Level
    means: str  # what it means for the value, in sentences
    brief: str = ""  # the facts in a few words, behind the code
    remedy: str = ""  # what to do about it
    costs: str = ""  # what that costs, where it is known
    why: str = ""  # the finding as a clause, if it may forbid the use of a value
    # its effect on uses, and on `every` other one, which a chart marks at most; empty where its level says that
    uses: Mapping[Use | Literal["every"], UseEffect] = {}
    definition: str = ""  # what the code means without a finding: no facts, and understood alone
    # the regime that a row is in, in a word: rows of different mechanisms are compared only where they are in the same
    regime: str = ""
    # the codes of findings, with facts of theirs, that say no more than this one, and are left out with it
    explains: Mapping[str, Facts] = {}

    def whole(self, means: str) -> str:
        """Return a text of what it means, with what to do, and what that costs."""
        costs = f"It costs: {self.costs[0].lower()}{self.costs[1:]}" if self.costs else ""
        return " ".join(filter(None, (means, self.remedy, costs)))


class Sentences(Struct, frozen=True):
    """Words for each code, cause of outliers, figure, and word that no experiment declares."""

    findings: Mapping[str, Wording] = {}  # by code
    causes: Mapping[str, str] = {}  # by cause
    figures: Mapping[str, str] = {}  # by name
    words: Mapping[str, str] = {}  # by word, those of the field too
    first: Mapping[str, str] = {}  # the sentence that begins the explanation of a word
    same: Mapping[str, str] = {}  # for other words of the field the one that is explained


@cache
def tables() -> dict[str, str]:
    """Return the text of each table of `findings.toml`, by its name: a run needs few of them, and all take 11 ms."""
    parts = re.split(r"^\[([^]]+)\]$", Path(__file__).with_name("findings.toml").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@cache
def wording(code: str) -> Wording:
    return msgspec.toml.decode(tables()[f"findings.{code}"], type=Wording)


@cache
def limits() -> dict[str, dict[str, float]]:
    """Return the maximum of each effect of `doctor`, by purpose."""
    return msgspec.toml.decode(tables()["limits"], type=dict[str, dict[str, float]])


@cache
def sentences() -> Sentences:
    """Return the words of all that has some: `explain` and a page wait for them, a table of a run does not."""
    found = msgspec.toml.decode("".join(f"[{name}]{text}" for name, text in tables().items()), type=Sentences)
    files = (Path(__file__).with_name(f"{name}.toml").read_bytes() for name in ("words", "field"))
    ours, field = (msgspec.toml.decode(content, type=Sentences) for content in files)
    words = {**ours.words, **field.words}
    return replace(ours, findings=found.findings, words=words, first=field.first, same=field.same)


Checked = TypeVar("Checked")


class Check(Struct, Generic[Checked], frozen=True):
    """A rule by which something may be wrong with a row, or with a run."""

    find: Callable[[Checked], Iterable["Finding"]]
    # of all that it finds what counts: `findings.toml` has the level, the effect and the words of each code
    codes: tuple[str, ...]
    # the figures, and groups of figures, that are left out with what it finds, and that checks behind it do not see:
    # `latency_ns` is `latency_ns.p99` and all others of that group
    hides: tuple[str, ...] = ()


Part = Literal["message", "means", "brief", "remedy", "costs", "why"]


class Finding(Record, frozen=True):
    """A check's code, its level, and the facts that its words are made with, without which a figure is misread."""

    code: str
    level: Level
    facts: Facts

    def text(self, part: Part) -> str:
        """Return a part of its words with its facts; a `message` is what it means, what to do, and what that costs."""
        words = wording(self.code)
        return with_facts(words.whole(words.means) if part == "message" else getattr(words, part), self.facts)


def finding(code: str, level: Level | None = None, /, **facts: Fact) -> Finding:
    """Return a finding with its facts, of another level than is usual if one is given."""
    return Finding(code, level or wording(code).level, facts)


def gravest_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Sort findings by their levels, otherwise as they were found."""
    return tuple(sorted(findings, key=lambda one: LEVELS.index(one.level)))


WRITERS: dict[str, Callable[[float], str]] = {
    "": lambda number: f"{number:,.4g}" if number % 1 and number < 1000 else f"{number:,.0f}",
    "time": quantities.time,
    "share": quantities.more,
    "fold": lambda fold: f"{fold:.1f}x",
}
"""Writers of a number, by what follows the colon in `{fact:spec}`."""


def explained(code: str) -> str:
    """The definition of a code, and the remedy, without a finding."""
    words = wording(code)
    return words.whole(words.definition)


def with_facts(text: str, facts: Facts) -> str:
    """Write the facts of a finding into a text."""

    def fact(field: re.Match[str]) -> str:
        value = facts[field[1]]
        return value if isinstance(value, str) else WRITERS[field[2]](value)

    return re.sub(r"{(\w+):?(\w*)}", fact, text)
