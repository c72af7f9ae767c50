"""Names as they are shown: of cases, and of anything that is not ours."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from threadping import quantities
from threadping.analysis.declaration import Declaration
from threadping.characters import plain as plain
from threadping.model.cases import ALONE, DEFAULT_WARMUP, GROUPS, Case, as_given, with_params
from threadping.numbers import ranges
from threadping.views.terminal.table import Column, named

MOST_PARTS = 8
"""Of the CPUs of a placement so many numbers and ranges are shown at most."""


def mechanism(case: Case, *but: str) -> str:
    """Name the mechanism with the parameters that differ from its defaults, `but` some: `disruptor batch=10`."""
    return plain(with_params(case.mechanism, case.params, (name for name in case.varied if name not in but)))


def columns(cases: Sequence[Case], declared: Declaration, but: str = "") -> list[Column]:
    """Name cases in as many columns as it takes, `but` a parameter.

    The number of pairs and the parameter along which rows stand always have one, threads where their number varies.
    """
    most, param = max(case.groups for case in cases), declared.param
    groups = named(f"{GROUPS[cases[0].group]}s", (f"{case.groups:{len(str(most))}}" for case in cases))
    given = named(param, (as_given(case.params.get(param, quantities.ABSENT)) for case in cases))
    warmups = named("warm-up", (case.warmup.text for case in cases))
    return [
        named("mechanism", (mechanism(case, param, but) for case in cases), "bold"),
        named("runtime", (plain(case.runtime) for case in cases)),
        *([given] if param else []),
        *([groups] if cases[0].group > 1 or any(case.groups != most for case in cases) else []),
        named("placement", map(standing, cases)),
        *([warmups] if varies_warmups(cases) else []),
    ]


def place(case: Case, declared: Declaration) -> str:
    """Name the place of a case along the parameter that is declared: `rate 10k`; empty where it has none."""
    value = case.params.get(declared.param)
    return "" if value is None else f"{declared.param} {as_given(value)}"


def standing(case: Case) -> str:
    """Name where threads and cells stand: `same-l3 0,1`, `unpinned home node 0`, `same-l3 0,1 beside 2 busy threads`.

    A CPU is named once, however many threads stand there: `same-l3 0-7` also for sixteen threads.
    """
    cpus = list(dict.fromkeys(case.placement.cpus))
    return _place(case, case.placement.title, [] if cpus == [None] else [",".join(ranges(cpus, 3, MOST_PARTS))])


def standing_of_all(cases: Iterable[Case]) -> str:
    """Name where cases stand that differ in their number of threads: `same-l3`, `same-l3 to cross-node`.

    CPUs become more with the threads, so none is named; and a single thread has no neighbours, so it names no place.
    """
    ordered = sorted(cases, key=lambda case: case.groups)
    names = list(dict.fromkeys(case.placement.name for case in ordered if case.groups > 1))
    ends = dict.fromkeys((names[0], names[-1])) if names else [ordered[-1].placement.name]
    return _place(ordered[0], " to ".join(ends), [])


def parts(case: Case, what: str) -> dict[str, str]:
    """Name a case by its parts, but for that in which it differs from another."""
    found = {
        "experiment": plain(case.experiment),
        "mechanism": mechanism(case, what),
        "runtime": plain(case.runtime),
        "threads": quantities.counted(case.groups, GROUPS[case.group]) if case.threads != 2 or case.group > 1 else "",
        "placement": standing(replace(case, busy=ALONE)),
        "busy": case.busy.text,
        "warmup": case.warmup.text if case.warmup != DEFAULT_WARMUP else "",
    }
    follows = {"pin": "placement", "home": "placement", "threads": "placement", "pairs": "placement"}
    left_out = ("threads" if what == "pairs" else what, follows.get(what))
    return {name: text for name, text in found.items() if text and name not in left_out}


def varies_warmups(cases: Iterable[Case]) -> bool:
    """Whether the warm-up must be said: some case has another than the default."""
    return any(case.warmup != DEFAULT_WARMUP for case in cases)


def _place(case: Case, name: str, cpus: list[str]) -> str:
    busy = [case.busy.text] if case.busy.text else []
    process = ["process"] if case.placement.pin == "process" else []
    home = [f"home {case.home.name}"] if case.home else []
    return plain(" ".join([name, *cpus, *process, *home, *busy]))
