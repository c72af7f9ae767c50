"""Names as they are shown: of cases, and of anything that is not ours."""

from collections.abc import Callable, Iterable, Sequence

from threadping.analysis.declaration import Declaration
from threadping.model import quantities
from threadping.model.cases import DIMENSIONS, GROUPS, Case, Dimension, differing, with_params, with_unit
from threadping.model.quantities import ranges
from threadping.model.text import plain as plain
from threadping.output.layout import Field, Line, named

PLACEMENT, *UNUSUAL = (one for one in DIMENSIONS if one.head == "placement")
"""Dimensions of one column: a placement, and what is unusual about it."""

FURTHER = tuple(one for one in DIMENSIONS if one.head not in ("", "placement"))
"""Dimensions that have a column of their own, where a case is unusual."""

MOST_PARTS = 8  # maximum number of numbers and ranges that name the CPUs of a placement


def mechanism(case: Case, *but: str) -> str:
    """Name the mechanism with the parameters that differ from its defaults, `but` some: `disruptor batch=10`."""
    return plain(with_params(case.mechanism, case.params, (name for name in case.varied if name not in but)))


def columns(
    cases: Sequence[Case], declared: Declaration, but: str = "", *, of: Callable[[Line], Case]
) -> list[Field[Line]]:
    """Name cases in as many columns as it takes, `but` a parameter; each line is `of` one of these cases."""
    most, param = max(case.groups for case in cases), declared.param
    fields: list[Field[Line]] = [
        named("mechanism", lambda line: mechanism(of(line), param, but), "bold"),
        named("runtime", lambda line: plain(of(line).runtime)),
    ]
    if any(param in case.params for case in cases):
        fields.append(named(param, lambda line: with_unit(param, of(line).params.get(param, quantities.ABSENT))))
    if cases[0].group > 1 or any(case.groups != most for case in cases):
        fields.append(named(f"{GROUPS[cases[0].group]}s", lambda line: f"{of(line).groups:{len(str(most))}}"))
    fields.append(named("placement", lambda line: placement_label(of(line))))
    return [*fields, *(_dimension(one, of) for one in FURTHER if any(map(one.is_unusual, cases)))]


def _dimension(one: Dimension, of: Callable[[Line], Case]) -> Field[Line]:
    return named(one.head, lambda line: plain(one.text(of(line))))


def further(case: Case) -> list[str]:
    """Write what is unusual about a case in the columns that tables have only for such cases."""
    return [plain(one.text(case)) for one in FURTHER if one.is_unusual(case)]


def place(case: Case, declared: Declaration) -> str:
    """Name the place of a case along the parameter that is declared: `rate 10k`; empty where it has none."""
    value = case.params.get(declared.param)
    return "" if value is None else f"{declared.param} {with_unit(declared.param, value)}"


def placement_label(case: Case) -> str:
    """Name where threads and cells are, each CPU once: `same-l3 0,1`, `same-l3 0-7 next to 2 busy threads`."""
    return _placement_label(case, _text(PLACEMENT, case))


def placement_label_of_all(cases: Iterable[Case]) -> str:
    """Name where cases of several numbers of threads are: `same-l3`, `same-l3 to cross-node`."""
    ordered = sorted(cases, key=lambda case: case.groups)
    names = list(dict.fromkeys(case.placement.name for case in ordered if case.groups > 1))
    ends = dict.fromkeys((names[0], names[-1])) if names else [ordered[-1].placement.name]
    return _placement_label(ordered[0], plain(" to ".join(ends)))


def parts(case: Case, what: str) -> dict[str, str]:
    """Name a case by its dimensions, but for that in which it differs from another."""
    texts = {one.name: _text(one, case, what) for one in DIMENSIONS if one.name not in differing(what)}
    return {name: text for name, text in texts.items() if text}


def _text(of: Dimension, case: Case, *but: str) -> str:
    if of.name == "mechanism":
        return mechanism(case, *but)
    cpus = list(dict.fromkeys(case.placement.cpus)) if of is PLACEMENT else [None]
    return plain(" ".join([of.said(case), *([] if cpus == [None] else [",".join(ranges(cpus, 3, MOST_PARTS))])]))


def _placement_label(case: Case, place: str) -> str:
    return " ".join(filter(None, (place, *(_text(one, case) for one in UNUSUAL))))
