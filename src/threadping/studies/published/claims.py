"""Published figures beside those of the cases that repeat them, and whether what was concluded holds there."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from statistics import median
from typing import Literal

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.metric import metric_of
from threadping.analysis.ratio import is_more, ratio
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.contract import Topology
from threadping.model.bounds import Record
from threadping.model.cases import DIMENSIONS, Case
from threadping.model.run import Run
from threadping.relation import CPUS_APART, relation, usable
from threadping.studies.published.articles import Claim, Comparison, Published, Repeating, articles


def repeats(wanted: Repeating, run: Run) -> Case | None:
    """The case of a run that repeats it; of several the one with the flags and the cache lines that are asked."""
    fitting = [case for case in run.cases if _fits(wanted, case, run.machine.topology)]
    return min(fitting, key=lambda case: _distance(wanted, case), default=None)


def place(wanted: Repeating, topology: Topology) -> str | None:
    """What its placement is called on this machine; None where there are no two such CPUs."""
    if wanted.place not in ("two-cpus", "two-cores"):
        return wanted.place
    ranked = sorted(_apart(topology), key=lambda name: (name == "smt", CPUS_APART.index(name)))
    return next((name for name in ranked if wanted.place == "two-cpus" or name != "smt"), None)


def _fits(wanted: Repeating, case: Case, topology: Topology) -> bool:
    return (
        (case.experiment, case.mechanism, case.threads) == (wanted.experiment, wanted.mechanism, wanted.threads)
        and " ".join(f"{name}={case.params[name]}" for name in case.varied) == wanted.params
        and _is_of(wanted, case.runtime)
        and case.placement.name == place(wanted, topology)
        and (case.placement.pin == wanted.pin or wanted.place == "unpinned")
        and not any(one.is_unusual(case) for one in DIMENSIONS if one.name not in ("threads", "pin"))
    )


def _is_of(wanted: Repeating, label: str) -> bool:
    """Whether it runs on the runtime of this label, whatever flags this has that matter to no case."""
    name, *given = label.split()
    flags = tuple(flag for flag in given if flag.partition("=")[0] in _flags())
    java = re.match(r"java-(\d+)", name)
    if not flags and wanted.since_java and java and int(java[1]) >= wanted.since_java:
        flags = wanted.flags
    return (name.partition("-")[0], flags) == (wanted.runtime, wanted.flags)


def _distance(wanted: Repeating, case: Case) -> tuple[bool, int]:
    lines = -case.lines if wanted.lines is None else abs(case.lines - wanted.lines)
    return not set(wanted.flags) <= set(case.runtime.split()), lines


@cache
def _flags() -> frozenset[str]:
    return frozenset(flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags)


@cache
def _apart(topology: Topology) -> frozenset[str]:
    return frozenset(relation(*pair) for pair in combinations(usable(topology).values(), 2))


LAYER = "what repeats the published figures"
"""What a plan calls its cases: so those that its budget left out are named in a run."""

Verdict = Literal["holds here", "not here", "cannot tell"]


class Ours(Record, frozen=True):
    """Our figure, from one row."""

    row: Row
    figure: str
    estimate: Estimate


class Compared(Record, frozen=True):
    """A published figure, ours in each state of the machine (of most trials first), or the reason why there is none."""

    published: Published
    ours: tuple[Ours, ...] = ()
    reason: str | None = None

    def ratio(self, ours: Ours) -> Estimate | None:
        """Ours over theirs, as sure as ours is: theirs is one number; None where theirs is nothing."""
        one, theirs = ours.estimate, self.published.value
        if not theirs:
            return None
        low, high = (end / theirs for end in one.ends)
        return Estimate(one.value / theirs, low, high, one.kind) if one.kind else Estimate(one.value / theirs)


class Judged(Record, frozen=True):
    """What an answer says of a claim: a verdict, why, and our figures for or against it."""

    claim: Claim
    verdict: Verdict
    why: str
    figures: tuple[Ours, ...] = ()


def compare(figures: Sequence[Published], answer: Answer) -> list[Compared]:
    """Set each published figure beside ours."""
    return [_compared(one, answer) for one in figures]


def judge(claims: Sequence[Claim], answer: Answer) -> list[Judged]:
    """Say of each claim whether it holds: it does not where one of its comparisons is the other way round."""
    return [_judged(one, answer) for one in claims]


def _compared(one: Published, answer: Answer) -> Compared:
    if one.why or one.case is None:
        return Compared(one, reason=one.why)
    found = tuple(_ours(one.case, one.figure, answer))
    return Compared(one, found) if found else Compared(one, reason=_why_not(one.case, answer))


def _ours(wanted: Repeating, figure: str, answer: Answer) -> Iterator[Ours]:
    case = repeats(wanted, answer.run)
    for row in sorted(answer.rows, key=lambda row: -len(row.trials)):
        if row.case == case and figure in row.figures:
            yield Ours(row, figure, row.figures[figure])


def _why_not(wanted: Repeating, answer: Answer) -> str:
    run = answer.run
    case = repeats(wanted, run)
    if case is None:
        own = (one.reason for one in run.skipped if one.what == wanted.title)
        left_out = (one.reason for one in run.skipped if one.what.endswith(LAYER))
        not_asked = f"{f'run {run.id}' if run.id else 'this run'} has no such case; `threadping published` measures it"
        return next(own, None) or next(left_out, not_asked)
    rows, checks = [row for row in answer.rows if row.case == case], checks_of(answer.declared)
    if any(row.figures for row in rows):
        return "its trials have too few samples for it; a longer --budget has more"
    errors = (message(checks[one.code], one) for row in rows for one in row.findings if one.level == "error")
    return next(errors, "none of its trials could be counted")


def _judged(claim: Claim, answer: Answer) -> Judged:
    steps = [_step(one, claim, answer) for one in claim.holds]
    figures: list[Ours] = []
    for _, _, pair in steps:
        figures += [one for one in pair if one not in figures]
    so = [answered for answered, _, _ in steps]
    verdict: Verdict = "not here" if False in so else "cannot tell" if None in so else "holds here"
    why = "; ".join(dict.fromkeys(said for _, said, _ in steps))
    cpus = len(set(answer.run.machine.topology.allowed))
    longest_s = max((trial.wall_ns / 1e9 for one in figures for trial in one.row.trials), default=0.0)
    if figures and cpus < claim.fewest_cpus:
        verdict, why = "cannot tell", f"it takes {claim.fewest_cpus} CPUs or more: pinned to all {cpus} is not pinned"
    elif claim.delay_s and longest_s >= claim.delay_s:
        outlasts = f"a trial took {longest_s:.1f} s and the start-up delay is {claim.delay_s:g} s"
        verdict, why = "cannot tell", f"{outlasts}: give a shorter --budget"
    return Judged(claim, verdict, why, tuple(figures))


def _step(one: Comparison, claim: Claim, answer: Answer) -> tuple[bool | None, str, Sequence[Ours]]:
    """Whether a comparison is so, why, and by which figures: two of the same state of the machine, of most trials."""
    sides = one.ours, one.theirs
    for wanted in sides:
        if not any(any(_ours(wanted, figure, answer)) for figure in claim.figures):
            return None, f"{wanted.title}: {_why_not(wanted, answer)}", ()
    for figure in claim.figures:
        of_sides = [
            [(mine, metric_of(figure, mine.row.declared).of_row(mine.row)) for mine in _ours(side, figure, answer)]
            for side in sides
        ]
        alike = [(a, b) for a, b in product(*of_sides) if a[1] and b[1] and _are_comparable(a[0].row, b[0].row, answer)]
        if not alike:
            continue
        (ours, values), (theirs, others) = max(alike, key=lambda two: min(len(of_it) for _, of_it in two))
        found = ratio(values, others)
        is_it = is_more(found, one.times)
        more = {None: "which may be more", True: "which is more", False: "which is not more"}[is_it]
        low, high = found.ends
        reach = f" ({low:.2f} to {high:.2f})" if found.kind else " (too few trials for an interval)"
        said = (
            f"{_named(ours, values)} is {found.value:.2f} times{reach} {_named(theirs, others)}, "
            f"{more} than {one.times:g}"
        )
        return None if is_it is None else is_it == one.more, said, (ours, theirs)
    return None, "no trials of both carry the figure in the same state of the machine, beside no other program", ()


def _are_comparable(one: Row, other: Row, answer: Answer) -> bool:
    """Whether they are of one state, and what sets them apart from other rows is a note that both have."""
    checks = checks_of(answer.declared)
    apart, same = (
        {(of.code, of.level) for of in row.findings if not checks[of.code].comparable} for row in (one, other)
    )
    return one.state == other.state and apart == same and all(level == "note" for _, level in apart)


def _named(ours: Ours, values: Sequence[float]) -> str:
    """Name a figure by what a ratio is of, the median of its trials: `condition java-17 unpinned (1.14 µs)`."""
    value = median(values)
    written = f"{quantities.count(value)}/s" if ours.figure == "ops_per_s" else quantities.time(value)
    return f"{ours.row.case.title} ({written})"
