"""What was published, read from `published.toml`: figures, the cases that repeat them, and what was concluded."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import Pin

Build = tuple[str, ...]
"""The language of a probe, and those of its flags that matter."""

COMPARISON = re.compile(r"([\w-]+)(?:@(\d+))? (>|<=) ([\d.]+) \* ([\w-]+)(?:@(\d+))?")


class Repeating(Struct, frozen=True, forbid_unknown_fields=True):
    """A case that repeats something, before it is known whether this machine can measure it.

    `params` is `name=value`, the one parameter that is not its default, or empty; `flags` are those that matter, and
    from Java `since_java` on a JVM is as with them without. `lines` None is as many as the mechanism has by itself.
    """

    experiment: str
    mechanism: str
    runtime: Literal["cpp", "java"] = "java"
    flags: tuple[str, ...] = ()
    since_java: int | None = None
    params: str = ""
    place: Literal["two-cpus", "two-cores", "smt", "cross-node", "same-cpu", "unpinned"] = "unpinned"
    pin: Pin = "thread"
    lines: int | None = None
    threads: int = 2

    @property
    def build(self) -> Build:
        """What it runs on."""
        return self.runtime, *self.flags

    @property
    def title(self) -> str:
        """Name it: `signal condition java two-cpus process`."""
        threads = "" if self.threads == 2 else f"{self.threads} threads"
        process, lines = "process" if self.pin == "process" else "", f"lines={self.lines}" if self.lines else ""
        parts = (self.mechanism, self.params, self.runtime, *self.flags, threads, self.place, process, lines)
        return " ".join([self.experiment, *filter(None, parts)])


class Published(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure in the article's words, where an empty one was not given; below them ours.

    `case` is what repeats it, None where nothing does; `figure` is the name of our figure; `why` says why it is never
    compared, and is empty where it can be.
    """

    experiment: str
    source: str
    year: int
    machine: str = ""
    os: str = ""
    runtime: str
    placement: str = ""
    threads: int = 2
    metric: str
    value: float
    unit: Literal["ns", "ops/s", "messages/s"]
    note: str = ""
    case: Repeating | None = None
    figure: str = ""
    why: str = ""


class Comparison(Struct, frozen=True):
    """One case is more than so many times another, or (`more` is False) it is not."""

    ours: Repeating
    more: bool
    times: float
    theirs: Repeating


class Claim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was concluded: a sentence, the rule in words, and the comparisons that must all be so.

    They are of the first of `figures` that single trials carry. Nothing can be said on a machine with fewer CPUs for us
    than `fewest_cpus`, nor where a trial outlasts the start-up delay of `delay_s` that it is to end before.
    """

    experiment: str
    source: str
    claim: str
    rule: str
    holds: tuple[Comparison, ...]
    figures: tuple[str, ...]
    fewest_cpus: int = 1
    delay_s: float | None = None


class Articles(Struct, frozen=True):
    """Everything that was published, in the order of the articles."""

    figures: tuple[Published, ...]
    claims: tuple[Claim, ...]
    cases: Mapping[str, Repeating]

    @property
    def wanted(self) -> list[list[Repeating]]:
        """What must be measured: what claims need, then for each experiment what repeats its figures."""
        needed = (side for claim in self.claims for one in claim.holds for side in (one.ours, one.theirs))
        groups = {name: [one for one in self.figures if one.experiment == name] for name in self.experiments}
        repeated = ([one.case for one in group if one.case and not one.why] for group in groups.values())
        return [list(dict.fromkeys(group)) for group in (needed, *repeated)]

    @property
    def experiments(self) -> list[str]:
        """The names of what the articles measured."""
        return list(dict.fromkeys(one.experiment for one in self.figures))

    def only(self, names: Sequence[str]) -> "Articles":
        """Those of these experiments; all of them where none is named."""
        among = names or self.experiments
        figures = tuple(one for one in self.figures if one.experiment in among)
        return replace(self, figures=figures, claims=tuple(one for one in self.claims if one.experiment in among))


def read(text: str) -> Articles:
    """Read figures and claims; ValueError for what is none."""
    content = tomllib.loads(text)
    cases = msgspec.convert(content["cases"], dict[str, Repeating])

    def case(name: str, threads: int | str | None) -> Repeating:
        if name not in cases:
            raise ValueError(f"There is no case {name}.")
        return replace(cases[name], threads=int(threads or 2))

    def comparison(words: str) -> Comparison:
        if (found := COMPARISON.fullmatch(words)) is None:
            raise ValueError(f"This is no comparison: {words}.")
        ours, own, sign, times, theirs, their = found.groups()
        return Comparison(case(ours, own), sign == ">", float(times), case(theirs, their))

    figures: list[Published] = []
    claims: list[Claim] = []
    for article in content["articles"]:
        lines, concluded = article.pop("figures"), article.pop("claims", ())
        for one in lines:
            repeats: dict[str, Any] = {"case": case(one["case"], one.get("threads"))} if "case" in one else {}
            figures.append(msgspec.convert({**article, **one, **repeats}, Published))
        for one in concluded:
            of = {"experiment": article["experiment"], "source": article["source"]}
            claims.append(msgspec.convert({**of, **one, "holds": tuple(map(comparison, one["holds"]))}, Claim))
    return Articles(tuple(figures), tuple(claims), cases)


@cache
def articles() -> Articles:
    """What the articles say."""
    return read((files(__package__) / "published.toml").read_text(encoding="utf-8"))
