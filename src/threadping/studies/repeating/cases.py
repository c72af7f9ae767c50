"""The case that repeats something: which it is on this machine, on which runtime, and which of a run's cases it is."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import combinations

from msgspec.structs import replace

from threadping.conduct.describing import describe_each
from threadping.contract import Topology
from threadping.errors import FlagRefused, UsageError
from threadping.model.cases import DIMENSIONS, Case
from threadping.model.run import Run
from threadping.probes.description import Described
from threadping.probes.runtimes import Found, with_jvm_flags
from threadping.relation import CPUS_APART, relation, usable
from threadping.selection.cases import expand
from threadping.selection.selection import Inventory, Selection
from threadping.studies.repeating.wanted import WantedCase

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
