"""May a result be used for this? One rule for every verdict, ranking, recommendation, exit code, export and chart.

What was found of a row, and of the run that it belongs to, decides. Each check has an effect on each use: by its level,
unless `EFFECTS` names another one. `docs/warnings.md` has the whole table, written from here by a test.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from threadping.analysis.checks import Finding, Level, sentences, with_facts
from threadping.analysis.declaration import Row
from threadping.analysis.row_warnings import LOADED
from threadping.model.base import Record
from threadping.model.run import Observation

Use = Literal["rank", "compare", "gate", "recommend", "history", "export", "chart"]
"""Uses of a result: `rank` puts it before or behind others, `compare` makes a ratio of two, `gate` an exit
code, `recommend` advice, `history` an alarm among earlier runs, `export` a point of a series elsewhere."""

USES: Sequence[Use] = get_args(Use)
UseEffect = Literal["usable", "marked", "alike", "unusable"]
"""The effect of a finding on a use; `alike`: usable, marked, with results of which the same was found, and no
others."""

Status = Literal["usable", "marked", "unusable"]
BY_LEVEL: Mapping[Level, UseEffect] = {"error": "unusable", "warning": "marked", "note": "usable"}


def _effects(every: UseEffect, **others: UseEffect) -> Mapping[str, UseEffect]:
    drawn: UseEffect = "usable" if every == "usable" else "marked"
    return {**dict.fromkeys(USES, every), "chart": drawn, **others}


# Two results that measure different things, which both do if it is found of both. A case stays alike over time.
_OTHER_WORK = _effects("unusable", compare="alike", gate="alike", history="usable")
# The regime makes more of a difference than the mechanism: a consumer that keeps up takes 30 times as long a message as
# a backlogged one. Where the parameters differ, they may well decide the regime, and the ratio is of them.
_OTHER_REGIME = _effects("usable", compare="alike", gate="alike")
QUEUE_REGIMES = ("close-behind", "far-behind")
BUSY, OTHER_LOAD = "busy-machine", "other-load"
LOADED_TICKS, LOAD_TICK_NS = 4, 10_000_000
"""CPU time is known in ticks, of each CPU by itself: fewer than four are no evidence. On a quiet machine fewer than one
in fifty trials of 0.15 s on two CPUs seem to have lost more (simulated in the tests)."""

EFFECTS: Mapping[str, Mapping[str, UseEffect]] = {
    OTHER_LOAD: _effects("unusable"),
    "coarsened": _OTHER_WORK,
    "lost-updates": _OTHER_WORK,
    **dict.fromkeys(QUEUE_REGIMES, _OTHER_REGIME),
    # Both headlines are shown; a comparison names it as a doubt.
    "not-steady": _effects("marked", chart="usable"),
    # A comparison and a recommendation count their trials themselves; a ranking shows their number.
    "few-trials": _effects("marked", chart="usable", history="unusable"),
    # The lateness is the sender's. A recommendation judges what the mechanism adds, trial by trial.
    "late-sender": _effects("marked", chart="usable"),
    # It hides the latencies, so that nothing compares them; whether a rate is sustained, a recommendation asks.
    "not-held": _effects("unusable", compare="marked", gate="marked", recommend="usable"),
    "placement-untrue": _effects("usable", compare="marked", gate="marked", recommend="marked", history="marked"),
    "topology-inconsistent": _effects("usable", compare="marked", gate="marked", recommend="marked", history="marked"),
}
"""Effects of checks whose level does not say what they do to a use."""


def effect_of(code: str, level: Level, use: Use) -> UseEffect:
    found = EFFECTS.get(code)
    if found:
        return found[use]
    if use == "chart":
        return "marked" if level == "error" else "usable"
    return BY_LEVEL[level]


class Validity(Record, frozen=True):
    """The verdict on whether results may be used for something."""

    status: Status = "usable"  # `marked`: usable, with what marks it next to it
    # why it is unusable; else what marks it. Each code once, those of a whole run first.
    findings: tuple[Finding, ...] = ()

    @property
    def is_usable(self) -> bool:
        return self.status != "unusable"

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(one.code for one in self.findings)

    @property
    def why(self) -> str:
        """Why it is unusable, as a clause: `other programs used 57% of the CPU time (busy-machine)`; else empty."""
        return "; ".join(map(clause, self.findings)) if self.status == "unusable" else ""


def clause(finding: Finding) -> str:
    why = sentences().findings[finding.code].why
    return f"{with_facts(why, finding)} ({finding.code})" if why else finding.code


def validity_of(rows: Row | Sequence[Row], use: Use) -> Validity:
    rows = [rows] if isinstance(rows, Row) else rows
    effects = [(one, effect_of(one.code, one.level, use)) for row in rows for one in row.all_findings]
    same_params = all(row.case.params == rows[0].case.params for row in rows)

    def is_of_all(code: str) -> bool:
        return all(row.has(code) for row in rows) or (code in QUEUE_REGIMES and not same_params)

    barring = [one for one, how in effects if how == "unusable" or (how == "alike" and not is_of_all(one.code))]
    if barring:
        return Validity("unusable", _once(barring))
    marking = _once([one for one, effect in effects if effect != "usable"])
    return Validity("marked", marking) if marking else Validity()


def validity_of_trial(trial: Observation, use: Use) -> Validity:
    """Return whether a single trial may be used: no other program ran next to it, and it has not failed.

    A row may forbid more: see `validity_of`.
    """
    others = trial.others or 0.0
    taken_ns = others * trial.wall_ns * max(1, len(trial.case.placement.used))
    if others > LOADED and taken_ns >= LOADED_TICKS * LOAD_TICK_NS:
        found = Finding(OTHER_LOAD, "warning", {"share": others})
    elif trial.failure is not None:
        found = Finding("trial-failed", "error", {"failed": 1, "trials": 1})
    else:
        return Validity()
    effect = effect_of(found.code, found.level, use)
    return Validity("unusable", (found,)) if effect == "unusable" else Validity("marked", (found,))


def is_usable(rows: Row | Sequence[Row], use: Use) -> bool:
    return validity_of(rows, use).is_usable


def _once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Keep one of each code; where the whole machine was busy, every row had other programs next to it."""
    found = {one.code: one for one in reversed(findings)}
    if BUSY in found:
        found.pop(OTHER_LOAD, None)
    return tuple(found.values())[::-1]
