"""A person's selection: what was asked for, and the parameters and placements that it comes to here."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, compress, product
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.states import StateFilter
from threadping.model import contract, quantities
from threadping.model.base import gathered
from threadping.model.cases import DEFAULT_WARMUP, Case, Home, Placement, Runtime, Skipped, WarmupPolicy
from threadping.model.errors import MIN_WITHIN, UnknownName, UsageError, did_you_mean, either, similar
from threadping.model.quantities import counted
from threadping.planning.defaults import CaseDefaults
from threadping.probes.builds import OwnSource
from threadping.probes.placements import (
    CPUS_APART,
    PLACEMENT_NAMES,
    UNPINNED,
    around,
    one_core_each,
    placement_for_cpus,
    placements,
    unpinned,
    usable,
)
from threadping.probes.runtimes import Described

Values = Mapping[str, tuple[str, ...]]  # the values selected for each parameter, as they were written


class Selection(Struct, frozen=True, kw_only=True):
    """The selected cases and how to measure them; threadping chooses where a field is empty or None."""

    experiments: tuple[str, ...] = ()  # their names
    runtimes: tuple[str, ...] = ()  # as `--runtime` names them
    jvm_flags: Values = {}  # the flags that every JVM is started with, by the option that asks for them
    mechanisms: tuple[str, ...] = ()  # by name or alias
    own: tuple[OwnSource, ...] = ()  # those of the mechanisms that are the user's own, of files
    cxx: str | None = None  # the compiler that builds these; None for the usual one
    cxxflags: str = ""  # its flags
    cargoflags: str = ""  # those of cargo, which builds crates
    placements: tuple[str, ...] = ()  # in place of the usual ones
    cpus: tuple[int, ...] | None = None  # where the threads run, in place of placements
    threads: tuple[int, ...] = ()  # how many, for experiments that take any number
    pairs: tuple[int, ...] = ()  # how many pairs of threads, for experiments that take pairs
    params: Values = {}  # of the mechanisms
    pins: tuple[contract.Pin, ...] = ("thread",)  # each thread by itself, or the process as a whole
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)  # one or several; each is a case of its own
    lines: int | None = None  # over how many cache lines, in place of the mechanism's own number
    homes: tuple[str, ...] = ()  # roles or NUMA nodes on whose CPUs the memory is first touched
    state: StateFilter | None = None  # measure only while the CPUs are in this state
    outliers: contract.OutliersRequest | None = contract.OUTLIERS  # what counts as one; None looks for none
    busy: tuple[int, ...] = (0,)  # numbers of busy threads that compete for the CPUs; each is a case of its own
    busy_nice: int = 0  # by how much those give way to others, 0 to 19
    budget_s: float = 60.0  # how long the whole may take
    trial_s: float | None = None  # how long a trial is
    until: float | None = None  # a case is measured no more when it is known within so much of its figure
    seed: int | None = None  # of every random order
    anyway: bool = False  # measure although another threadping is measuring

    @property
    def named_axes(self) -> tuple[str, ...]:
        """The axes on which values are selected, by the names that `axes_of` has for them."""
        selected = {
            "mechanism": self.mechanisms,
            "runtime": self.runtimes,
            "threads": self.threads or self.pairs,
            "placement": self.placements,
            "pin": self.pins[1:],
            "home": self.homes,
            "warmup": self.warmups[1:],
            "busy": self.busy[1:],
        }
        return (*(axis for axis, values in selected.items() if values), *(f"{name}=" for name in self.params))


class Inventory(Struct, frozen=True, kw_only=True):
    """The runtimes and the machine that cases are made for."""

    case_defaults: Mapping[str, CaseDefaults]  # what each experiment declares of its cases
    topology: contract.Topology  # the machine's CPUs
    described: Sequence[Described]  # the runtimes, each with what its probe can do
    timed: Mapping[str, str]  # what each distribution is of, in words
    missing: Sequence[Skipped] = ()  # runtimes that are left out already
    spent_s: float = 0.0  # how long it took to find that out, from the beginning of the command

    @property
    def runtimes(self) -> list[Runtime]:
        return [one.runtime for one in self.described]

    def mechanisms(self, experiment: str) -> list[contract.MechanismDescription]:
        return [mechanism for one in self.described for mechanism in one.mechanisms(experiment)]

    def only(self, cases: Iterable[Case]) -> "Inventory":
        labels = {case.runtime for case in cases}
        return replace(self, described=[one for one in self.described if one.runtime.label in labels])


MOST_MECHANISMS_NAMED = 4  # named in an error; of more than these, three
LISTED = "threadping info mechanisms"  # the command that lists them all


class Setting(Struct, frozen=True):
    """The parameters that have an effect, and the names of those that differ from the defaults."""

    params: contract.Params
    varied: tuple[str, ...]


def refuse_impossible(asked: Values, mechanisms: Sequence[contract.MechanismDescription]) -> None:
    """Refuse what none of the mechanisms can do, naming those that a parameter concerns.

    Raises UnknownName for a parameter that none has or a word that it may not be, UsageError for a number out of range
    and for a parameter that only goes with another's value, where that other was asked for without it.
    """
    for name, values in asked.items():
        having = [(one.name, param) for one in mechanisms for param in one.params if param.name == name]
        if not having:
            known = sorted({param.name for one in mechanisms for param in one.params})
            note = f" of {_named(one.name for one in mechanisms)}"
            if name in ("wait", "pauses") and all(one.blocking for one in mechanisms):
                note += f", which {'sleeps and does' if len(mechanisms) == 1 else 'sleep and do'} not spin"
            raise UnknownName("parameter", name, known, note=note)
        of = "" if len(having) == len(mechanisms) > MOST_MECHANISMS_NAMED else f" of {_named(one for one, _ in having)}"
        for value in values:
            if not any(_read(param, value) is not None for _, param in having):
                raise _impossible([param for _, param in having], value, of)
        for partner in (param.only_with for _, param in having if param.only_with):
            given = asked.get(partner.param, (partner.value,))
            if partner.value not in given:
                raise UsageError(
                    f"{name}{of} requires {partner.param}={partner.value}, not {partner.param}={' or '.join(given)}. "
                    "Leave one of the two out."
                )


def unmet(mechanism: contract.MechanismDescription, asked: Values) -> Iterator[str]:
    """Say what was asked for that this mechanism does not have."""
    params = {param.name: param for param in mechanism.params}
    for name, values in asked.items():
        if name not in params:
            yield f"it has no parameter {name}"
        elif refused := [value for value in values if _read(params[name], value) is None]:
            needs = dict(params[name].needs)
            yield from (f"its {name}={value} needs {needs[value]}" for value in refused if value in needs)
            if unknown := [value for value in refused if value not in needs]:
                yield f"its {name} cannot be {' or '.join(unknown)}"


def settings(mechanism: contract.MechanismDescription, asked: Values) -> list[Setting]:
    """Cross what was asked for; nothing where the mechanism lacks a parameter, or all the values asked for it.

    A parameter without effect (its partner has another value) is dropped, and so are the duplicates that this leaves.
    Where its partner was not asked for at all, it takes the value that is needed.
    """
    for param in mechanism.params:
        if param.name in asked and param.only_with:
            asked = {param.only_with.param: (param.only_with.value,), **asked}
    if not asked.keys() <= {param.name for param in mechanism.params}:
        return []
    values: list[list[int | str]] = []
    for param in mechanism.params:
        read = (_read(param, text) for text in asked.get(param.name, ()))
        values.append([one for one in read if one is not None] if param.name in asked else [param.default])
    found: list[Setting] = []
    for combination in product(*values):
        given = {param.name: value for param, value in zip(mechanism.params, combination, strict=True)}
        met = [
            not one.only_with or str(given.get(one.only_with.param)) == one.only_with.value for one in mechanism.params
        ]
        effective = list(compress(mechanism.params, met))
        varied = tuple(one.name for one in effective if given[one.name] != one.default)
        setting = Setting({one.name: given[one.name] for one in effective}, varied)
        if setting not in found:
            found.append(setting)
    return found


def variations(mechanism: contract.MechanismDescription) -> list[Setting]:
    """Return every other word of a parameter, one at a time; numbers stay, and what goes only with another's value."""
    return [
        setting
        for param in mechanism.params
        if param.only_with is None
        for choice in param.choices or ()
        if choice != param.default
        for setting in settings(mechanism, {param.name: (choice,)})
    ]


