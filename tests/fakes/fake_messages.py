"""The parts that all results of the fake probe are made of, and messages as text."""

from __future__ import annotations

from tests.fakes.fake_description import FOLLOWING, topology

TYPE_CHECKING = False  # it starts hundreds of times: imports would take longer than all that it does
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Message = dict[str, Any]
    Window = tuple[int, str, int, list[int]]


def thread(request: Message, role: str, cpu: int | None, cpu_ns: int) -> Message:
    named = sorted({thread["cpu"] for thread in request["threads"] if thread["cpu"] is not None})
    cpus = topology()["allowed"] if cpu is None else named if request["pin"] == "process" else [cpu]
    zeros = dict.fromkeys(
        ("voluntary_switches", "involuntary_switches", "migrations", "minor_faults", "major_faults"), 0
    )
    return {"role": role, "cpus_start": cpus, "cpus_end": cpus, "cpu_ns": cpu_ns, **zeros}


def result_of(
    request: Message, roles: list[str], cpu_ns: int, windows: list[Window], every: int = 1, **figures: Any
) -> Message:
    """A result of these windows: line, kind, length, and the operations of each thread."""
    line, kind, ns, ops = (list(column) for column in zip(*windows, strict=True))
    standing = zip(roles, request["threads"], strict=True)
    counted = [done for each in ops for role, done in zip(roles, each, strict=True) if role not in FOLLOWING]
    return {
        "schema": 4,
        "experiment": request["experiment"],
        "mechanism": request["mechanism"],
        "threads": [thread(request, role, one["cpu"], cpu_ns) for role, one in standing],
        "home": {"nodes": [0]},
        "clock": {"name": "fake", "cost_ns": 20.0, "resolution_ns": 1, "skew": None},
        "warmup": {"ops": 1000, "ns": 1000, "ended": "steady"},
        "measured": {"ops": sum(counted), "ns": sum(ns), "cut": False},
        "machine": {"steal_ns": 0, "interrupts": 0},
        "managed": None,
        "windows": {
            "warmup": [False] * len(line),
            "line": line,
            "kind": kind,
            "every": [every if one == "sampling" else 0 for one in kind],
            "ns": ns,
            "ops": [list(one) for one in zip(*ops, strict=True)],
            "switches": None,
            "compile_ms": None,
        },
        "evidence": evidence([]) if request["outliers"] else None,
        **figures,
    }


def evidence(outliers: list[Message]) -> Message:
    return {"look_ns": 700.0, "looks": 12, "interrupts": "trace-points", "lacking": [], "outliers": outliers}


SEEN: dict[str, Message] = {
    "migrated": {"cpu_before": 1, "involuntary_switches": 1, "run_delay_ns": 90_000},
    "preempted": {"involuntary_switches": 1, "run_delay_ns": 90_000},
    "page-fault": {"minor_faults": 3},
    "scheduler-delay": {"run_delay_ns": 60_000},
    "stolen": {"cpu_ns": 30_000},
    "idle-cpu": {"others_woken": True},
    "interrupts": {"interrupts": 2},
    "unknown": {},
}


def outlier(of: str, thread: int, at_ns: int, ns: int, seen: Message) -> Message:
    """One around which this was seen, and nothing else."""
    counts = ("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults", "interrupts")
    quiet = {"ns": ns, "cpu_before": 0, "cpu": 0, "cpu_ns": ns, "run_delay_ns": 0, "others_run_delay_ns": 0}
    whole = {**quiet, **dict.fromkeys(counts, 0), **seen}
    return {"of": of, "thread": thread, "at_ns": at_ns, "ns": ns, "seen": whole}


def counted(values: Iterable[int]) -> Message:
    found: dict[int, int] = {}
    for value in sorted(values):
        found[value] = found.get(value, 0) + 1
    return distribution(found)


def distribution(counts: dict[int, int], unit: str = "ns") -> Message:
    return {"unit": unit, "values": list(counts), "counts": list(counts.values()), "censored": 0, "negative": 0}


def dumps(value: object) -> str:
    match value:
        case dict():
            return f"{{{','.join(f'{dumps(name)}:{dumps(one)}' for name, one in value.items())}}}"
        case list() | tuple():
            return f"[{','.join(map(dumps, value))}]"
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
    return repr(value)


def loads(text: str) -> Any:
    return eval(text, {"null": None, "true": True, "false": False})  # what JSON and Python share


def read(file: str) -> str:
    with open(file) as text:
        return text.read()


def write(file: str, text: str) -> None:
    with open(file, "w") as written:
        written.write(text)
