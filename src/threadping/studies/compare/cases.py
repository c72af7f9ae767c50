"""The two sides of a comparison: the option that carries both, and the cases of A with those of B."""

import shlex
from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import DIMENSIONS, Busy, Case, Skipped, as_text, differing, read_all
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.model.quantities import counted
from threadping.model.text import shell_words
from threadping.planning.cases import expand
from threadping.planning.selection import Inventory, Selection, closest, places
from threadping.probes.builds import read_mechanisms
from threadping.probes.placements import PLACEMENT_NAMES, UNPINNED
from threadping.probes.runtimes import Described
from threadping.studies.compare.verdict import metric_of_pair

OPTIONS = {one.name: one.plural for one in DIMENSIONS if one.plural} | {"pairs": "pairs"}
"""The options that may carry two values, and the fields of a selection where they stand; parameters may too."""

BOTH_NAMED = "runtime and mechanism"  # differ where each side is named whole: `--a 'java-17 monitor' --b 'cpp mutex'`

EXAMPLES = "--runtime java-17 --runtime java-25, --mechanism cas-one-line,release-one-line, or --wait spin --wait pause"


class Sides(Struct, frozen=True):
    """The difference between A and B, and the value of each.

    `what` is an option's name, or a parameter's; empty where a thing is compared with itself.
    """

    what: str
    a: str
    b: str

    @property
    def titles(self) -> tuple[str, str]:
        """A and B for a person: `idle` and `2 busy threads` for 0 and 2, `1 thread` for 1; others as given."""
        match self.what:
            case "busy":
                return Busy(int(self.a)).title, Busy(int(self.b)).title
            case "threads" | "pairs":
                return counted(int(self.a), self.what[:-1]), counted(int(self.b), self.what[:-1])
        return self.a, self.b


class Pairs(Struct, frozen=True):
    """A and B of each comparison, the most wanted first, and the skipped cases with the reason."""

    found: tuple[tuple[Case, Case], ...]
    skipped: tuple[Skipped, ...]


def sides(selection: Selection) -> Sides:
    """Return the two values of the one option that has two.

    Raises:
        UsageError: none has, or several have.
    """
    given = {name: tuple(map(as_text, getattr(selection, field))) for name, field in OPTIONS.items()}
    given |= selection.params
    two = {name: values for name, values in given.items() if len(values) == 2}
    if len(two) > 1:
        named = " and ".join(f"--{name} {','.join(values)}" for name, values in two.items())
        raise UsageError(f"A and B are the two values of one option, but {named} both have two. Give one only one.")
    if not two:
        more = next((f"--{name} has {len(values)} values" for name, values in given.items() if len(values) > 2), "")
        why = f"{more}, and no option has" if more else "no option has"
        raise UsageError(
            f"A and B are the two values of one option, but {why} two different ones. Write {EXAMPLES}; or compare a "
            "thing with itself: --self."
        )
    ((what, (a, b)),) = two.items()
    return Sides(what, a, b)


def two_named(selection: Selection, a: str | None, b: str | None) -> tuple[Selection, Sides]:
    """Return the sides of `--a` and `--b`: a runtime and a mechanism each, which may be custom.

    Raises:
        UsageError: one is missing, or is not two words; or the selection names some too.
    """
    if selection.runtimes or selection.mechanisms:
        raise UsageError("--a and --b name a runtime and a mechanism each: leave --runtime and --mechanism out.")
    words = [shell_words(f"--{side}", one or "") for side, one in zip("ab", (a, b), strict=True)]
    if not all(len(of) > 1 for of in words):
        raise UsageError("--a and --b are a runtime and a mechanism each: --a 'java-17 monitor' --b 'cpp mutex'.")
    runtimes = [shlex.join(of[:-1]) for of in words]
    names, own = read_mechanisms([of[-1] for of in words])
    of_a, of_b = (f"{runtime} {name}" for runtime, name in zip(runtimes, (names[0], names[-1]), strict=True))
    named = replace(selection, runtimes=tuple(dict.fromkeys(runtimes)), mechanisms=names, own=own)
    return named, Sides(BOTH_NAMED, of_a, of_b)


