"""May a result be used for this? One rule for every verdict, ranking, recommendation, exit code, export and chart.

What was found of a row, and of the run that it belongs to, decides. Each check has an effect on each use: by its level,
unless `uses` in `findings.toml` names another one. `docs/reference/uses.md` has the table: tools/docs.py.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Literal, get_args

from msgspec.structs import replace

from threadping.analysis.answer import Answer, share_of_others
from threadping.analysis.checks import Check, Finding, Level, Use, UseEffect, finding, limits, wording
from threadping.analysis.declaration import Declaration, Row, RowCheck
from threadping.analysis.row_warnings import LOADED
from threadping.model import quantities
from threadping.model.base import Record, gathered
from threadping.model.contract import Params
from threadping.model.run import Machine, Observation, State
from threadping.model.text import added, variables_in
from threadping.probes.placements import CPUS_APART, kinds_of, of_one_kind, rank, relation, usable

USES: Sequence[Use] = get_args(Use)
Status = Literal["usable", "marked", "unusable"]
BY_LEVEL: Mapping[Level, UseEffect] = {"error": "unusable", "warning": "marked", "note": "usable"}

QUEUE_REGIMES = ("keeping-up", "backlogged")
BUSY, OTHER_LOAD = "busy-machine", "other-load"
LOADED_TICKS, LOAD_TICK_NS = 4, 10_000_000
"""CPU time is known in ticks, of each CPU by itself: fewer than four are no evidence. On a quiet machine fewer than one
in fifty trials of 0.15 s on two CPUs seem to have lost more (simulated in the tests)."""


def effect_of(code: str, level: Level, use: Use) -> UseEffect:
    """Return what a finding of this code and level does to a use."""
    if uses := wording(code).uses:
        every = uses["every"]
        return uses.get(use, "marked" if use == "chart" and every != "usable" else every)
    if use == "chart":
        return "marked" if level == "error" else "usable"
    return BY_LEVEL[level]


def narrowed(checks: Iterable[RowCheck], use: Use, *effects: UseEffect, hiding: bool = False) -> tuple[RowCheck, ...]:
    """Return checks that find nothing but what has one of these effects on a use; `hiding` ones as they are."""
    few: list[RowCheck] = []
    for one in checks:
        codes = [code for code in one.codes if effect_of(code, wording(code).level, use) in effects]
        few += [one] if hiding and one.hides else [replace(one, codes=tuple(codes))] if codes else []
    return tuple(few)


class Validity(Record, frozen=True):
    """The verdict on whether results may be used for something."""

    status: Status = "usable"  # `marked`: usable, with what marks it next to it
    # why it is unusable; else what marks it. Each code once, those of a whole run first.
    findings: tuple[Finding, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Return whether it may be used, marked or not."""
        return self.status != "unusable"

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(one.code for one in self.findings)

    @property
    def why(self) -> str:
        """Why it is unusable, as a clause: `other programs used 57% of the CPU time (busy-machine)`; else empty."""
        barring = self.findings if self.status == "unusable" else ()
        return "; ".join(f"{why} ({one.code})" if (why := one.text("why")) else one.code for one in barring)


def validity_of(rows: Row | Sequence[Row], use: Use) -> Validity:
    """Return whether these rows may be used together: ranked, compared, or drawn with each other."""
    rows = [rows] if isinstance(rows, Row) else rows
    of_rows = [(*row.of_run, *row.findings) for row in rows]
    effects = [(one, effect_of(one.code, one.level, use)) for found in of_rows for one in found]
    codes = [{one.code for one in found} for found in of_rows]
    of_all = set.intersection(*codes) if codes else set()
    if any(row.case.params != rows[0].case.params for row in rows):
        of_all |= {*QUEUE_REGIMES}
    barring = [one for one, how in effects if how == "unusable" or (how == "alike" and one.code not in of_all)]
    those = barring or [one for one, how in effects if how != "usable"]
    once = {one.code: one for one in reversed(those)}
    if BUSY in once:  # where the whole machine was busy, every row had other programs next to it
        once.pop(OTHER_LOAD, None)
    status: Status = "unusable" if barring else "marked" if those else "usable"
    return Validity(status, tuple(once.values())[::-1])


def validity_of_trial(trial: Observation, use: Use) -> Validity:
    """Return whether a trial may be used: no other program ran next to it, and it has not failed."""
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
    """Return whether these rows may be used together, marked or not."""
    return validity_of(rows, use).is_usable