def _read(param: contract.ParamDescription, text: str) -> int | str | None:
    if param.choices is not None:
        return text if text in param.choices else None
    least, most = param.range or (-(2**63), 2**63 - 1)
    number = quantities.parse_count(text)
    return number if number is not None and least <= number <= most else None


def _impossible(having: Sequence[contract.ParamDescription], value: str, of: str) -> UsageError:
    param = having[0]
    if needs := dict.fromkeys(what for one in having for choice, what in one.needs if choice == value):
        return UsageError(f"{param.name}={value}{of} needs {', or '.join(needs)}.")
    if param.choices is not None:
        choices = list(dict.fromkeys(choice for one in having for choice in one.choices or ()))
        near = did_you_mean(similar(value, choices))
        return UsageError(f"{param.name}{of} must be {either(choices)}, not '{value}'.{near}")
    least, most = (quantities.compact(one) for one in param.range) if param.range else ("any", "any")
    return UsageError(f"{param.name}{of} must be a whole number from {least} to {most}, not '{value}'.")


def _named(mechanisms: Iterable[str]) -> str:
    names = list(dict.fromkeys(mechanisms))
    return (
        ", ".join(names) if len(names) <= MOST_MECHANISMS_NAMED else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


@cache
def _spellings() -> Any:
    return msgspec.toml.decode(Path(__file__).with_name("spellings.toml").read_bytes())


def spelled(name: str) -> Iterator[tuple[str, ...]]:
    """Yield our names for a mechanism, the likeliest first: `Mutex<T>`, `std::mutex` and `VarHandle.setRelease`."""
    yield (name,)
    words = re.split(r"::|[.:#]", re.sub(r"<.*?>|\(.*?\)", "", name))
    dashed = [re.sub(r"(?<=[a-z])(?=[A-Z])|[_ ]", "-", word).lower() for word in words if word]
    for way in ("-".join(dashed[first:]) for first in range(len(dashed))):
        yield (way, *_spellings()["mechanisms"].get(way, ()))


def mechanisms_named(selection: Selection, of_experiments: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Our names of the selected mechanisms, each once; UnknownName, with suggestions, for an unknown one."""
    known = [name for experiment in selection.experiments for name in of_experiments.get(experiment, ())]
    found: dict[str, None] = {}
    own = {one.name: one for one in selection.own}
    for name in selection.mechanisms:
        if name in own:
            if name not in known:
                raise UsageError(_not_measured(own[name], selection.experiments, of_experiments))
            found[name] = None
            continue
        ours = next((here for names in spelled(name) if (here := [one for one in names if one in known])), [])
        if not ours:
            plain = [*spelled(name)][-1][0]
            note, near = _spellings()["notes"].get(plain, ""), near_names(plain, known)
            elsewhere = _elsewhere(name, selection.experiments, of_experiments)
            if elsewhere and (elsewhere[1] == "it" or not any(plain in one for one in near)):
                note, near = f", but `threadping run {elsewhere[0]}` has {elsewhere[1]}", _akin(plain, known)
            raise UnknownName("mechanism", name, list(dict.fromkeys(known)), near, note, LISTED)
        found |= dict.fromkeys(ours)
    return tuple(found)


def _elsewhere(name: str, asked: Sequence[str], every: Mapping[str, Iterable[str]]) -> tuple[str, str] | None:
    """Return another experiment that has a mechanism, or one whose name contains the plain name; and what it has."""
    plain = [*spelled(name)][-1][0]
    others = [(of, one) for of, names in every.items() if of not in asked for one in names]
    same = ((of, "it" if one == plain else one) for ours in spelled(name) for of, one in others if one in ours)
    return next(chain(same, ((of, one) for of, one in others if len(plain) >= MIN_WITHIN and plain in one)), None)


def _not_measured(own: OwnSource, asked: Sequence[str], of_experiments: Mapping[str, Iterable[str]]) -> str:
    """Say which experiments measure a mechanism of the user's own, where none of those that were asked does."""
    able = [experiment for experiment, names in of_experiments.items() if own.name in names]
    asleep = " wakeup is for what sleeps: say `static constexpr bool kBlocking = true;` in it, if it does."
    return (
        f"'{own.given}' is not measured by {' or '.join(asked)}, but by {' and '.join(able)}."
        f"{asleep if 'wakeup' in asked and 'signal' in able else ''}"
    )


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """Suggest up to three names: a near equivalent, one that contains the name, one that is spelt like it."""
    containing = [one for one in known if name in one] if len(name) > 2 else []
    called = _spellings()["mechanisms"]
    alike = (called.get(one, [one]) for one in similar(name, [*known, *called]))
    near = [*_akin(name, known), *containing, *(one for ours in alike for one in ours if one in known)]
    return list(dict.fromkeys(near))[:3]


def _akin(name: str, known: Sequence[str]) -> list[str]:
    return [one for one in _spellings()["nearest"].get(name, ()) if one in known]


Nodes = Mapping[str, tuple[int, ...]]  # usable CPUs of each NUMA node, by its number as text


class Places(Struct, frozen=True):
    """The placements that threads can have here, those they cannot, and the numbers of threads measured first."""

    found: Sequence[Placement]
    absent: Sequence[Skipped]
    first: Collection[int] = ()


def places(topology: contract.Topology, asked: Selection, defaults: CaseDefaults) -> Places:
    """Return the placements of an experiment's threads, of the requested or the usual numbers of them.

    Threads of any number are spread over the CPUs, and over their siblings only when every core has one; a placement
    that is named keeps them closer together.
    """
    cpus = len(set(asked.cpus) if asked.cpus else usable(topology))
    # Numbers of threads that the requested parameters imply; what is none, or too many, is refused by its mechanism
    of_roles = product(*(asked.params.get(role, ("1",)) for role in defaults.by_role))
    whole = (dict(zip(defaults.by_role, each, strict=True)) for each in of_roles if all(map(str.isdecimal, each)))
    implied = {defaults.threads_of(one) for one in whole}
    by_role = tuple(sorted(n for n in implied if n is not None and n <= contract.MOST_THREADS))
    if defaults.threads is not None and by_role in ((), (defaults.threads,)):
        if asked.cpus is None:
            found, absent = placements(topology, [defaults.threads], asked.placements or PLACEMENT_NAMES)
            return Places(found, absent if defaults.threads > 1 else [], (defaults.threads,))
        return Places([placement_for_cpus(topology, asked.cpus, defaults.threads)], [], (defaults.threads,))
    named = by_role or (
        asked.threads if defaults.group == 1 else tuple(pairs * defaults.group for pairs in asked.pairs)
    )
    reason = f"at least {counted(defaults.least, 'thread')} take part"
    too_few = [Skipped(counted(threads, "thread"), reason) for threads in named if threads < defaults.least]
    if too_few and len(too_few) == len(named):
        return Places([], too_few)
    named = tuple(threads for threads in named if threads >= defaults.least)
    usual = tuple(groups * defaults.group for groups in defaults.groups)
    counts = named or usual or usual_threads(cpus, defaults)
    first = named or usual[:1] or (defaults.least, max(defaults.least, cpus))
    if asked.cpus:
        return Places([around(topology, asked.cpus, count) for count in counts], too_few, first)
    if asked.placements:
        found, absent = placements(topology, counts, asked.placements)
        return Places(found, [*too_few, *absent], first)
    found = [at for count in counts for at in (one_core_each(topology, count), unpinned(count))]
    return Places(found, too_few, first)


def usual_threads(cpus: int, defaults: CaseDefaults) -> tuple[int, ...]:
    """Return powers of two and the number of CPUs, or the least and the shares of CPUs that are declared."""
    if defaults.of_cpus:
        return tuple(sorted({max(defaults.least, round(share * cpus)) for share in (0, *defaults.of_cpus)}))
    most = max(8, 2 * cpus)  # articles of 2011 measured one to eight threads, whatever the machine had
    return tuple(sorted({cpus, *(2**power for power in range(most.bit_length()))}))


def places_of(
    mechanism: contract.MechanismDescription, places: Places, asked: Selection, threads: int | None
) -> list[Placement]:
    """Return the placements at which a mechanism is measured: the requested ones, or the usual ones.

    Spinning threads are measured on CPUs of their own (two on one CPU hand over at the end of a time slice, which few
    want to wait for), sleeping ones also on one CPU and unpinned; of any number of threads only while no mechanism is
    named, because each number would be measured twice. One thread shares nothing, so it is placed wherever others were
    to. Threads without a CPU of their own are measured unpinned.
    """
    named = asked.placements
    chosen = [place for place in places.found if not named or place.name in named or place.threads == 1]
    if not mechanism.pinnable:
        return [place for place in chosen if place.name == UNPINNED]
    pinned_only = not mechanism.blocking or (threads is None and asked.mechanisms)
    if asked.placements or not pinned_only:
        return chosen
    apart = [place for place in chosen if threads and place.name in CPUS_APART]
    return apart or [place for place in chosen if place.name != UNPINNED]


def homes_among(chosen: Sequence[Placement]) -> list[Placement]:
    """Return the placements measured first: for each number of threads the closest different CPUs."""
    found: dict[int, Placement] = {}
    for place in sorted(chosen, key=lambda place: (place.name == UNPINNED, place.name not in CPUS_APART)):
        found.setdefault(place.threads, place)
    return list(found.values())


def closest(cases: Iterable[Case], alike: Callable[[Case], Hashable]) -> list[Case]:
    """Return the first placement's cases of those that differ in their placement alone."""
    groups = gathered((alike(case), case) for case in cases)
    homes = {key: homes_among([case.placement for case in group]) for key, group in groups.items()}
    return [case for key, group in groups.items() for case in group if case.placement in homes[key]]


def homes(asked: Sequence[str], placement: Placement, roles: Sequence[str], nodes: Nodes) -> list[Home | None]:
    """Return the requested homes that these threads have, each once; None is the usual one."""
    found: dict[tuple[int, ...], Home | None] = {}
    for name in asked:
        if name in nodes:
            cpus = nodes[name]
        elif placement.pin == "process":  # each thread may use all of them
            cpus = placement.usual_home or ()
        else:
            position = roles.index(name)
            cpus = tuple(cpu for cpu in placement.cpus[position : position + 1] if cpu is not None)
        if cpus:
            named = Home(f"node {name}" if name in nodes else name, cpus)
            found.setdefault(cpus, None if cpus == placement.usual_home else named)
    return list(found.values()) if asked else [None]


def refuse_unknown_homes(asked: Iterable[str], known: Sequence[str]) -> None:
    """Raise UnknownName for a home that is none of these roles and NUMA nodes."""
    for name in asked:
        if name not in known:
            note = ": no NUMA node of this number has a CPU that may be used" if name.isdecimal() else ""
            raise UnknownName("home", name, list(dict.fromkeys(known)), note=note)
