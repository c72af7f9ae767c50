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

from threadping.studies.repeating.wanted import WantedCase

CLAIMED = re.compile(r"([\w-]+)(?:@(\d+))? (>|<=) ([\d.]+) \* ([\w-]+)(?:@(\d+))?")


class Published(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure in the article's words, where an empty one was not given.

    `case` is what repeats it, None where nothing does; `figure` is the name of ours; `why` says why it is never
    compared, and is empty where it can be; `unlike` says in what the loop of the case differs from that of the article,
    and is empty where it does not.
    """

    experiment: str
    source: str
    url: str
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
    case: WantedCase | None = None
    figure: str = ""
    why: str = ""
    unlike: str = ""


class ClaimedRatio(Struct, frozen=True):
    """One case is more than so many times another, or (`more` is False) it is not."""

    ours: WantedCase
    more: bool
    times: float
    theirs: WantedCase


class Claim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was concluded: a sentence, the rule in words, and the ratios that must all be so.

    They are of the first of `figures` that single trials carry. Nothing can be said on a machine with fewer CPUs for us
    than `fewest_cpus`, nor where a trial outlasts the start-up delay of `delay_s` that it is to end before.
    """

    experiment: str
    source: str
    url: str
    claim: str
    rule: str
    holds: tuple[ClaimedRatio, ...]
    figures: tuple[str, ...]
    fewest_cpus: int = 1
    delay_s: float | None = None

    @property
    def needs(self) -> list[WantedCase]:
        """The cases that are compared."""
        return [side for one in self.holds for side in (one.ours, one.theirs)]


class Articles(Struct, frozen=True):
    """Everything that was published, in the order of the articles; `words` are what else experiments are called."""

    figures: tuple[Published, ...]
    claims: tuple[Claim, ...]
    cases: Mapping[str, WantedCase]
    words: Mapping[str, str]

    @property
    def wanted(self) -> list[list[WantedCase]]:
        """What must be measured: what claims need, then for each experiment what repeats its figures."""
        needed = [side for claim in self.claims for side in claim.needs]
        of_each: dict[str, list[WantedCase]] = {name: [] for name in self.experiments}
        for one in self.figures:
            if one.case and not one.why:
                of_each[one.experiment].append(one.case)
        return [list(dict.fromkeys(group)) for group in (needed, *of_each.values())]

    @property
    def experiments(self) -> list[str]:
        """The names of what the articles measured."""
        return list(dict.fromkeys(one.experiment for one in self.figures))

    def named(self, name: str) -> str | None:
        """The experiment of this name, or that one of its article's words means, however that is spelt."""
        if name in self.experiments:
            return name
        return self.words.get(_plain(name))

    def telling_of(self, word: str) -> list[str]:
        """The experiments whose figures or claims have this word in them, or measure what is called so."""
        each: Sequence[Published | Claim] = (*self.figures, *self.claims)
        told = [(one.experiment, msgspec.json.encode(one)) for one in each]
        return list(dict.fromkeys(name for name, text in told if word.lower().encode() in text.lower()))

    def only(self, names: Sequence[str]) -> "Articles":
        """Those of these experiments; all of them where none is named."""
        among = names or self.experiments
        figures = tuple(one for one in self.figures if one.experiment in among)
        return replace(self, figures=figures, claims=tuple(one for one in self.claims if one.experiment in among))


def read_articles(text: str) -> Articles:
    """Read figures and claims; ValueError for what is none."""
    content = tomllib.loads(text)
    cases = msgspec.convert(content["cases"], dict[str, WantedCase])

    def case(name: str, threads: int | str | None) -> WantedCase:
        if name not in cases:
            raise ValueError(f"There is no case {name}.")
        return replace(cases[name], threads=int(threads or 2))

    def claimed(words: str) -> ClaimedRatio:
        if (found := CLAIMED.fullmatch(words)) is None:
            raise ValueError(f"This is no comparison: {words}.")
        ours, own, sign, times, theirs, their = found.groups()
        return ClaimedRatio(case(ours, own), sign == ">", float(times), case(theirs, their))

    figures: list[Published] = []
    claims: list[Claim] = []
    words: dict[str, str] = {}
    for article in content["articles"]:
        lines, concluded = article.pop("figures"), article.pop("claims", ())
        words |= {_plain(word): article["experiment"] for word in article.pop("words", ())}
        date = article.pop("date")
        article["source"] = f"{article.pop('title')} ({article.pop('blog')}, {date})"
        article["year"] = date.year
        for one in lines:
            repeats: dict[str, Any] = {}
            if "case" in one:
                repeats["case"] = case(one["case"], one.get("threads"))
                repeats["unlike"] = content.get("unlike", {}).get(repeats["case"].mechanism, "")
            figures.append(msgspec.convert({**article, **one, **repeats}, Published))
        for one in concluded:
            of = {name: article[name] for name in ("experiment", "source", "url")}
            claims.append(msgspec.convert({**of, **one, "holds": tuple(map(claimed, one["holds"]))}, Claim))
    return Articles(tuple(figures), tuple(claims), cases, words)


def _plain(word: str) -> str:
    """A word as it is looked up: `biased locking`, `biased-locking` and `BiasedLocking` are one."""
    return re.sub(r"[\W_]", "", word).casefold()


@cache
def articles() -> Articles:
    """Read the articles, their figures and their claims from published.toml, once."""
    return read_articles((files(__package__) / "published.toml").read_text(encoding="utf-8"))