UNTRUE = 1.5
"""All CPUs that share the same caches and node are about equally far apart: across the mesh of one last-level
cache they differ by up to a third."""


BUSY_SHARE = 0.4
"""The share of the CPU time of all trials that others used from which figures are not to be used: two of five trials,
or two fifths of each, shared a CPU."""


COST = "clock_cost_ns"
LEAST_STOLEN_NS = 50e6  # The kernel counts what a hypervisor took in ticks of 10 ms: fewer than five are no evidence


def cpus_used(answer: Answer, one: Observation) -> int:
    return len(one.case.placement.used) or len(usable(answer.run.machine.topology))


def of_load(answer: Answer) -> Iterator[Finding]:
    """Find whether the machine was busy, and all that is beyond the limits for benchmarks, by layers, as one fact.

    Of the clock our own probes alone are judged: that of a custom one is no fault of the machine (`slow-clock` has it).
    """
    most, trials, why = limits()["benchmark"], answer.observations, []
    known = [one for one in trials if "counters.steal_ns" in one.figures]
    stolen = sum(one.figures["counters.steal_ns"] for one in known)
    of = sum(one.figures.get("counters.measured_ns", 0.0) * cpus_used(answer, one) for one in known)
    if stolen >= LEAST_STOLEN_NS and of and stolen / of > most["stolen"]:
        why.append(f"the hypervisor took {quantities.percent(stolen / of)} of the CPU time")
    custom = {one.label for one in answer.run.runtimes if one.probe == "probe"}
    timed = (one for one in trials if COST in one.figures and one.case.runtime not in custom)
    costs = gathered((one.case.runtime, one.figures[COST]) for one in timed)
    expensive = {runtime: cost for runtime, each in costs.items() if (cost := median(each)) > most["clock"]}
    if expensive:
        why.append(f"a reading of the clock takes {quantities.span([*expensive.values()])} in {', '.join(expensive)}")
    throttled = [one for one in trials if one.throttled_ns is not None]
    watched = sum(one.wall_ns * cpus_used(answer, one) for one in throttled)
    share = sum(one.throttled_ns or 0 for one in throttled) / max(1, watched)
    if share > most["throttled"]:
        why.append(f"a quota took {quantities.percent(min(1.0, share))} of the CPU time")
    share = share_of_others(trials)
    if share >= BUSY_SHARE:
        yield finding(BUSY, share=share)
    elif share > most["others"]:
        why.append(f"other programs used {quantities.percent(share)} of the CPU time")
    if why:
        yield finding("unfit", why="; ".join(why))


def of_trials(answer: Answer) -> Iterator[Finding]:
    """Find how often the states of CPUs changed, and for how many trials, and whether all outliers were inspected."""
    if changes := {pair: times for pair, times in answer.states.changes.items() if times}:
        cpus = ", ".join(quantities.pair(pair) for pair in changes)
        of_them = [state.core_to_core_ns for pair in changes for state in answer.states.of_pair(pair)]
        times = sum(changes.values())
        yield finding("vcpu-migration", times=times, which=cpus, near=min(of_them), far=max(of_them))
    if lost := sum(one.standing.changed for one in answer.trials if one.observation.figures):
        yield finding("state-changed", changed=lost, trials=len(answer.trials))
    if len(answer.states.found) > 1:
        yield from _topology_mismatch(answer)
    lacking = dict.fromkeys(sentence for row in answer.rows for one in row.trials for sentence in one.lacking)
    if lacking and any(row.value(f"{one.outliers}.count") for row in answer.rows for one in row.declared.timed):
        yield finding("limited-diagnostics", lacking=" ".join(lacking))


def _topology_mismatch(answer: Answer) -> Iterator[Finding]:
    """Find the two states with the largest ratio, if one is too far for what its CPUs are said to share.

    CPUs of other kinds of core are further from each other whatever they share, and of CPUs that the system does not
    list nothing is said.
    """
    cpus = {number: cpu for number, cpu in usable(answer.run.machine.topology).items() if cpu.is_listed}
    are_alike, placed = of_one_kind(cpus.values()), []
    for state in answer.states.found:
        if cpus.keys() >= set(state.cpus):
            pair = [cpus[cpu] for cpu in state.cpus]
            kind = "" if are_alike else kinds_of(sorted(pair, key=rank))
            placed.append((kind, (relation(*pair), state)))
    found = [one for of_kind in gathered(placed).values() for one in _further_than_said(of_kind)]
    if found:
        _, names, far, near = max(found, key=lambda one: one[0])
        who = " and ".join(dict.fromkeys(map(quantities.pair, (far.cpus, near.cpus))))
        yield finding("topology-mismatch", who=who, names=names, far=far.core_to_core_ns, near=near.core_to_core_ns)


