"""Mechanisms and parameters by the names that people use, and the settings of a mechanism that follow from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, product

from msgspec import Struct

from threadping import numbers
from threadping.contract import MechanismDescription, ParamDescription, Params
from threadping.errors import UnknownName, UsageError, similar
from threadping.own.sources import OwnSource
from threadping.selection.selection import Inventory, Selection, Values

MOST_MECHANISMS_NAMED = 4
"""An error names so many mechanisms; of more than these, three."""


class Setting(Struct, frozen=True):
    """The parameters that have an effect, and the names of those that differ from the defaults."""

    params: Params
    varied: tuple[str, ...]


def refuse_impossible(asked: Values, mechanisms: Sequence[MechanismDescription]) -> None:
    """Refuse what none of the mechanisms can do, naming those that a parameter concerns.

    Raises UnknownName for a parameter that none has or a word that it may not be, UsageError for a number out of range
    and for a parameter that only goes with another's value, where that other was asked for without it.
    """
    for name, values in asked.items():
        having = [(one.name, param) for one in mechanisms for param in one.params if param.name == name]
        if not having:
            known = sorted({param.name for one in mechanisms for param in one.params})
            note = f" of {_named(one.name for one in mechanisms)}{_if_asleep(name, mechanisms)}"
            raise UnknownName("parameter", name, known, note=note)
        of = "" if len(having) == len(mechanisms) > MOST_MECHANISMS_NAMED else f" of {_named(one for one, _ in having)}"
        for value in values:
            if not any(_read(param, value) is not None for _, param in having):
                raise _impossible([param for _, param in having], value, of)
        for partner in (param.only_with for _, param in having if param.only_with):
            given = asked.get(partner.param, (partner.value,))
            if partner.value not in given:
                raise UsageError(
                    f"{name}{of} goes only with {partner.param}={partner.value}, but {partner.param} was to be "
                    f"{' or '.join(given)}. Leave one of the two out."
                )


def unmet(mechanism: MechanismDescription, asked: Values) -> Iterator[str]:
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


def settings(mechanism: MechanismDescription, asked: Values) -> list[Setting]:
    """Cross what was asked for; nothing where the mechanism lacks a parameter, or all the values asked for it.

    A parameter without effect (its partner has another value) is dropped, and so are the duplicates that this leaves.
    Where its partner was not asked for at all, it takes the value that is needed.
    """
    for param in mechanism.params:
        if param.name in asked and param.only_with:
            asked = {param.only_with.param: (param.only_with.value,), **asked}
    if not asked.keys() <= {param.name for param in mechanism.params}:
        return []
    found: list[Setting] = []
    for combination in product(*(_values(param, asked) for param in mechanism.params)):
        setting = _setting(mechanism.params, combination)
        if setting not in found:
            found.append(setting)
    return found


def variations(mechanism: MechanismDescription) -> list[Setting]:
    """Every other word that a parameter may be, one parameter at a time.

    Numbers stay as they are, and what goes only with another's value.
    """
    return [
        setting
        for param in mechanism.params
        if param.only_with is None
        for choice in param.choices or ()
        if choice != param.default
        for setting in settings(mechanism, {param.name: (choice,)})
    ]


def _values(param: ParamDescription, asked: Values) -> list[int | str]:
    if param.name not in asked:
        return [param.default]
    read = (_read(param, text) for text in asked[param.name])
    return [value for value in read if value is not None]


def _setting(params: Sequence[ParamDescription], values: Sequence[int | str]) -> Setting:
    given = {param.name: value for param, value in zip(params, values, strict=True)}
    met = [not one.only_with or str(given.get(one.only_with.param)) == one.only_with.value for one in params]
    effective = list(compress(params, met))
    varied = tuple(one.name for one in effective if given[one.name] != one.default)
    return Setting({one.name: given[one.name] for one in effective}, varied)


def _read(param: ParamDescription, text: str) -> int | str | None:
    """The value that the text stands for; None if the parameter may not have it."""
    if param.choices is not None:
        return text if text in param.choices else None
    least, most = param.range or (-(2**63), 2**63 - 1)
    number = numbers.whole(text)
    return number if number is not None and least <= number <= most else None


def _impossible(having: Sequence[ParamDescription], value: str, of: str) -> UsageError:
    param = having[0]
    if needs := dict.fromkeys(what for one in having for choice, what in one.needs if choice == value):
        return UsageError(f"{param.name}={value}{of} needs {', or '.join(needs)}.")
    if param.choices is not None:
        choices = list(dict.fromkeys(choice for one in having for choice in one.choices or ()))
        return UnknownName(f"value of {param.name}", value, choices, note=of)
    least, most = (numbers.compact(one) for one in param.range) if param.range else ("any", "any")
    return UsageError(f"{param.name}={value}{of} is not possible: it is a whole number from {least} to {most}.")


def _if_asleep(name: str, mechanisms: Sequence[MechanismDescription]) -> str:
    """Why mechanisms lack a parameter that says how one spins."""
    asleep = name in OF_SPINNING and all(one.blocking for one in mechanisms)
    return f", which {'sleeps and does' if len(mechanisms) == 1 else 'sleep and do'} not spin" if asleep else ""


OF_SPINNING = ("wait", "pauses")
"""Parameters that say how a thread looks again and again."""


def _named(mechanisms: Iterable[str]) -> str:
    """Name mechanisms in a sentence, of many the first three."""
    names = list(dict.fromkeys(mechanisms))
    return (
        ", ".join(names) if len(names) <= MOST_MECHANISMS_NAMED else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


ALIASES = {
    "synchronized": ("monitor",),
    "wait-notify": ("monitor",),
    "pthread-mutex": ("mutex",),
    "condvar": ("condition",),
    "condition-variable": ("condition",),
    "locksupport": ("park",),
    "unpark": ("park",),
    "virtual-thread": ("virtual-park",),
    "volatile": ("seqcst-one-line",),
    "spinlock": ("pthread-spinlock", "test-and-test-and-set"),
    "ttas": ("test-and-test-and-set",),
    "rwlock": ("shared-mutex",),
    "compare-and-swap": ("cas-one-line", "cas-loop"),
    "atomic-add": ("fetch-add", "get-and-add"),
    "moodycamel": ("concurrentqueue", "readerwriterqueue"),
}
"""Names that the field uses for what ours name otherwise: they are accepted."""

LISTED = "threadping mechanisms"
"""The command that lists them all."""

NEAREST = {"futex": ("park", "atomic-wait", "condition"), "mutex": ("condition",), "atomic-wait": ("futex", "park")}
"""What comes nearest to a mechanism in an experiment that does not have it: only suggested."""


def mechanisms_named(selection: Selection, here: Inventory) -> tuple[str, ...]:
    """Our names of the selected mechanisms, each once; UnknownName, with suggestions, for an unknown one."""
    of_experiments: dict[str, dict[str, None]] = {}
    for one in here.described:
        for experiment in one.description.experiments:
            if experiment.name in here.askings:  # a probe of somebody's may have others, which no command measures
                names = of_experiments.setdefault(experiment.name, {})
                names.update(dict.fromkeys(mechanism.name for mechanism in experiment.mechanisms))
    known = [name for experiment in selection.experiments for name in of_experiments.get(experiment, ())]
    found: dict[str, None] = {}
    own = {one.name: one for one in selection.own}
    for name in selection.mechanisms:
        if name in own:
            if name not in known:
                raise UsageError(_not_measured(own[name], selection.experiments, of_experiments))
            found[name] = None
            continue
        plain = name.lower().replace("_", "-").replace(" ", "-").removeprefix("std::").removeprefix("sync::")
        ours = [one for one in (name, plain, *ALIASES.get(plain, ())) if one in known]
        if not ours:
            elsewhere = [experiment for experiment, names in of_experiments.items() if plain in names]
            note = f", but `threadping {elsewhere[0]}` has it" if elsewhere else ""
            raise UnknownName("mechanism", name, list(dict.fromkeys(known)), _near(plain, known), note, LISTED)
        found |= dict.fromkeys(ours)
    return tuple(found)


def _not_measured(own: OwnSource, asked: Sequence[str], of_experiments: Mapping[str, Mapping[str, None]]) -> str:
    """Say which experiments measure a mechanism of the user's own, where none of those that were asked does."""
    able = [experiment for experiment, names in of_experiments.items() if own.name in names]
    asleep = " notify is for what sleeps: say `static constexpr bool kBlocking = true;` in it, if it does."
    return (
        f"'{own.given}' is not measured by {' or '.join(asked)}, but by {' and '.join(able)}."
        f"{asleep if 'notify' in asked and 'signal' in able else ''}"
    )


def _near(name: str, known: Sequence[str]) -> list[str]:
    """Up to three names to suggest: what does nearly the same, what contains the name, and what is written like it."""
    akin = [one for one in NEAREST.get(name, ()) if one in known]
    containing = [one for one in known if name in one] if len(name) > 2 else []
    return list(dict.fromkeys([*akin, *containing, *similar(name, known)]))[:3]
