"""The tool itself as a probe: a program that starts it once a trial, and says what it printed as the contract has it.

`describe` names its numbers; `run` starts it on the CPUs of the request, reads its number, and writes that as one
window of as many operations as it is of, so that rounds, states, bounds and the store are those of every probe.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from threadping.model.cases import Runtime
from threadping.model.contract import SCHEMA
from threadping.probes.process import die_with
from threadping.studies.like.tools import NotPrinted, Number, Tool, number_in, tools

PATIENCE = 8
"""A tool may take so many times as long as it usually does."""

ROLES = [{"name": "ping", "counts": True}, {"name": "pong", "counts": True}]


def runtime_of(tool: Tool, path: Path) -> Runtime:
    """The runtime that is the tool at this path."""
    command = (sys.executable, "-m", __name__, tool.name, str(path))
    return Runtime(tool.name, "probe", command, str(path))


def describe(tool: Tool, path: str) -> dict[str, Any]:
    """What `describe` answers: a mechanism for each number."""
    mechanisms = [
        {
            "name": one.name,
            "blocking": bool(one.run and one.run.sleeps),
            "timed": ["round-trip"],
            "pinnable": True,
            "lines": 1,
            "params": [],
            "needs": None,
            "words": {"summary": f"{tool.name} itself: {one.times}", "costs": one.contains},
        }
        for one in tool.runs
    ]
    signal = {"name": "signal", "threads": [2, 2], "windows": "ops", "roles": ROLES, "mechanisms": mechanisms}
    made_by = {"name": tool.name, "version": f"as {path}", "flags": []}
    return {"schema": SCHEMA, "probe": tool.name, "version": "1", "toolchain": made_by, "experiments": [signal]}


class Failing(Exception):
    """The tool gave no number: the contract's code, and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        """Say it in the words of the contract."""
        super().__init__(message)
        self.code = code


def output_of(tool: Tool, number: Number, path: str, cpus: Sequence[int], seconds: float) -> str:
    """All that the tool prints; raises Failing where it does not start, ends badly, or does not end."""
    assert number.run
    if cpus:
        os.sched_setaffinity(0, cpus)
    made = [path, *number.run.arguments]
    try:
        done = subprocess.run(
            made,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            errors="replace",
            preexec_fn=partial(die_with, os.getpid()),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failing("stalled", f"{tool.name} had not ended after {seconds:.0f} s, and was killed.") from None
    except OSError as error:
        raise Failing("unsupported", f"{tool.name} cannot be started: {error.strerror}.") from error
    if done.returncode:
        said = next((line.strip() for line in done.stdout.splitlines() if line.strip()), "nothing")
        raise Failing("internal", f"{tool.name} ended with exit status {done.returncode} and said: {said[:200]}.")
    return str(done.stdout)


def result_of(number: Number, request: dict[str, Any], printed: float, cpus: Sequence[int]) -> dict[str, Any]:
    """What `run` writes of a number that was printed: one window of both threads' operations."""
    assert number.run
    half = number.run.operations // 2
    ns = max(1, round(2 * half * number.reading.ns_of(printed)))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = {
        "cpu_ns": int((used.ru_utime + used.ru_stime) * 1e9) // 2,
        "voluntary_switches": used.ru_nvcsw // 2,
        "involuntary_switches": used.ru_nivcsw // 2,
        "migrations": None,
        "minor_faults": used.ru_minflt // 2,
        "major_faults": used.ru_majflt // 2,
    }
    threads = []
    for role, asked in zip(("ping", "pong"), request["threads"], strict=True):
        where = sorted(cpus) if asked["cpu"] is None or request["pin"] == "process" else [asked["cpu"]]
        threads.append({"role": role, "cpus_start": where, "cpus_end": where, **each})
    windows = {"warmup": [False], "line": [0], "kind": ["throughput"], "every": [0], "ns": [ns]}
    looks = {"look_ns": 0, "looks": 0, "interrupts": None, "lacking": ["A tool looks for no causes."], "outliers": []}
    return {
        "schema": SCHEMA,
        "experiment": "signal",
        "mechanism": number.name,
        "threads": threads,
        "managed": None,
        "windows": windows | {"ops": [[half], [half]], "switches": None, "compile_ms": None, "cpus": None},
        "distributions": {
            "round-trip": {"unit": "ns", "values": [], "counts": [], "censored": 0, "negative": 0},
        },
        "machine": {"steal_ns": None, "interrupts": None},
        "counts": {"hand-overs": {"made": 2 * half, "found": 2 * half, "exact": True}},
        "home": {"nodes": None},
        "evidence": request["outliers"] and looks,
        "clock": {"name": "the tool's own", "cost_ns": 0.0, "resolution_ns": 1, "skew": None},
        "warmup": {"ops": 0, "ns": 0, "ended": "limit"},
        "measured": {"ops": 2 * half, "ns": ns, "cut": False},
    }


def run(tool: Tool, path: str, request: dict[str, Any]) -> dict[str, Any]:
    """What came of one trial: a result, or the error of the contract."""
    try:
        number = next((one for one in tool.runs if one.name == request["mechanism"]), None)
        if number is None or number.run is None:
            raise Failing("unknown-mechanism", f"{tool.name} prints no {request['mechanism']}.")
        cpus = [one["cpu"] for one in request["threads"] if one["cpu"] is not None]
        seconds = request["bound_ns"] / 1e9 + PATIENCE * number.run.seconds
        output = output_of(tool, number, path, cpus, seconds)
        print(output, flush=True)  # it is kept as the trial's log
        try:
            printed = number_in(output, number.run.prints)
        except NotPrinted as error:
            what = f"'{path}' is not the {tool.name} that threadping knows"
            raise Failing("unsupported", f"{what}, or another version of it: {error}.") from error
        return result_of(number, request, printed, cpus or sorted(os.sched_getaffinity(0)))
    except Failing as error:
        return {"schema": SCHEMA, "error": {"code": error.code, "message": str(error)}}


def main(arguments: Sequence[str]) -> int:
    """`TOOL PATH describe`, or `TOOL PATH run --request FILE --result FILE --parent PID`."""
    name, path, asked, *rest = arguments
    tool = tools()[name]
    if asked == "describe":
        print(json.dumps(describe(tool, path)))
        return 0
    given = dict(zip(rest[::2], rest[1::2], strict=True))
    die_with(int(given["--parent"]))
    result, part = Path(given["--result"]), Path(given["--result"] + ".part")
    told = run(tool, path, json.loads(Path(given["--request"]).read_text()))
    part.write_text(json.dumps(told))
    part.rename(result)
    return 1 if "error" in told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