def _further_than_said(placed: Sequence[tuple[str, State]]) -> Iterator[tuple[float, str, State, State]]:
    ordered = sorted(placed, key=lambda one: one[1].core_to_core_ns)
    nearest, farthest = dict(reversed(ordered)), dict(ordered)
    for name, far in farthest.items():
        for other, near in nearest.items():
            fold = far.core_to_core_ns / near.core_to_core_ns
            if CPUS_APART.index(name) <= CPUS_APART.index(other) and fold > UNTRUE:
                yield fold, name if name == other else f"{name} and {other}", far, near


NEEDED_CPUS = 3  # Two threads that spin, and one for the probe's own: its main thread, a JIT, a collector


def of_machine(machine: Machine) -> Iterator[Finding]:
    """Find what `ping` says of a machine too, which stores no run."""
    if too_few := small_quota(machine, NEEDED_CPUS):
        yield finding("cpu-quota", **too_few)
    cpus = usable(machine.topology).values()
    if (listed := sum(cpu.is_listed for cpu in cpus)) != len(cpus):
        yield finding("cpus-unlisted", listed=listed, cpus=len(cpus))
    if machine.topology.contradicts_itself:
        yield finding("topology-inconsistent")


def of_host(answer: Answer) -> Iterator[Finding]:
    """Find what is true of everything that is measured on this machine, and the options of its runtimes."""
    machine, runtimes = answer.run.machine, answer.run.runtimes
    if machine.hypervisor:
        yield finding("virtualised", hypervisor=machine.hypervisor)
    if machine.governor not in USUAL_GOVERNORS:
        yield finding(SLOW_GOVERNOR, governor=str(machine.governor))
    yield from of_machine(machine)
    java = [one for one in runtimes if one.probe == "java"]
    inherited = {one.label.split()[0]: " ".join(flags) for one in java if (flags := added(one.label, one.command))}
    alike = gathered((flags, name) for name, flags in inherited.items())
    if alike:
        each = (f"{flags} to {', '.join(names)}" for flags, names in alike.items())
        yield finding("jvm-options", added="; ".join(each))
    if variables := dict.fromkeys(one for runtime in runtimes for one in variables_in(runtime.version)):
        yield finding("libc-options", set=" ".join(variables))
    unset: Params = {"library": "libgomp", "policy": "default", "gomp-spins": -1}
    cpus = len({*machine.topology.allowed})
    cases = (row.case for row in answer.rows if row.case.mechanism.startswith("openmp-"))
    full = (case.params for case in cases if cpus in (case.threads, case.params.get("then")))
    if any({**unset, **of} == {**of, **unset} for of in full):
        yield finding("libgomp-full-team", threads=cpus)


def small_quota(machine: Machine, needed: int) -> Mapping[str, float]:
    """Return a CPU quota below this number of CPUs, or all that there are; empty for none."""
    quota, needed = machine.cpu_quota, min(needed, len({*machine.topology.allowed}))
    return {"quota": quota, "needed": needed} if quota is not None and quota < needed else {}


SLOW_GOVERNOR, USUAL_GOVERNORS = "governor-not-performance", (None, "performance")

OF_HOST = (
    *("virtualised", SLOW_GOVERNOR, "cpu-quota", "cpus-unlisted", "topology-inconsistent"),
    *("jvm-options", "libc-options", "libgomp-full-team"),
)
OF_RUNS: Sequence[Check[Answer]] = (
    Check(of_host, OF_HOST),
    Check(of_load, (BUSY, "unfit")),
    Check(of_trials, ("vcpu-migration", "state-changed", "topology-mismatch", "limited-diagnostics")),
)
"""Checks of the machine, true of everything that is measured there, then of the run."""


def codes_of(declared: Mapping[str, Declaration]) -> list[str]:
    """Return the code of all that an answer may have as a finding."""
    own: list[Check[Any]] = [check for declaration in declared.values() for check in declaration.checks]
    return [*dict.fromkeys(code for check in (*own, *OF_RUNS) for code in check.codes)]
