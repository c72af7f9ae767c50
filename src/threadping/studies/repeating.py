"""Repeating somebody's figure: its case on this machine, our figures of it, and both beside each other."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import combinations
from operator import attrgetter
from statistics import median
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, metric_of
from threadping.analysis.figures import Unit
from threadping.analysis.percentiles import Estimate
from threadping.analysis.validity import validity_of
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.conduct.environment import describe_each
from threadping.model import quantities
from threadping.model.bounds import Record
from threadping.model.cases import DIMENSIONS, Case
from threadping.model.contract import Pin, Topology
from threadping.model.errors import FlagRefused, UsageError
from threadping.model.proposals import proposed
from threadping.model.quantities import ABSENT, TO
from threadping.model.run import Run
from threadping.model.topology import CPUS_APART, relation, usable
from threadping.output import cells
from threadping.output.cells import Field
from threadping.output.entries import case_fields
from threadping.planning.cases import expand
from threadping.planning.selection import Inventory, Selection
from threadping.probes.description import Described
from threadping.probes.runtimes import Found, with_jvm_flags

Build = tuple[str, ...]
"""The language of a probe, and those of its flags that matter."""


class WantedCase(Struct, frozen=True, forbid_unknown_fields=True):
    """A case that repeats something, before it is known whether this machine can measure it.

    `params` are `name=value`, those that are not their default, with blanks in between; `runtime` is a language, or the
    label of a runtime; `flags` are those that matter, and from Java `since_java` on a JVM is as with them without.
    `lines` None is as many as the mechanism has by itself.
    """

    experiment: str
    mechanism: str
    runtime: str = "java"
    flags: tuple[str, ...] = ()
    since_java: int | None = None
    params: str = ""
    place: Literal["two-cpus", "two-cores", "smt", "cross-node", "same-cpu", "unpinned"] = "unpinned"
    pin: Pin = "thread"
    lines: int | None = None
    threads: int = 2

    @property
    def build(self) -> Build:
        """The runtime of the case, and the flags of its JVM."""
        return self.runtime, *self.flags

    @property
    def title(self) -> str:
        """Name it: `signal condition java two-cpus process`."""
        threads = "" if self.threads == 2 else f"{self.threads} threads"
        process, lines = "process" if self.pin == "process" else "", f"lines={self.lines}" if self.lines else ""
        parts = (self.mechanism, self.params, self.runtime, *self.flags, threads, self.place, process, lines)
        return " ".join([self.experiment, *filter(None, parts)])


NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)

# ---- of a run ----


def find_case(wanted: WantedCase, run: Run, flags_that_matter: Collection[str] = ()) -> Case | None:
    """The case of a run that repeats it; of several the one with the flags and the cache lines that are asked.

    Of the flags of a JVM none but those that matter, without their values, have to be as they are wanted.
    """
    topology = run.machine.topology
    fitting = [case for case in run.cases if _fits(wanted, case, topology, flags_that_matter)]

    def distance(case: Case) -> tuple[bool, int]:
        lines = -case.lines if wanted.lines is None else abs(case.lines - wanted.lines)
        return not set(wanted.flags) <= set(case.runtime.split()), lines

    return min(fitting, key=distance, default=None)


def name_placement(wanted: WantedCase, topology: Topology) -> str | None:
    """What its placement is called on this machine; None where there are no two such CPUs."""
    if wanted.place not in ("two-cpus", "two-cores"):
        return wanted.place
    ranked = sorted(_relations(topology), key=lambda name: (name == "smt", CPUS_APART.index(name)))
    return next((name for name in ranked if wanted.place == "two-cpus" or name != "smt"), None)


def _fits(wanted: WantedCase, case: Case, topology: Topology, matter: Collection[str]) -> bool:
    return (
        (case.experiment, case.mechanism, case.threads) == (wanted.experiment, wanted.mechanism, wanted.threads)
        and " ".join(f"{name}={case.params[name]}" for name in case.varied) == wanted.params
        and _is_on(wanted, case.runtime, matter)
        and case.placement.name == name_placement(wanted, topology)
        and (case.placement.pin == wanted.pin or wanted.place == "unpinned")
        and not any(one.is_unusual(case) for one in DIMENSIONS if one.name not in ("threads", "pin"))
    )


def _is_on(wanted: WantedCase, label: str, matter: Collection[str]) -> bool:
    """Whether it runs on the runtime of this label, whatever flags this has that matter to no case."""
    name, *given = label.split()
    flags = tuple(flag for flag in given if flag.partition("=")[0] in matter)
    java = re.match(r"java-(\d+)", name)
    if not flags and wanted.since_java and java and int(java[1]) >= wanted.since_java:
        flags = wanted.flags
    return wanted.runtime in (name, name.partition("-")[0]) and flags == wanted.flags


@cache
def _relations(topology: Topology) -> frozenset[str]:
    return frozenset(relation(*pair) for pair in combinations(usable(topology).values(), 2))


# ---- to measure ----


def offer_runtime(one: WantedCase, found: Found, named: Sequence[str]) -> Described | str:
    """The first runtime of those named, or else of the usual ones, that can be its own; or why none can."""
    usual = {runtime.label for runtime in found.defaults()}
    chosen = [runtime for runtime in found.select(named) or found.runtimes if runtime.probe == one.runtime]
    if one.runtime != "java":
        candidates = tuple(runtime for runtime in chosen if runtime.label.split()[1:] == [*one.flags])
    else:
        candidates = with_jvm_flags([each for each in chosen if named or each.label in usual], one.flags)
    refusals: list[str] = []
    for runtime in candidates:
        described, errors = describe_each([runtime], prepare=True)
        if described:
            return described[0]
        for error in errors.values():
            refusals.append(NO_BIASED_LOCKING if isinstance(error, FlagRefused) and one.flags else str(error))
    if refusals:  # where there is no biased locking there is no flag against it either
        return offer_runtime(replace(one, flags=(), since_java=None), found, named) if one.since_java else refusals[0]
    what = " ".join(one.build)
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    missing = (each.reason for each in found.missing if each.what == one.runtime)
    return next(missing, f"{what} is not built: `make setup`")


def case_of(one: WantedCase, described: Described | str, here: Inventory) -> Case | str:
    """The case that its options alone would select, or why there is none."""
    name = name_placement(one, here.topology)
    if isinstance(described, str) or name is None:
        return described if isinstance(described, str) else "no two CPUs of different cores may be used"
    params = {name: (value,) for name, _, value in (given.partition("=") for given in one.params.split())}
    selected = Selection(
        experiments=(one.experiment,),
        mechanisms=(one.mechanism,),
        placements=(name,),
        threads=(one.threads,),
        pairs=(one.threads // 2,),
        params=params,
        pins=(one.pin,),
        lines=one.lines,
    )
    try:
        return expand(selected, replace(here, described=[described])).every[0]
    except UsageError as error:
        return str(error).removeprefix("Nothing is left to measure. ").removesuffix(".")


class OurFigure(Record, frozen=True):
    """Our figure, from one row."""

    row: Row
    figure: str

    @property
    def value(self) -> Estimate:
        """Our value of the figure, with its interval, in its unit."""
        return self.row.figures[self.figure]

    @property
    def unit(self) -> Unit:
        """The unit of the figure, as its experiment declares it."""
        return self.row.declared.figure(self.figure).unit

    @property
    def of_trials(self) -> Sequence[float]:
        """What it is in each trial; nothing where single trials do not carry it."""
        return metric_of(self.figure, self.row.declared).of_row(self.row)

    @property
    def text(self) -> str:
        """Name it by what a ratio is of, the median of its trials: `condition java-17 unpinned (1.14 µs)`."""
        value = median(self.of_trials)
        written = f"{quantities.count(value)}/s" if self.unit == "per_s" else quantities.time(value)
        return f"{self.row.case.title} ({written})"


def figures_of(case: Case | None, figure: str, answer: Answer) -> list[OurFigure]:
    """A figure of each row of a case that has it, that of most trials first."""
    rows = [row for row in answer.rows if row.case == case and figure in row.figures]
    return [OurFigure(row, figure) for row in sorted(rows, key=lambda row: -len(row.trials))]


def why_without(wanted: WantedCase, case: Case | None, answer: Answer, layer: str, command: str) -> str:
    """Why a run has no figure of what is wanted: it has no such `case`, or that no such figure.

    Args:
        wanted: what was to be measured.
        case: which of the run's cases that is; None where there is none.
        answer: of the run.
        layer: what the plan called all that was wanted.
        command: behind `threadping`, what measures it.
    """
    run = answer.run
    if case is None:
        own = (one.reason for one in run.skipped if one.what == wanted.title)
        left_out = (one.reason for one in run.skipped if one.what.endswith(layer))
        here, measures = f"run {run.id}" if run.id else "this run", proposed(*command.split())
        not_asked = f"{here} has no such case; `{measures}` measures it"
        return next(own, None) or next(left_out, not_asked)
    rows, checks = [row for row in answer.rows if row.case == case], checks_of(answer.declared)
    if any(row.figures for row in rows):
        return "its trials have too few samples for it; a longer --budget has more"
    errors = (message(checks[one.code], one) for row in rows for one in row.findings if one.level == "error")
    return next(errors, "none of its trials could be counted")


def disturbance(row: Row) -> tuple[str, str] | tuple[None, None]:
    """Return why a row is compared with nothing, as a clause, and the code that says so; None where nothing does."""
    found = validity_of(row, "compare")
    return (None, None) if found.is_usable else (found.why, found.codes[0])


VALUE, ABOUT = attrgetter("value"), "\N{PLUS-MINUS SIGN}"
OUR_CASE: tuple[Field[OurFigure], ...] = case_fields(lambda one: one.row.case, lambda one: one.row.declared)
OUR_FIGURE: tuple[Field[OurFigure], ...] = (
    Field(key="figure", of=attrgetter("figure")),
    Field(head="core to core", key="core_to_core_ns", unit="ns", of=attrgetter("row.core_to_core_ns"), if_known=True),
    Field(head="here", key="value", type=Estimate, of=VALUE, write=lambda one: cells.figure(one.unit, one.value)),
    Field(head=ABOUT, of=VALUE, write=lambda one: cells.sure(one.unit, one.value, len(one.row.trials))),
    Field(key="trials", type=int, of=lambda one: len(one.row.trials)),
    Field(key="lines", type=int, of=attrgetter("row.case.lines")),
)


def if_repeated(field: Field[Any]) -> Field[Any]:
    """A field of ours, of a line that has `ours`: not known where that is None, as nothing repeats it."""
    of, written = field.of, field.write
    write = (lambda one: written(one.ours) if one.ours else "") if written else None
    kind = field.type if field.type is Estimate or field.unit else (field.type or str) | None
    return replace(field, of=lambda one: of(one.ours) if one.ours else None, write=write, type=kind)


def times(ratio: Estimate | None) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.34x`; a dash where it is not known."""
    return ABSENT if ratio is None else _fold(ratio.value)


def _fold(of: float) -> str:
    return f"{of:.2g}x" if of < 0.0995 else f"{of:,.2f}x"


def ends(ratio: Estimate | None) -> str:
    """Between what a ratio lies; nothing where fewer than six trials say so."""
    known = ratio.ends if ratio and ratio.kind == "ci95" else ()
    return TO.join(_fold(end).removesuffix("x") for end in known)
