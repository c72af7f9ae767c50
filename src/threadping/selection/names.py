"""Mechanisms by the names that people use, and suggestions for unknown names."""

import difflib
from collections.abc import Sequence

from threadping.errors import UnknownName
from threadping.probes.description import Described
from threadping.selection.selection import Selection

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

NEAREST = {"futex": ("park", "atomic-wait", "condition"), "mutex": ("condition",), "atomic-wait": ("futex", "park")}
"""What comes nearest to a mechanism in an experiment that does not have it: only suggested."""


def mechanisms_named(selection: Selection, described: Sequence[Described]) -> tuple[str, ...]:
    """Our names of the selected mechanisms, each once; UnknownName, with suggestions, for an unknown one."""
    of_experiments: dict[str, dict[str, None]] = {}
    for one in described:
        for experiment in one.description.experiments:
            of_experiments.setdefault(experiment.name, {}).update(dict.fromkeys(m.name for m in experiment.mechanisms))
    known = [name for experiment in selection.experiments for name in of_experiments.get(experiment, ())]
    found: dict[str, None] = {}
    for name in selection.mechanisms:
        plain = name.lower().replace("_", "-").replace(" ", "-").removeprefix("std::")
        ours = [one for one in (name, plain, *ALIASES.get(plain, ())) if one in known]
        if not ours:
            elsewhere = [experiment for experiment, names in of_experiments.items() if plain in names]
            note = f", but `threadping {elsewhere[0]}` has it" if elsewhere else ""
            raise UnknownName("mechanism", name, list(dict.fromkeys(known)), _near(plain, known), note)
        found |= dict.fromkeys(ours)
    return tuple(found)


def _near(name: str, known: Sequence[str]) -> list[str]:
    """Up to three names to suggest: what does nearly the same, what contains the name, and what is written like it."""
    akin = [one for one in NEAREST.get(name, ()) if one in known]
    containing = [one for one in known if name in one] if len(name) > 2 else []
    return list(dict.fromkeys([*akin, *containing, *difflib.get_close_matches(name, known, n=3, cutoff=0.5)]))[:3]