def pairs_of(sides: Sides, selection: Selection, here: Inventory, of: Sequence[Sequence[Described]]) -> Pairs:
    """Return the cases of A, each with the case of B that differs in nothing else.

    Where no placement is named it is the closest one; numbers of threads likewise are the first of the defaults. `of`
    has the runtimes of A, and those of B.

    Raises:
        UsageError: a name is unknown, the sides are the same, or nothing is left to compare.
    """
    of_sides: list[dict[object, Case]] = []
    skipped = list(here.missing)
    for place, (value, alone) in enumerate(zip((sides.a, sides.b), of, strict=True)):
        cases = expand(_only(selection, sides.what, place), replace(here, described=alone, missing=()))
        usual = _usual(cases.every, selection, here)
        named = list(dict.fromkeys(case.mechanism for case in usual))
        if sides.what == "mechanism" and len(named) > 1:
            raise UsageError(f"'{value}' is {' and '.join(named)}: name one of them as a side.")
        keyed: dict[object, Case] = {}
        for case in usual:
            keyed.setdefault(_all_but(case, sides.what, selection, here), case)
        of_sides.append(keyed)
        skipped += (one for one in cases.skipped if one.what not in PLACEMENT_NAMES or selection.placements)
    a, b = of_sides
    found = tuple((a[key], b[key]) for key in a if key in b)
    unpinned = any(side and {case.placement.name for case in side.values()} == {UNPINNED} for side in of_sides)
    if not found and unpinned and not (selection.placements or selection.cpus):
        return pairs_of(sides, replace(selection, placements=(UNPINNED,)), here, of)
    if sides.what and any(one == other for one, other in found):
        raise UsageError(f"A and B are the same here: {found[0][0].title}. Compare two things, or one with --self.")
    alone_here = [
        Skipped(case.title, f"only {name} has it")
        for name, mine, others in ((sides.a, a, b), (sides.b, b, a))
        for key, case in mine.items()
        if key not in others
    ]
    if not found:
        listed = "; ".join(f"{one.what}: {one.reason}" for one in (*alone_here[:4], *skipped[:4]))
        raise NothingToMeasure(f"{sides.a} and {sides.b} have nothing in common that could be compared. {listed}.")
    return Pairs(found, (*dict.fromkeys(skipped), *alone_here))


def _only(selection: Selection, what: str, place: int) -> Selection:
    """Return the selection with one of the two values: the first for A, the last for B."""
    if not what or what == "runtime":  # their cases differ by the runtimes that are described
        return selection
    what = "mechanism" if what == BOTH_NAMED else what
    if field := OPTIONS.get(what):
        return replace(selection, **{field: (getattr(selection, field)[-place],)})
    return replace(selection, params={**selection.params, what: (selection.params[what][-place],)})


def _usual(cases: Iterable[Case], selection: Selection, here: Inventory) -> Sequence[Case]:
    """Return the cases without other parameters than were named, at the closest placement unless one was named."""
    first = {name: places(here.topology, selection, here.case_defaults[name]).first for name in selection.experiments}
    numbered = [case for case in cases if selection.cpus or case.threads in first[case.experiment]]
    meant = [case for case in numbered if selection.params or not case.varied]
    if selection.placements or selection.cpus:
        return meant
    return closest(meant, lambda case: _all_but(case, "placement", selection, here))


def _all_but(case: Case, what: str, selection: Selection, here: Inventory) -> Hashable:
    """Return the key by which a case of A finds its like in B: all but what differs, and what follows from that."""
    differs = differing("threads" if what in here.case_defaults[case.experiment].by_role else what)
    params = tuple((name, case.params.get(name)) for name in selection.params if name != what)
    # Other numbers of threads stand on other CPUs; one thread has none beside it.
    return params, what == "placement" or case.placement.name == UNPINNED, *read_all(case, *differs)


def making_alike(pairs: Pairs, here: Inventory, selection: Selection) -> Selection | None:
    """Return the selection with the JVM options without which A and B do different work; None where none is missing."""
    on_jvm = {one.runtime.label for one in here.described if one.runtime.probe == "java"}
    options = {
        option: EXPERIMENTS[a.experiment].jvm_options[option][0]
        for a, b in pairs.found
        if {a.runtime, b.runtime} & on_jvm and (option := EXPERIMENTS[a.experiment].makes_alike(a, b))
    }
    missing = {name: flags for name, flags in options.items() if name not in selection.jvm_flags}
    return replace(selection, jvm_flags={**selection.jvm_flags, **missing}) if missing else None


def having(pairs: Pairs, asked: str) -> Pairs:
    """Return the pairs that have the figure which is asked for; raise UsageError if none has."""
    found, without = [], []
    for a, b in pairs.found:
        if isinstance(why := metric_of_pair(asked, declared(), (a, b)), str):
            without.append(Skipped(f"{a.experiment} {a.title}", why.rstrip(".")))
        else:
            found.append((a, b))
    if not found:
        raise UsageError(f"Nothing here can be compared by --metric {asked}. {without[0].reason}.")
    return Pairs(tuple(found), (*pairs.skipped, *without))
