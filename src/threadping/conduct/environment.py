"""Preparation of a run: the runtimes with custom mechanisms, the CPUs, and the cases that fit into the budget."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from rich.text import Text

from threadping import VERSION
from threadping.conduct.study import PreparedRun, StudyRequest
from threadping.experiments import EXPERIMENTS, case_defaults
from threadping.model import files, quantities
from threadping.model.base import read_clock
from threadping.model.cases import Case, OwnMechanism, Runtime, Skipped
from threadping.model.contract import Topology
from threadping.model.errors import BudgetTooSmall, FlagRefused, ProbeUnusable, UsageError
from threadping.model.run import Observation, Premises, Run, StudyQuestion
from threadping.model.text import plain, visible
from threadping.output.layout import Block
from threadping.output.listings import announcement
from threadping.output.printing import stderr
from threadping.planning import plan as plans
from threadping.planning.cases import Cases, expand
from threadping.planning.defaults import Paces, Start, shortest_s
from threadping.planning.plan import Budget, Plan, make_plan, plan_of, premises_of, seed_of, select_cases, survey
from threadping.planning.schedule import Rounds, Schedule
from threadping.planning.selection import Inventory, Selection, mechanisms_named
from threadping.probes import placements, runtimes
from threadping.probes.build_cache import Telling
from threadping.probes.builds import OwnSource, build_of, loops_of, own_java
from threadping.probes.custom_cpp import check_once, classes_of, compiled, find_compiler
from threadping.probes.custom_rust import crate_compiled, find_cargo
from threadping.probes.language import probes_folder, words
from threadping.probes.machine import describe_machine
from threadping.probes.owner import owner_of_this_process
from threadping.probes.runtimes import LANGUAGES, Described, Found, read_lscpu, read_topology, with_jvm_flags


def topology_with(cpp: Runtime, named: Sequence[int] | None, option: str = "--cpus") -> Topology:
    """Read the topology, in which named CPUs outside of the mask are usable if the kernel permits; say so."""
    of_mask = read_topology(cpp)
    topology = placements.permit(of_mask, named or (), option)
    if topology is not of_mask and (said := placements.outside_of_mask(of_mask, topology)):
        stderr().print(f"threadping: {said}", soft_wrap=True)
    return topology


def _tell_making(runtime: Runtime) -> None:
    say(f"{runtime.label}: archiving the classes of its probe, so that every trial starts sooner …")


def say(what: str) -> None:
    stderr().print(Text(plain(what)))


def describe_each(
    wanted: Sequence[Runtime], *, prepare: bool = False
) -> tuple[list[Described], dict[str, ProbeUnusable]]:
    """Start each runtime and ask what it can do; with `prepare` make a JVM's archive first. Errors come by label."""
    folder = files.user_folder("CACHE") / "classes"
    soonest = {one: make for one in wanted if prepare and (make := LANGUAGES[one.probe].prepare)}
    started = [soonest[one](one, folder, None) if one in soonest else one for one in wanted]
    found = dict(zip(wanted, runtimes.describe_each(started), strict=True))
    for runtime, make in soonest.items():
        one = found[runtime]
        if isinstance(one, Described) and (sooner := make(one.runtime, folder, _tell_making)) != one.runtime:
            found[runtime] = runtimes.describe_each([sooner])[0]
    described = [one for one in found.values() if isinstance(one, Described)]
    errors = {of.label: one for of, one in found.items() if isinstance(one, ProbeUnusable)}
    return described, errors


def describe_all(wanted: Sequence[Runtime], *, prepare: bool = False) -> tuple[list[Described], list[Skipped]]:
    """Like `describe_each`, but report errors as skipped; raise ProbeUnusable if no runtime answers."""
    described, errors = describe_each(wanted, prepare=prepare)
    if not described:
        only_flags = errors and all(isinstance(error, FlagRefused) for error in errors.values())
        kind = FlagRefused if only_flags else ProbeUnusable
        raise kind(" ".join(map(str, errors.values())) or "No runtime was found.")
    return described, [Skipped(label, str(error)) for label, error in errors.items()]


MOST_CLASSES = 3  # classes of a header that an error names where none is a mechanism


def resolve(
    sources: Sequence[OwnSource], runtimes: Sequence[Runtime], asked: Selection, telling: Telling
) -> list[Runtime]:
    """Return the runtimes with the built and checked mechanisms; raise UsageError, or ThreadpingError."""
    for one in sources:
        if not any(_measures(runtime, one) for runtime in runtimes):
            title = "C++" if one.language == "cpp" else one.language.title()
            raise UsageError(
                f"'{one.given}' is measured by {title}, and no {title} runtime is selected: leave --runtime out, or "
                f"add one (--runtime {one.language})."
            )
    found = []
    for runtime in runtimes:
        built = [_built(runtime, one, asked, telling) for one in sources if _measures(runtime, one)]
        found.append(replace(runtime, own=tuple(built)))
    return found


