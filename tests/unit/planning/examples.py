"""Two made-up experiments, one of two threads and one of any number, and what a question to them comes to."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from threadping.model.cases import Case, Runtime
from threadping.model.contract import (
    SCHEMA,
    Cpu,
    Description,
    ExperimentDescription,
    MechanismDescription,
    ParamDescription,
    RoleDescription,
    Toolchain,
    Topology,
)
from threadping.model.reading import FOLLOWING
from threadping.planning.cases import Cases, expand
from threadping.planning.defaults import CaseDefaults, DefaultCase
from threadping.planning.selection import Inventory, Selection
from threadping.probes.runtimes import Described

WAIT = ParamDescription("wait", "spin", ("spin", "pause", "yield"), None, None)
CRITICAL = ParamDescription("critical", 0, None, (0, 1_000_000), None)
FIRSTS = (
    DefaultCase("cas", where=("home", "apart")),
    DefaultCase("condition"),
    DefaultCase("swap", {"wait": "pause"}),
    DefaultCase("condition", where=("unpinned",)),
    DefaultCase("far", where=("apart",)),
)
ASKINGS = {
    "signal": CaseDefaults(threads=2, first=FIRSTS),
    "lock": CaseDefaults(threads=None, first=(DefaultCase("mutex"),)),
    "queue": CaseDefaults(
        threads=2,
        by_role=("producers", "consumers"),
        first=(DefaultCase("queue"), DefaultCase("queue", {"batch": "10"})),
    ),
    "wakeup": CaseDefaults(threads=None, group=2, groups=(16, 1, 256), first=(DefaultCase("futex"),)),
}
ROLES = {
    "signal": ("ping", "pong"),
    "lock": ("contender",),
    "wakeup": ("notifier", "waiter"),
    "queue": ("producer", "consumer"),
    "load": ("sender", "receiver"),
    "barrier": ("coordinator", "worker"),
}


def topology(*cpus: tuple[int | None, int | None, int | None, int | None]) -> Topology:
    """CPUs numbered from 0, each with its core, L2, L3 and node."""
    numbered = tuple(Cpu(number, *shared, shared[-1]) for number, shared in enumerate(cpus))
    return Topology("test", numbered, tuple(range(len(cpus))), SCHEMA)


TWO_CORES = topology((0, 0, 0, 0), (1, 1, 0, 0))


def mechanism(name: str, *, blocking: bool = False, **changes: Any) -> MechanismDescription:
    usual = MechanismDescription(name, blocking, ("round-trip",), True, 1 if blocking else 256, (), None, None)
    return replace(usual, **changes)


def lock(name: str, **changes: Any) -> MechanismDescription:
    return mechanism(name, **{"blocking": True, "timed": ("acquire",), "lines": 8, "params": (CRITICAL,), **changes})


def call(name: str, **changes: Any) -> MechanismDescription:
    return mechanism(name, **{"blocking": True, "timed": ("call", "wake"), **changes})


def queue(name: str, *params: str, **changes: Any) -> MechanismDescription:
    """One with parameters that are 1 unless they are given, or nqueue depth 1."""
    defaults = {param: 0 if param == "depth" else 1 for param in params}
    described = tuple(ParamDescription(param, least, None, (least, 4095), None) for param, least in defaults.items())
    return mechanism(name, **{"timed": ("latency",), "lines": 1, "params": described, **changes})


class Offer(Struct, frozen=True):
    label: str
    experiment: ExperimentDescription


def offer(label: str, *mechanisms: MechanismDescription, experiment: str = "signal") -> Offer:
    roles = tuple(RoleDescription(name, counts=name not in FOLLOWING) for name in ROLES.get(experiment, ()))
    return Offer(label, ExperimentDescription(experiment, roles, (1, 4096), "ns", mechanisms))


def described(*offers: Offer) -> list[Described]:
    found: dict[str, list[ExperimentDescription]] = {}
    for one in offers:
        found.setdefault(one.label, []).append(one.experiment)
    tools = Toolchain("fake", "1", ())
    return [
        Described(Runtime(label, label.split("-")[0], (label,), ""), Description("fake", "1", tools, (*of,), SCHEMA), 0)
        for label, of in found.items()
    ]


def inventory(
    *offers: Offer, machine: Topology = TWO_CORES, case_defaults: Mapping[str, CaseDefaults] = ASKINGS
) -> Inventory:
    timed = {"acquire": "wait for the lock"}
    return Inventory(case_defaults=case_defaults, topology=machine, described=described(*offers), timed=timed)


def ask(
    *offers: Offer,
    machine: Topology = TWO_CORES,
    case_defaults: Mapping[str, CaseDefaults] = ASKINGS,
    of: Sequence[str] = (),
    **selected: Any,
) -> Cases:
    """The cases of these experiments, or of those that are offered."""
    names = tuple(of) or tuple(dict.fromkeys(one.experiment.name for one in offers))
    selection = Selection(experiments=names, **selected)
    return expand(selection, inventory(*offers, machine=machine, case_defaults=case_defaults))


def layers(cases: Cases) -> dict[str, str]:
    return {layer.what: ", ".join(case.title for case in layer.cases) for layer in cases.layers}


def every(cases: Cases) -> list[Case]:
    return [case for layer in cases.layers for case in layer.cases]


def titles(cases: Cases) -> str:
    return ", ".join(layers(cases).values())
