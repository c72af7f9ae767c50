"""Stated figures and what a run says of them: those of articles with their claims, and those of other tools."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from statistics import median
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, Unit, metric_of
from threadping.analysis.percentiles import Estimate, estimate, is_more, ratio
from threadping.analysis.validity import is_usable
from threadping.model import base, contract, errors, reading
from threadping.studies.reproduce.wanted import TOO_FEW_SAMPLES, OurFigure, Source, WantedCase, disturbance

OF_ARTICLES = Source("what repeats the published figures", "reproduce articles")

CLAIMED = re.compile(r"([\w-]+)(?:@(\d+))? (>|<=) ([\d.]+) \* ([\w-]+)(?:@(\d+))?")


class Published(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure in the article's words; an empty one was not given.

    `case` repeats it, None where nothing does; `figure` is the name of ours; `why` is the reason why it is never
    compared, empty where it can be; `unlike` says in what the loop of the case differs from that of the article.
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
    """A comparison: one case is more than `times` times another, or (`more` is False) it is not."""

    ours: WantedCase
    more: bool
    times: float
    theirs: WantedCase


class Claim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A conclusion of an article: a sentence, the rule in words, and the ratios that must all be so.

    Ratios are of the first of `figures` that single trials carry. Nothing can be said on a machine with fewer CPUs for
    us than `fewest_cpus`, nor where a trial outlasts the start-up delay of `delay_s` that it is to end before.
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
        """The cases that claims compare, then for each experiment those that repeat its figures."""
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
        """Return the experiment of this name, or that a word of its article means, however that is spelt."""
        if name in self.experiments:
            return name
        return self.words.get(_plain(name))

    def only(self, names: Sequence[str]) -> "Articles":
        """Return those of these experiments; all of them where none is named."""
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
            raise ValueError(f"This is not a comparison: {words}.")
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
    """Return the lookup form of a word: `biased locking`, `biased-locking` and `BiasedLocking` are one."""
    return re.sub(r"[\W_]", "", word).casefold()


@cache
def articles() -> Articles:
    """Read the articles, their figures and their claims from articles.toml, once."""
    return read_articles((files(__package__) / "articles.toml").read_text(encoding="utf-8"))


ClaimVerdict = Literal["holds here", "not here", "cannot tell"]


class RepeatedFigure(base.Record, frozen=True):
    """A published figure with ours in one state of the machine, and the reason why these are not compared, if any.

    `disturbed` is the warning that sets ours apart; the reason is what that says of this row.
    """

    published: Published
    ours: OurFigure | None = None
    reason: str | None = None
    disturbed: str | None = None

    @property
    def ratio(self) -> Estimate | None:
        """Ours over theirs, as sure as ours is: theirs is one number. None where none is known undisturbed."""
        if self.ours is None or self.reason:
            return None
        one, theirs = self.ours.value, self.published.value
        low, high = (end / theirs for end in one.ends)
        return Estimate(one.value / theirs, low, high, one.kind)


class JudgedClaim(base.Record, frozen=True):
    """A claim with its verdict, the reason, and our figures for or against it."""

    claim: Claim
    verdict: ClaimVerdict
    why: str
    figures: tuple[OurFigure, ...] = ()


def repeat_figures(figures: Iterable[Published], answer: Answer) -> list[RepeatedFigure]:
    """Pair each published figure with ours in each placement state, that of most trials first."""
    found: list[RepeatedFigure] = []
    for one in figures:
        wanted = None if one.why else one.case
        ours = OF_ARTICLES.figures(wanted, one.figure, answer) if wanted else []
        reason = OF_ARTICLES.why_without(wanted, answer) if wanted and not ours else one.why or None
        repeated = [RepeatedFigure(one, each, *disturbance(each.row)) for each in ours]
        found += repeated or [RepeatedFigure(one, reason=reason)]
    return found


def judge_claim(claim: Claim, answer: Answer) -> JudgedClaim:
    """Say whether a claim holds: it does not where one of its ratios is the other way round."""
    steps = [_decide(one, claim, answer) for one in claim.holds]
    figures: list[OurFigure] = []
    for _, _, pair in steps:
        figures += [one for one in pair if one not in figures]
    so = [answered for answered, _, _ in steps]
    verdict: ClaimVerdict = "not here" if False in so else "cannot tell" if None in so else "holds here"
    why = "; ".join(dict.fromkeys(said for _, said, _ in steps))
    cpus = len(set(answer.run.machine.topology.allowed))
    longest_s = max((trial.wall_ns / 1e9 for one in figures for trial in one.row.trials), default=0.0)
    if figures and cpus < claim.fewest_cpus:
        verdict, why = "cannot tell", f"it needs {claim.fewest_cpus} CPUs or more: pinning to all {cpus} pins nothing"
    elif claim.delay_s and longest_s >= claim.delay_s:
        outlasts = f"a trial took {longest_s:.1f} s and the start-up delay is {claim.delay_s:g} s"
        verdict, why = "cannot tell", f"{outlasts}: give a shorter --budget"
    return JudgedClaim(claim, verdict, why, tuple(figures))


def _decide(one: ClaimedRatio, claim: Claim, answer: Answer) -> tuple[bool | None, str, Sequence[OurFigure]]:
    """Say whether a ratio is so, why, and by which figures: two of the same state of the machine, of most trials."""
    ours_theirs = (one.ours, one.theirs)
    found = {figure: [OF_ARTICLES.figures(side, figure, answer) for side in ours_theirs] for figure in claim.figures}
    for place, wanted in enumerate(ours_theirs):
        if not any(sides[place] for sides in found.values()):
            return None, f"{wanted.title}: {OF_ARTICLES.why_without(wanted, answer)}", ()
    for sides in found.values():
        pairs = [(a, b) for a, b in product(*sides) if a.of_trials and b.of_trials]
        alike = [(a, b) for a, b in pairs if a.row.state == b.row.state and is_usable((a.row, b.row), "compare")]
        if not alike:
            continue
        ours, theirs = max(alike, key=lambda pair: min(len(side.of_trials) for side in pair))
        quotient = ratio(ours.of_trials, theirs.of_trials)
        is_it = is_more(quotient, one.times)
        more = {None: "which may be more", True: "which is more", False: "which is not more"}[is_it]
        low, high = quotient.ends
        reach = f" ({low:.2f} to {high:.2f})" if quotient.kind else " (too few trials for an interval)"
        said = f"{ours.text} is {quotient.value:.2f} times{reach} {theirs.text}, {more} than {one.times:g}"
        return None if is_it is None else is_it == one.more, said, (ours, theirs)
    return None, "no undisturbed trials of both have the metric in the same placement state", ()


# ---- other tools' numbers ----

SECOND_NS = 1e9


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A reading: it makes the number of a tool of the time that one operation takes."""

    name: str  # as tools.toml has it
    operations: float  # the number of operations, one after the other, that the tool counts as one
    per_second: bool = False  # whether the number says how often these fit into a second, and not how long they take

    @property
    def unit(self) -> Unit:
        """The unit of the number."""
        return "per_s" if self.per_second else "ns"

    def number_of(self, ns: float) -> float:
        """Return the number, where an operation takes so long."""
        took = self.operations * ns
        return SECOND_NS / took if self.per_second else took