def _measures(runtime: Runtime, source: OwnSource) -> bool:
    """Return whether a runtime is threadping's own in that language: a probe by somebody else is complete."""
    ours = runtime.probe == "java" or Path(runtime.command[0]).parent == probes_folder()
    return ours and runtime.probe == source.language


def _built(runtime: Runtime, source: OwnSource, asked: Selection, telling: Telling) -> OwnMechanism:
    """Build a custom mechanism for a runtime, or take it from the cache; check once that it keeps its contract."""
    cache = files.user_folder("CACHE") / "own"
    if source.language == "java":
        probe = own_java((source.file, source.chosen), runtime, source.name)
        digest = f"{build_of(probe)}-{source.chosen}"  # a folder has other classes too
        own = OwnMechanism(source.name, source.given, probe.command, digest, runtime.version)
        said = f"{runtime.label}: checking whether {source.given} keeps its contract …"
        check_once(cache / f"{runtime.label.split()[0]}-{digest}", own, partial(telling, said))
        return own
    if source.language == "rust":
        own = crate_compiled(source, find_cargo(os.environ, asked.cargoflags, Path(source.file)), cache, telling)
    else:
        flags = " ".join((*runtime.label.split()[1:], asked.cxxflags))  # its runtime's too: `cpp -march=native`
        own = compiled(source, find_compiler(os.environ, asked.cxx, flags), cache, telling)
    try:
        check_once(cache / own.digest, own)
    except UsageError as error:
        if not str(error).startswith("No class of"):  # a header's
            raise
        has = classes_of(Path(source.file).read_text(errors="replace"))[:MOST_CLASSES]
        raise UsageError(f"{error} What it has: {'; '.join(map(str, has))}.") from error
    return own


# Seconds of a trial besides warm-up, measuring and a start as long as that of `describe`: writing and reading a request
# and a result, a commit. In a minute's run trials took 19 to 30 ms so in C++, and 90 to 106 in Java, where `describe`
# took 6 and 90.
HOUSEKEEPING_S = 0.016


class Environment(Struct, frozen=True):
    """The runtimes that there are, and the custom mechanisms that were built."""

    found: Found  # the runtimes of this machine; only the C++ probe was started
    cpp: Runtime  # the C++ probe, which knows the CPUs and pings between them
    begun_s: float = field(default_factory=lambda: monotonic())  # when the command began, by a clock that nobody sets
    built: list[str] = field(default_factory=list)  # the custom mechanisms that were compiled and checked

    @property
    def spent_s(self) -> float:
        return monotonic() - self.begun_s

    def runtimes_of(self, selection: Selection) -> Sequence[Runtime]:
        """Return the selected runtimes, or the usual ones, with the flags for every JVM."""
        flags = tuple(flag for of_one in selection.jvm_flags.values() for flag in of_one)
        wanted = with_jvm_flags(self.found.select(selection.runtimes) or self.found.defaults(), flags)
        if flags and not any(runtime.probe == "java" for runtime in wanted):
            raise UsageError(
                f"--{next(iter(selection.jvm_flags))} applies only to Java virtual machines, and none was selected. "
                "Leave it out, or add one: --runtime java."
            )
        if not selection.own:
            return wanted
        _refuse_too_small(selection)
        return self.with_own(wanted, selection)

    def one_of_each(self, selection: Selection, language: str = "") -> tuple[Sequence[Runtime], Sequence[Runtime]]:
        """Return one runtime of each language, or all named ones; and further JVMs, not asked to save time."""
        if selection.runtimes:
            return self.runtimes_of(selection), ()
        usual = [one for one in self.found.defaults() if language in ("", one.probe)]
        first = {one.probe: one.label for one in reversed(usual)}.values()
        asked = self.with_own([one for one in usual if one.label in first], selection)
        probes = {one.probe for one in asked}
        return asked, [one for one in usual if one.label not in first and one.probe in probes]

    def refuse_unknown(self, selection: Selection) -> None:
        """Refuse CPUs, names and values that nobody has: another threadping measures, so few runtimes are started."""
        if selection.cpus:
            topology_with(self.cpp, selection.cpus)
        wanted = self.found.select(selection.runtimes) or self.found.defaults()
        named = tuple({*selection.mechanisms} - {one.name for one in selection.own})
        if all(one.probe == "java" or Path(one.command[0]).parent == probes_folder() for one in wanted):
            known = {name: [*one.mechanisms] for name, one in words().experiments.items()}
            mechanisms_named(Selection(experiments=selection.experiments or (*known,), mechanisms=named), known)
        if not selection.own and ({*selection.named_axes} - {"mechanism", "runtime"} or any(selection.busy)):
            whole = replace(selection, experiments=selection.experiments or (*EXPERIMENTS,))
            topology = topology_with(self.cpp, selection.cpus)
            native = [one for one in wanted if not LANGUAGES[one.probe].compiles]
            try:
                expand(whole, inventory_of(topology, describe_all(native)[0]))
            except (UsageError, ProbeUnusable):  # a JVM may have them
                expand(whole, inventory_of(topology, describe_all(wanted)[0]))

    def with_own(self, wanted: Sequence[Runtime], selection: Selection) -> Sequence[Runtime]:
        """Return the runtimes with custom mechanisms; if only these are named, no other runtimes."""
        if not selection.own:
            return wanted
        if not selection.runtimes and len(selection.own) == len(selection.mechanisms):
            wanted = [one for one in wanted if any(own.language == one.probe for own in selection.own)]
        self.built.extend(one.given for one in selection.own)
        return resolve(selection.own, wanted, selection, say)

    def inventory(
        self, wanted: Sequence[Runtime], *, usual: bool = False, cpus: Sequence[int] | None = None
    ) -> Inventory:
        """Describe these runtimes; one that cannot be used is missing, and of the `usual` ones those that are not here.

        CPUs are refused before any runtime is started.
        """
        topology = topology_with(self.cpp, cpus)
        if len(wanted) > 1 and stderr().is_terminal:  # three JVMs and their archives take four seconds
            say(f"Starting {', '.join(one.label for one in wanted)} to learn what they measure …")
        described, unusable = describe_all(wanted, prepare=True)
        here = inventory_of(topology, described, (*(self.found.missing if usual else ()), *unusable))
        return replace(here, spent_s=monotonic() - self.begun_s)


