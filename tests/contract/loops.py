"""The timed loops of each language as they were compiled, each mechanism's by a digest of its instructions.

It sees what the compiler made of a loop and of what is inlined there; not functions that it calls, libraries and the
kernel. Addresses, and the order of the compared operands of an equality, are left aside.
"""

import hashlib
import importlib.machinery
import importlib.util
import re
import subprocess
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from tests.conftest import ROOT
from threadping.contract import Description, ParamDescription, Words
from threadping.grouping import gathered

Digests = Mapping[str, str]
"""By experiment and mechanism: `lock mutex`; by the experiment alone where nothing tells its mechanisms apart."""

OF_LOOPS = {
    **dict.fromkeys(("take_turns", "stamp_turns"), "signal"),
    **dict.fromkeys(("perform", "perform_counted", "perform_timed"), "lock"),
    **dict.fromkeys(("share", "share_timed"), "lock"),
    **dict.fromkeys(("perform_calls", "await_call"), "notify"),
    **dict.fromkeys(("perform_takes", "send_stamped"), "ring"),
    "perform_receives": "paced",
}
"""Of which experiment a loop is, by its function; `perform_sends` is of `paced` where it sends over a link."""

WITH = {"share": " --writers", "share_timed": " --writers"}
"""Loops of their own, which an option brings: they have a digest of their own too, so that the others keep theirs."""

PLANTED = "Planted<"
"""Loops of the instrument's own calibration, which no mechanism is measured by."""

AROUND = re.compile(
    r"Spin|Pause|Rest|Resting|Message|ul|Side|true|false|cold|Guarded|Unguarded|Waiting|SignalLink|QueueLink|TwoSignals"
    r"|Counter|Pair"
)
"""Types and values around a mechanism's own in the name of a loop."""


def _tool(name: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "tools" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    made = importlib.util.module_from_spec(spec)
    loader.exec_module(made)
    return made


def in_cpp(program: Path, said: Description) -> Digests:
    """Those of a C++ probe, by mechanism. AssertionError where a loop is of none that it describes."""
    loops: Mapping[str, list[str]] = _tool("timed-loops").loops_of(str(program))
    known = {one.name: {_flat(each.name): each.name for each in one.mechanisms} for one in said.experiments}
    own = {name: body for name, body in loops.items() if PLANTED not in name}
    return digests((_mechanism_of(name, known), [name, *body]) for name, body in own.items())


def _mechanism_of(loop: str, known: Mapping[str, Mapping[str, str]]) -> str:
    function = loop.partition("<")[0]
    experiment = OF_LOOPS.get(function) or ("paced" if "Link<" in loop else "ring")
    own = [word for word in re.findall(r"[A-Za-z]\w*", loop[len(function) :]) if not AROUND.fullmatch(word)]
    names = (_flat("".join(own)), _flat(own[0]), f"{_flat(own[0])}oneline")
    found = next((known[experiment][name] for name in names if name in known[experiment]), None)
    assert found, f"{loop} is of no mechanism of {experiment}"
    return f"{experiment} {found}{WITH.get(function, '')}"


def _flat(name: str) -> str:
    return name.replace("-", "").lower()


def in_rust(program: Path, said: Description) -> Digests:
    """Those of a Rust probe, by experiment: those that have loops in Rust."""
    words = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", "--wide", str(program)]
    listing = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    of = {one.name for one in said.experiments}
    without_addresses = _tool("timed-loops").without_addresses
    found: list[tuple[str, list[str]]] = []
    body: list[str] | None = None
    for line in listing.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            named = re.match(r"<?threadping::(\w+)::(?:\w+::)?(\w+)::<", head[1])
            is_loop = named and named[1] in of and (named[2] in OF_LOOPS or named[2] == "perform_sends")
            body = [head[1]] if is_loop else None
            if named and body is not None:
                found.append((named[1] + WITH.get(named[2], ""), body))
        elif body is not None and (instruction := re.match(r"\s+([0-9a-f]+):\s+(.*)", line)):
            body.append(instruction[2])
    return digests(
        (experiment, [body[0], *map(_without_offset, without_addresses(body[1:]))]) for experiment, body in found
    )


def _without_offset(instruction: str) -> str:
    """An instruction without the place of a thread's variable, which every further variable moves: a small negative."""
    return re.sub(r"^mov    \$0xfffffffffffff[0-9a-f]{3},", "mov    OF_THREAD,", instruction)


KINDS = {"signal": "signals", "lock": "locks", "ring": "queues"}
"""Where the mechanisms of an experiment are, in Java; `notify` and `paced` have signals, and `paced` queues too."""


def in_java(archive: Path, said: Description) -> Digests:
    """Those of Java's probe, by experiment: the bytecode of its players and of all mechanisms of its concept."""
    with zipfile.ZipFile(archive) as jar:
        classes = [name.removesuffix(".class") for name in jar.namelist() if name.endswith(".class")]
    rooms = {f"threadping/probe/experiments/{one.name}": one.name for one in said.experiments}
    rooms |= {f"threadping/probe/mechanisms/{kind}": experiment for experiment, kind in KINDS.items()}
    mine = sorted(name for name in classes if name.rpartition("/")[0] in rooms)
    words = ["javap", "-c", "-p", "-cp", str(archive), *mine]
    listing = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    each = re.split(r"^Compiled from .*\n", listing, flags=re.MULTILINE)[1:]
    assert len(each) == len(mine)
    return digests(
        (rooms[name.rpartition("/")[0]], [name, *(re.sub(r"#\d+", "#", line) for line in text.splitlines())])
        for name, text in zip(mine, each, strict=True)
    )


OF_LIBRARIES = {("crowd", "blocktime"), ("crowd", "gomp-spins"), ("crowd", "library"), ("crowd", "policy")}
"""Parameters of OpenMP's runtimes, each of those that are here."""


def of_parameters(said: Description, words: Words) -> Digests:
    """Those of what parameters are, and are said to do, by mechanism; whatever of it this machine can do."""

    def told(experiment: str, one: ParamDescription) -> str:
        choices = sorted({*(one.choices or ()), *(choice for choice, _ in one.needs)})
        sentence = words.experiments[experiment].params.get(one.name) if experiment in words.experiments else None
        return repr((one.name, one.default, choices, one.range, one.only_with, sentence))

    def of_each(experiment: str, params: Sequence[ParamDescription]) -> Iterator[str]:
        return (told(experiment, one) for one in params if (experiment, one.name) not in OF_LIBRARIES)

    return digests(
        (f"{experiment.name} {mechanism.name}", sorted(of_each(experiment.name, mechanism.params)))
        for experiment in said.experiments
        for mechanism in experiment.mechanisms
    )


def digests(parts: Iterable[tuple[str, list[str]]]) -> Digests:
    """A digest for each name, of all its parts in the order of their first lines."""
    by_name = gathered((name, "\n".join(lines)) for name, lines in parts)
    return {
        name: hashlib.sha256("\n\n".join(sorted(by_name[name])).encode()).hexdigest()[:16] for name in sorted(by_name)
    }
