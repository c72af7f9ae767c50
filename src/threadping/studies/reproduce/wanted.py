"""A case that repeats somebody's figure: how it is selected, how it is found in a run, and what the run says of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, combinations, zip_longest
from statistics import median
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis import declaration, percentiles, validity
from threadping.analysis.answer import Answer
from threadping.conduct.environment import describe_each
from threadping.model import base, contract, quantities, text
from threadping.model.cases import DIMENSIONS, Case, Skipped
from threadping.model.errors import FlagRefused, ThreadpingError, UsageError
from threadping.model.run import Run
from threadping.planning import cases, plan, selection
from threadping.probes.placements import CPUS_APART, relation, usable
from threadping.probes.runtimes import Described, Found, with_jvm_flags

Build = tuple[str, ...]  # the language of a probe, and those of its flags that matter

FLAGS_THAT_MATTER = frozenset(
    {"-march", "-XX:+UseBiasedLocking", "-XX:-UseBiasedLocking", "-XX:BiasedLockingStartupDelay"}
)
"""The flags that cases of articles.toml name, without their values: other flags of a runtime make it no other one."""

TOO_FEW_SAMPLES = "its trials have too few samples for it; a longer --budget has more"


class WantedCase(Struct, frozen=True, forbid_unknown_fields=True):
    """A case that repeats something, before it is known whether this machine can measure it."""

    experiment: str
    mechanism: str
    runtime: str = "java"  # a language, or the label of a runtime
    flags: tuple[str, ...] = ()  # those of the runtime that matter
    since_java: int | None = None  # the JVM version from which on the flags make no difference
    params: str = ""  # `name=value` with blanks in between, those that are not their default
    place: Literal["two-cpus", "two-cores", "smt", "cross-node", "same-cpu", "unpinned"] = "unpinned"
    pin: contract.Pin = "thread"
    lines: int | None = None  # None for as many as the mechanism has by itself
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


@cache
def name_placement(place: str, topology: contract.Topology) -> str | None:
    """Name the placement of a wanted case on this machine; None where there are no two such CPUs."""
    if place not in ("two-cpus", "two-cores"):
        return place
    relations = {relation(*pair) for pair in combinations(usable(topology).values(), 2)}
    ranked = sorted(relations, key=lambda name: (name == "smt", CPUS_APART.index(name)))
    return next((name for name in ranked if place == "two-cpus" or name != "smt"), None)


# ---- to measure ----

NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)


def offer_runtime(one: WantedCase, found: Found, named: Sequence[str]) -> Described | str:
    """Return the first runtime of those named, or else of the usual ones, that can be its own; or why none can."""
    usual = {runtime.label for runtime in found.defaults()}
    chosen = [runtime for runtime in found.select(named) or found.runtimes if runtime.probe == one.runtime]
    if one.runtime != "java":
        candidates = tuple(runtime for runtime in chosen if runtime.label.split()[1:] == [*one.flags])
    else:
        candidates = with_jvm_flags([each for each in chosen if named or each.label in usual], one.flags)
    refusal = ""
    for runtime in candidates:
        described, errors = describe_each([runtime], prepare=True)
        if described:
            return described[0]
        (error,) = errors.values()
        refusal = refusal or (NO_BIASED_LOCKING if isinstance(error, FlagRefused) and one.flags else str(error))
    if refusal:  # where there is no biased locking there is no flag against it either
        return offer_runtime(replace(one, flags=(), since_java=None), found, named) if one.since_java else refusal
    what = " ".join(one.build)
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    missing = (each.reason for each in found.missing if each.what == one.runtime)
    return next(missing, f"{what} is not built: `make setup`")


def cases_of(
    groups: Sequence[Sequence[WantedCase]],
    runtimes: Mapping[Build, Described | str],
    here: selection.Inventory,
    layer: str,
    whys: Iterable[str] = (),
) -> cases.Cases:
    """Return the cases in the order in which they are wanted, and why others fall away.

    One of each further group comes first, then the first group, then another one of each further group, alternating.

    Args:
        groups: what must be measured; the first is what conclusions need.
        runtimes: for each build its runtime with what its probe describes, or why there is none.
        here: what there is to measure with besides.
        layer: what a plan calls all of it: a run names the cases by it that its budget left out.
        whys: further reasons why some of it cannot be repeated.

    Raises:
        ThreadpingError: none of it can be repeated here.
    """
    found = {one: case_of(one, runtimes[one.build], here) for one in chain.from_iterable(groups)}
    skipped = tuple(Skipped(one.title, why) for one, why in found.items() if isinstance(why, str))
    needed, *of_experiments = [[case for one in group if isinstance(case := found[one], Case)] for group in groups]
    first, *further = *zip_longest(*of_experiments), ()
    ordered = tuple(filter(None, dict.fromkeys((*first, *needed, *chain.from_iterable(further)))))
    if not ordered:
        reasons = dict.fromkeys((*whys, *(one.reason for one in skipped)))
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(reasons)}.")
    return cases.Cases((plan.Layer(layer, ordered, whole=False),), skipped)


def case_of(one: WantedCase, described: Described | str, here: selection.Inventory) -> Case | str:
    """Return the case that its options alone would select, or why there is none."""
    name = name_placement(one.place, here.topology)
    if isinstance(described, str) or name is None:
        return described if isinstance(described, str) else "no two CPUs of different cores may be used"
    params = {name: (value,) for name, _, value in (given.partition("=") for given in one.params.split())}
    selected = selection.Selection(
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
        return cases.expand(selected, replace(here, described=[described])).every[0]
    except UsageError as error:
        return str(error).removeprefix("Nothing is left to measure. ").partition(" Change or")[0].removesuffix(".")


# ---- of a run ----


def find_case(wanted: WantedCase, run: Run) -> Case | None:
    """Return the case of a run that repeats it; of several the one with the flags and the cache lines that are asked.

    Only the flags of a runtime that matter, without their values, have to be as they are wanted.
    """

    def distance(case: Case) -> tuple[bool, int]:
        lines = -case.lines if wanted.lines is None else abs(case.lines - wanted.lines)
        return not set(wanted.flags) <= set(case.runtime.split()), lines

    fitting = (
        case
        for case in run.cases
        if (case.experiment, case.mechanism, case.threads) == (wanted.experiment, wanted.mechanism, wanted.threads)
        and " ".join(f"{name}={case.params[name]}" for name in case.varied) == wanted.params
        and _is_on(wanted, case.runtime)
        and case.placement.name == name_placement(wanted.place, run.machine.topology)
        and (case.placement.pin == wanted.pin or wanted.place == "unpinned")
        and not any(one.is_unusual(case) for one in DIMENSIONS if one.name not in ("threads", "pin"))
    )
    return min(fitting, key=distance, default=None)


def _is_on(wanted: WantedCase, label: str) -> bool:
    name, *given = label.split()
    flags = tuple(flag for flag in given if flag.partition("=")[0] in FLAGS_THAT_MATTER)
    java = re.match(r"java-(\d+)", name)
    if not flags and wanted.since_java and java and int(java[1]) >= wanted.since_java:
        flags = wanted.flags
    return wanted.runtime in (name, name.partition("-")[0]) and flags == wanted.flags


class OurFigure(base.Record, frozen=True):
    """Our figure, from one row."""

    row: declaration.Row
    figure: str

    @property
    def value(self) -> percentiles.Estimate:
        """Our value of the figure, with its interval, in its unit."""
        return self.row.figures[self.figure]

    @property
    def unit(self) -> declaration.Unit:
        """The unit of the figure, as its experiment declares it."""
        return self.row.declared.figure(self.figure).unit

    @property
    def of_trials(self) -> Sequence[float]:
        """The figure in each trial; nothing where single trials do not carry it."""
        return declaration.metric_of(self.figure, self.row.declared).of_row(self.row)

    @property
    def text(self) -> str:
        """Name it by the median of its trials, as ratios use it: `condition java-17 unpinned (1.14 µs)`."""
        value = median(self.of_trials)
        written = f"{quantities.count(value)}/s" if self.unit == "per_s" else quantities.time(value)
        return f"{self.row.case.title} ({written})"


class Source(Struct, frozen=True):
    """A source of stated figures: what a plan calls the cases that repeat them, and the command that measures these."""

    layer: str
    command: str

    def figures(self, wanted: WantedCase, figure: str, answer: Answer) -> list[OurFigure]:
        """Return our figure in each state of the machine, that of most trials first.

        An empty name means the headline of the experiment.
        """
        case = find_case(wanted, answer.run)
        if case is None:
            return []
        figure = figure or answer.declared[case.experiment].headline_of(case)
        rows = [row for row in answer.rows if row.case == case and figure in row.figures]
        return [OurFigure(row, figure) for row in sorted(rows, key=lambda row: -len(row.trials))]

    def why_without(self, wanted: WantedCase, answer: Answer) -> str:
        """Say why a run has no figure of what is wanted: it has no such case, or that no such figure."""
        run, case = answer.run, find_case(wanted, answer.run)
        if case is None:
            own = (one.reason for one in run.skipped if one.what == wanted.title)
            left_out = (one.reason for one in run.skipped if one.what.endswith(self.layer))
            here, measures = f"run {run.id}" if run.id else "this run", text.proposed(*self.command.split())
            not_asked = f"{here} has no such case; `{measures}` measures it"
            return next(own, None) or next(left_out, not_asked)
        rows = [row for row in answer.rows if row.case == case]
        if any(row.figures for row in rows):
            return TOO_FEW_SAMPLES
        errors = (one.text("message") for row in rows for one in row.findings if one.level == "error")
        return next(errors, "none of its trials could be counted")


def disturbance(row: declaration.Row) -> tuple[str, str] | tuple[None, None]:
    """Return why a row is compared with nothing, as a clause, and the code that says so; None where nothing does."""
    found = validity.validity_of(row, "compare")
    return (None, None) if found.is_usable else (found.why, found.codes[0])