def _refuse_too_small(selection: Selection) -> None:
    """Raise BudgetTooSmall where the fewest trials of any case take more: before anything is compiled for them."""
    languages = [one.language for one in selection.own] if len(selection.own) == len(selection.mechanisms) else ["cpp"]
    compiles = all(LANGUAGES[one].compiles for one in languages)
    sweeps = [sweep.param for name in selection.experiments if (sweep := EXPERIMENTS[name].defaults.sweep)]
    rounds = plans.FEWEST_ROUNDS if selection.params.keys().isdisjoint(sweeps) else 1
    paces = [EXPERIMENTS[name].pace for name in selection.experiments]
    least_s = rounds * min(shortest_s(one, compiles=compiles, trial_s=selection.trial_s) for one in paces)
    if least_s > plans.PLANNED * selection.budget_s:
        raise BudgetTooSmall(
            f"A budget of {selection.budget_s:g} s is too small: {quantities.counted(rounds, 'trial')} of one case "
            f"take more than {least_s:.2g} s. Give a larger --budget."
        )


def inventory_of(topology: Topology, described: Sequence[Described], missing: Sequence[Skipped] = ()) -> Inventory:
    return Inventory(
        case_defaults=case_defaults(), topology=topology, described=described, timed=words().timed, missing=missing
    )


PACES: Paces = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}


def starts_of(described: Sequence[Described]) -> dict[str, Start]:
    return {
        one.runtime.label: Start(one.seconds + HOUSEKEEPING_S, LANGUAGES[one.runtime.probe].compiles)
        for one in described
    }


def warm_starts(described: Sequence[Described]) -> Mapping[str, Start]:
    """Start the runtimes once more and return their times: the first start reads cold files."""
    first, again = starts_of(described), starts_of(describe_all([one.runtime for one in described])[0])
    return {label: min(one, again.get(label, one), key=lambda of: of.seconds) for label, one in first.items()}


