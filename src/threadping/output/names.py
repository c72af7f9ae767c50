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

THREADS = next(one for one in DIMENSIONS if one.name == "threads")
MOST_PARTS = 8  # maximum number of numbers and ranges that name the CPUs of a placement


def mechanism(case: Case, *but: str) -> str:
    """Name the mechanism with the parameters that differ from its defaults, `but` some: `disruptor batch=10`."""
    return plain(with_params(case.mechanism, case.params, (name for name in case.varied if name not in but)))


def columns(
    cases: Sequence[Case], declared: Declaration, but: str = "", *, of: Callable[[Line], Case]
) -> list[Field[Line]]:
    """Return columns for all in which these cases differ, `but` a parameter; each line is `of` one of them.

    `shared` has what they have in common.
    """
    facts, same = [_facts(case, declared) for case in cases], shared_params(cases, declared)
    heads = dict.fromkeys(head for one in facts for head in one)

    def cell(head: str) -> Callable[[Line], str]:
        width = max(len(one[head][0]) for one in facts if head in one) if head[:-1] in GROUPS.values() else 0
        return lambda line: _facts(of(line), declared).get(head, (quantities.ABSENT,))[0].rjust(width)

    return [
        named("mechanism", lambda line: mechanism(of(line), declared.param, but, *same), "bold"),
        *(named(head, cell(head)) for head in heads if len({one.get(head) for one in facts}) > 1),
    ]


def shared(cases: Sequence[Case], declared: Declaration) -> str:
    """Write what these cases have in common, for a heading: `cpp, same-l3 0,1, depth=1`."""
    facts = [_facts(case, declared) for case in cases]
    params = with_params("", cases[0].params, shared_params(cases, declared)).strip()
    texts = [one[1] for head, one in facts[0].items() if all(other.get(head) == one for other in facts)]
    usual = "" if THREADS.said(cases[0]) else THREADS.text(cases[0])
    return ", ".join(one for one in (*texts, plain(params)) if one and one != usual)


def differing_facts(case: Case, cases: Sequence[Case], declared: Declaration) -> list[str]:
    """Return what a case is besides its mechanism in which it differs from one of these: `cpp`, `8 threads`."""
    facts = [_facts(one, declared) for one in cases]
    return [one[1] for head, one in _facts(case, declared).items() if any(other.get(head) != one for other in facts)]


def _facts(case: Case, declared: Declaration) -> dict[str, tuple[str, str]]:
    """Return what a case is besides its mechanism: for the head of each column its cell, and what a heading says."""
    runtime, placement, group = plain(case.runtime), placement_label(case), GROUPS[case.group]
    found = {"runtime": (runtime, runtime)}
    if declared.param in case.params:
        found[declared.param] = (with_unit(declared.param, case.params[declared.param]), place(case, declared))
    found[f"{group}s"] = (str(case.groups), THREADS.text(case))
    found["placement"] = (placement, placement)
    return found | {
        one.head: (plain(one.text(case)), f"{one.head} {plain(said)}" if (said := one.said(case)) else "")
        for one in FURTHER
    }


def shared_params(cases: Sequence[Case], declared: Declaration) -> list[str]:
    first = cases[0]
    return [
        name
        for name in first.varied
        if name != declared.param and all(case.params.get(name) == first.params[name] for case in cases)
    ]


def place(case: Case, declared: Declaration) -> str:
    """Name the place of a case along the parameter that is declared: `rate 10k`; empty where it has none."""
    value = case.params.get(declared.param)
    return "" if value is None else f"{declared.param} {with_unit(declared.param, value)}"


def placement_label(case: Case, place: str = "") -> str:
    """Name where threads and cells are, each CPU once: `same-l3 0,1`, `same-l3 0-7 next to 2 busy threads`.

    A `place` replaces the placement and its CPUs.
    """
    return " ".join(filter(None, (place or _text(PLACEMENT, case), *(_text(one, case) for one in UNUSUAL))))


def placement_label_of_all(cases: Iterable[Case]) -> str:
    """Name where cases of several numbers of threads are: `same-l3`, `same-l3 to cross-node`."""
    ordered = sorted(cases, key=lambda case: case.groups)
    names = list(dict.fromkeys(case.placement.name for case in ordered if case.groups > 1))
    ends = dict.fromkeys((names[0], names[-1])) if names else [ordered[-1].placement.name]
    return placement_label(ordered[0], plain(" to ".join(ends)))


def parts(case: Case, what: str) -> dict[str, str]:
    """Name a case by its dimensions, but for that in which it differs from another."""
    texts = {one.name: _text(one, case, what) for one in DIMENSIONS if one.name not in differing(what)}
    return {name: text for name, text in texts.items() if text}


def _text(of: Dimension, case: Case, *but: str) -> str:
    if of.name == "mechanism":
        return mechanism(case, *but)
    cpus = list(dict.fromkeys(case.placement.cpus)) if of is PLACEMENT else [None]
    return plain(" ".join([of.said(case), *([] if cpus == [None] else [",".join(ranges(cpus, 3, MOST_PARTS))])]))