class Number(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number that a tool prints."""

    name: str  # the tool's name of it
    times: str  # what it times
    divides: str  # what it divides that by
    creation: str  # whether threads or processes are created while it times
    placement: str  # on which CPUs they are
    over: str  # how its samples become one
    unit: str  # the printed unit
    contains: str  # a sentence: what the number has in it
    case: WantedCase  # of ours, which repeats it
    rule: Rule  # by which ours becomes the like of it
    figure: Annotated[str, msgspec.Meta(pattern=r"\S")] = "latency_ns.mean"  # what that is read from
    differs: str = ""  # in what the case differs from the tool; empty where in nothing
    nearest: bool = False  # whether it differs so much that both are not held against each other


class Tool(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tool that measures what threads, or processes, cost each other."""

    name: str  # by which it is asked for
    says: str  # what it is, in a clause
    url: str  # where it is
    source: str  # the file read, and its version
    numbers: tuple[Number, ...]  # those that are known of it
    # round trips in a block of ours, where the tool's samples have as many; None for the usual number
    block: int | None = None

    @property
    def repeated(self) -> Source:
        return Source("what repeats the tool's numbers", f"reproduce {self.name}")


def read_tools(text: str) -> dict[str, Tool]:
    """Read tools by their names; ValueError for what is none."""
    content = tomllib.loads(text)
    rules = {name: {"name": name, **given} for name, given in content["rules"].items()}
    for tool in content["tools"].values():
        for one in tool["numbers"]:
            one["rule"] = rules.get(one["rule"])
    return {name: msgspec.convert({"name": name, **given}, Tool) for name, given in content["tools"].items()}


@cache
def tools() -> Mapping[str, Tool]:
    """Read the tools from tools.toml, once."""
    return read_tools((files(__package__) / "tools.toml").read_text(encoding="utf-8"))


def tool_named(name: str) -> Tool:
    """Return the tool of this name; raises UnknownName."""
    if name not in tools():
        raise errors.UnknownName("tool", name, [*tools()], lists="threadping info tools")
    return tools()[name]


# ---- what an operation takes in a trial of ours: the mean over all blocks, or the least of them ----

LEAST_BLOCK, LEAST_STRETCH = "blocks.least_ns", "blocks.least_stretch_ns"

STRETCHES = 5  # samples of multichase in a second and a quarter: it takes the least


def kept_of(result: contract.Result) -> dict[str, float]:
    """Return what tools take of a trial and no experiment declares: the fastest block, and the fastest fifth."""
    windows = reading.counted(result, "throughput")
    blocks = [(ns, sum(ops)) for ns, *ops in zip(windows.ns, *windows.ops, strict=True)]
    done = [(ns, ops) for ns, ops in blocks if ops]
    if not done:
        return {}
    return {LEAST_BLOCK: min(ns / ops for ns, ops in done), LEAST_STRETCH: least_stretch(done, STRETCHES)}


def least_stretch(blocks: list[tuple[int, int]], stretches: int) -> float:
    """Return the time of an operation (ns) in the fastest of these stretches of blocks, alike in length.

    Where there are fewer blocks than stretches, each block is one.
    """
    number = min(stretches, len(blocks))
    ends = [len(blocks) * place // number for place in range(number + 1)]
    parts = [blocks[first:last] for first, last in pairwise(ends)]
    return min(sum(ns for ns, _ in part) / sum(ops for _, ops in part) for part in parts)


def ns_of_trials(row: Row, figure: str) -> list[float]:
    """Return the time of an operation in each trial of a row, by a figure: a time, or a rate turned round."""
    if figure in (LEAST_BLOCK, LEAST_STRETCH):
        return row.over_trials(figure)
    metric = metric_of(figure, row.declared)
    values = [value for value in metric.of_row(row) if value > 0]
    return [SECOND_NS / value for value in values] if metric.unit == "per_s" else values


# ---- what a run says of a number ----


class LikeFigure(base.Record, frozen=True):
    """A number of a tool, with ours in one state of the machine."""

    number: Number  # of the tool
    ours: OurFigure | None = None  # our headline; None where there is none
    by_their_rules: Estimate | None = None  # our figure as the tool would print it
    reason: str | None = None  # why there is no figure of ours, or what sets it apart
    # how long what the tool counts as one takes, in our operations: 2 of a round trip; the median of trials
    times: float | None = None


def figures_like(tool: Tool, answer: Answer) -> list[LikeFigure]:
    """Pair every number of a tool with ours in each placement state, that of most trials first."""
    found: list[LikeFigure] = []
    for one in tool.numbers:
        ours = tool.repeated.figures(one.case, "", answer)
        repeated = [_by_their_rules(one, each) for each in ours]
        found += repeated or [LikeFigure(one, reason=tool.repeated.why_without(one.case, answer))]
    return found


def _by_their_rules(number: Number, ours: OurFigure) -> LikeFigure:
    taken = ns_of_trials(ours.row, number.figure)
    value = estimate([number.rule.number_of(ns) for ns in taken]) if taken else _pooled(number, ours.row)
    if value is None:
        return LikeFigure(number, ours, reason=TOO_FEW_SAMPLES)
    reason, _ = disturbance(ours.row)
    own = ns_of_trials(ours.row, ours.figure)
    ratios = [one / other for one, other in zip(taken, own, strict=True)] if len(own) == len(taken) else []
    return LikeFigure(number, ours, value, reason, number.rule.operations * median(ratios) if ratios else None)


def _pooled(number: Number, row: Row) -> Estimate | None:
    """Return ours by the tool's rules where single trials do not carry it and all of them together do."""
    known = row.figures.get(number.figure)
    if known is None:
        return None
    low, high = sorted(map(number.rule.number_of, known.ends))
    return Estimate(number.rule.number_of(known.value), low, high, known.kind)
