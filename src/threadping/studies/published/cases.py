"""The cases that repeat the published figures: which to measure on this machine, and which of a run they are."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, combinations, zip_longest

from msgspec.structs import replace

from threadping.conduct.describing import describe_each
from threadping.contract import Topology
from threadping.errors import FlagRefused, ThreadpingError, UsageError
from threadping.model.cases import DIMENSIONS, Case, Skipped
from threadping.model.run import Run
from threadping.plan.rounds import Layer
from threadping.probes.description import Described
from threadping.probes.runtimes import Found, with_jvm_flags
from threadping.relation import CPUS_APART, relation, usable
from threadping.selection.cases import Cases, expand
from threadping.selection.selection import Inventory, Selection
from threadping.studies.published.articles import Articles, Build, WantedCase, articles

LAYER = "what repeats the published figures"
"""What a plan calls its cases: so those that its budget left out are named in a run."""

NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)

# ---- of a run ----


def find_case(wanted: WantedCase, run: Run) -> Case | None:
    """The case of a run that repeats it; of several the one with the flags and the cache lines that are asked."""
    fitting = [case for case in run.cases if _fits(wanted, case, run.machine.topology)]

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


def _fits(wanted: WantedCase, case: Case, topology: Topology) -> bool:
    return (
        (case.experiment, case.mechanism, case.threads) == (wanted.experiment, wanted.mechanism, wanted.threads)
        and " ".join(f"{name}={case.params[name]}" for name in case.varied) == wanted.params
        and _is_on(wanted, case.runtime)
        and case.placement.name == name_placement(wanted, topology)
        and (case.placement.pin == wanted.pin or wanted.place == "unpinned")
        and not any(one.is_unusual(case) for one in DIMENSIONS if one.name not in ("threads", "pin"))
    )


def _is_on(wanted: WantedCase, label: str) -> bool:
    """Whether it runs on the runtime of this label, whatever flags this has that matter to no case."""
    name, *given = label.split()
    flags = tuple(flag for flag in given if flag.partition("=")[0] in _flags_that_matter())
    java = re.match(r"java-(\d+)", name)
    if not flags and wanted.since_java and java and int(java[1]) >= wanted.since_java:
        flags = wanted.flags
    return (name.partition("-")[0], flags) == (wanted.runtime, wanted.flags)


@cache
def _flags_that_matter() -> frozenset[str]:
    return frozenset(flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags)


@cache
def _relations(topology: Topology) -> frozenset[str]:
    return frozenset(relation(*pair) for pair in combinations(usable(topology).values(), 2))


# ---- to measure ----


def runtimes_of(wanted: Articles, found: Found, named: Sequence[str]) -> dict[Build, Described | str]:
    """For each build the first runtime of those named, or else of the usual ones, that can be it; or why none can."""
    return {one.build: _offered(one, found, named) for group in wanted.wanted for one in group}


def _offered(one: WantedCase, found: Found, named: Sequence[str]) -> Described | str:
    usual = {runtime.label for runtime in found.defaults()}
    chosen = [runtime for runtime in found.select(named) or found.runtimes if runtime.probe == one.runtime]
    if one.runtime == "cpp":
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
        return _offered(replace(one, flags=(), since_java=None), found, named) if one.since_java else refusals[0]
    what = " ".join(one.build)
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    missing = (each.reason for each in found.missing if each.what == one.runtime)
    return next(missing, f"{what} is not built: `make setup`")


def cases_of(asked: Articles, runtimes: Mapping[Build, Described | str], here: Inventory) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    One of each experiment comes first, then what claims need, then a further one of each experiment in turn.

    Args:
        asked: what is to be repeated.
        runtimes: for each build its runtime with what its probe describes, or why there is none.
        here: what there is to measure with besides.

    Raises:
        ThreadpingError: none of it can be repeated here.
    """
    groups = asked.wanted
    found = {one: _case_of(one, runtimes[one.build], here) for one in chain.from_iterable(groups)}
    skipped = tuple(Skipped(one.title, why) for one, why in found.items() if isinstance(why, str))
    needed, *of_experiments = [[case for one in group if isinstance(case := found[one], Case)] for group in groups]
    first, *further = *zip_longest(*of_experiments), ()
    ordered = tuple(filter(None, dict.fromkeys((*first, *needed, *chain.from_iterable(further)))))
    if not ordered:
        whys = dict.fromkeys((*(one.why for one in asked.figures if one.why), *(one.reason for one in skipped)))
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(whys)}.")
    return Cases((Layer(LAYER, ordered, whole=False),), skipped)


def _case_of(one: WantedCase, described: Described | str, here: Inventory) -> Case | str:
    """The case that its options alone would select, or why there is none."""
    name = name_placement(one, here.topology)
    if isinstance(described, str) or name is None:
        return described if isinstance(described, str) else "no two CPUs of different cores may be used"
    param, _, value = one.params.partition("=")
    selected = Selection(
        experiments=(one.experiment,),
        mechanisms=(one.mechanism,),
        placements=(name,),
        threads=(one.threads,),
        pairs=(one.threads // 2,),
        params={param: (value,)} if param else {},
        pins=(one.pin,),
        lines=one.lines,
    )
    try:
        return expand(selected, replace(here, described=[described])).every[0]
    except UsageError as error:
        return str(error).removeprefix("Nothing is left to measure. ").removesuffix(".")