def prepared_run(
    question: StudyQuestion,
    plan: Plan,
    starts: Mapping[str, Start],
    here: Inventory,
    budget_s: float,
    said: Block,
    *,
    cases_follow: bool = False,
    skipped: tuple[Skipped, ...] = (),
    left_out: tuple[Case, ...] = (),
    **premises: Any,
) -> PreparedRun:
    """Return a run that is about to begin.

    `starts` has what a start of each runtime takes, `budget_s` how long the whole may take; `left_out` are cases that
    were asked for by name, for which there is no time; `premises` further ones by their names. Where its cases follow
    from the question they are not stored with it.
    """
    measured = tuple(here.runtimes)
    run = Run(
        started=read_clock(),
        machine=describe_machine(here.topology, read_lscpu()),
        runtimes=measured,
        cases=() if cases_follow else plan.cases,
        skipped=skipped,
        left_out=left_out,
        rounds=plan.rounds,
        budget_s=budget_s,
        seed=plan.seed,
        version=VERSION,
        arguments=without_store([*map(visible, sys.argv[1:])]),
        owner=owner_of_this_process(),
        until=plan.until,
        study=question,
        versions=versions_of(plan.cases, measured),
        loops=digests_of(plan.cases, measured),
        premises=replace(premises_of(plan, starts), builds={one.label: build_of(one) for one in measured}, **premises),
    )
    return PreparedRun(run, plan.cases, said)


def versions_of(cases: Iterable[Case], runtimes: Sequence[Runtime]) -> dict[str, str]:
    """Return the versions of the measured mechanisms; a custom one has a digest instead."""
    probes, own = {one.label: one.probe for one in runtimes}, {of.name for one in runtimes for of in one.own}
    measured = {(one.experiment, one.mechanism, probes[one.runtime]) for one in cases if one.mechanism not in own}
    return {" ".join(one): words().version(*one) for one in sorted(measured)}


def digests_of(cases: Iterable[Case], runtimes: Sequence[Runtime]) -> dict[str, str]:
    """Return the known digests of the measured timed loops."""
    loops = {one.label: loops_of(one) for one in runtimes}
    measured = {(one.experiment, one.mechanism, one.runtime) for one in cases}
    found = {" ".join(one): loops[one[2]].of(*one[:2]) for one in sorted(measured)}
    return {name: digest for name, digest in found.items() if digest}


def without_store(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments without the store, whose URL may hold a password."""
    pairs = zip(("", *arguments), arguments, strict=False)
    return tuple(one for before, one in pairs if "--store" not in (before, one.partition("=")[0]))


def schedule_rounds(run: Run, premises: Premises, paces: Paces = PACES) -> Schedule:
    """Return the schedule of rounds; it spends the rest on the least certain cases."""
    return Rounds(plan_of(run, premises, paces), headline)


def prepare_rounds(cases: Cases, here: Inventory, asked: StudyRequest, further: Iterable[Skipped] = ()) -> PreparedRun:
    """Plan rounds of as many of these cases as fit into the budget; `further` ones are not measured either."""
    selection = asked.selection
    maps = len(selection.experiments) > 1 and not selection.cpus
    pairs, survey_s = survey(here.topology, selection.budget_s) if maps else ((), 0.0)
    whole = budget_of(selection, starts_of(here.described), here.spent_s)
    budget = replace(whole, seconds=whole.seconds - survey_s)
    fit, plan = select_cases(cases.layers, budget), None
    with suppress(BudgetTooSmall):
        plan = None if fit.left_out else make_plan(fit.cases, budget, fit.fewest)
    if plan is None:
        budget = replace(budget, starts=warm_starts(here.described))
        fit = select_cases(cases.layers, budget)
        plan = make_plan(fit.cases, budget, fit.fewest)
    plan = replace(plan, survey=pairs, survey_s=survey_s)
    # Named cases that will not be measured are said before an hour has passed. A mechanism that some runtime has comes;
    # that others lack it matters only to somebody who named them.
    come = set() if selection.runtimes else {case.mechanism for case in cases.every}
    named = {*selection.mechanisms, *selection.placements} - come
    runtimes = here.missing if selection.runtimes else ()
    missing = [one for one in cases.skipped if one in runtimes or named & {*one.what.split()}]
    trials = plan.rounds * len(plan.cases)
    mean_s = fmean(one.seconds for one in plan.lengths)
    said = announcement(plan.cases, trials, mean_s, plan.seconds, missing, len(fit.missing))
    skipped, state = (*cases.skipped, *fit.left_out, *further), selection.state and selection.state.text
    how: dict[str, Any] = {"left_out": fit.missing, "skipped": skipped, "state": state}
    return prepared_run(asked.stored, plan, budget.starts, here, whole.left_s, said, **how)


def budget_of(selection: Selection, starts: Mapping[str, Any], spent_s: float = 0.0) -> Budget:
    seed, trial_s, outliers = seed_of(selection.seed), selection.trial_s, selection.outliers
    return Budget(selection.budget_s, starts, PACES, seed, trial_s, outliers, selection.until, spent_s)


def headline(seen: Observation) -> float | None:
    return seen.figures.get(EXPERIMENTS[seen.case.experiment].figures.headline_of(seen.case))
