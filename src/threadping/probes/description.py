"""Ask a probe what it can measure, and a probe and lscpu what the machine looks like."""

import time
from typing import TypeVar

import msgspec
from msgspec import Struct

from threadping.contract import Description, Topology
from threadping.errors import FlagRefused, ProbeUnusable
from threadping.machine.identity import COMMAND
from threadping.model import Runtime
from threadping.probes.class_archives import ARCHIVE_FLAG
from threadping.probes.java import SAFEPOINTS
from threadping.probes.process import NotStarted, describe_status, run_bounded, temporary_folder
from threadping.probes.refusals import ignored_flag, refused_flag
from threadping.probes.trial import other_schema

PATIENCE_SECONDS = 30.0
M = TypeVar("M", Description, Topology)


class Described(Struct, frozen=True):
    """A runtime whose probe has described itself, and how many seconds its process took for that: its start-up cost."""

    runtime: Runtime
    description: Description
    seconds: float


def describe(runtime: Runtime) -> Described:
    """Start the runtime's probe and ask.

    Raises FlagRefused if its virtual machine refuses or ignores a flag, ProbeUnusable if the probe does not answer as
    the contract says.
    """
    start = time.monotonic()
    description = _ask(runtime, "describe", Description)
    seconds = time.monotonic() - start
    tools = description.toolchain
    flags = (flag for flag in tools.flags if not flag.startswith((ARCHIVE_FLAG, SAFEPOINTS)))  # every one has them
    version = " ".join((tools.name, tools.version, *flags))
    return Described(msgspec.structs.replace(runtime, version=version), description, seconds)


def read_topology(runtime: Runtime) -> Topology:
    """Ask the C++ probe for the machine's topology."""
    return _ask(runtime, "topology", Topology)


def _ask(runtime: Runtime, word: str, message: type[M]) -> M:
    try:
        with temporary_folder() as folder:
            ended = run_bounded((*runtime.command, word), folder=folder, seconds=PATIENCE_SECONDS)
    except NotStarted as error:
        raise ProbeUnusable(f"Runtime {runtime.label} cannot be used. {error}") from error
    refusal = ignored_flag(runtime.label, runtime.command, ended.log)
    if ended.status not in (0, None):
        refusal = refusal or refused_flag(runtime.label, ended.log)
    if refusal:
        raise FlagRefused(refusal)
    lines = [line for line in ended.log.splitlines() if line.strip()]
    if ended.status != 0:
        how = "did not answer" if ended.status is None else f"failed ({describe_status(ended.status)})"
        said = lines[-1] if lines else "it said nothing."
        raise ProbeUnusable(f"Runtime {runtime.label} {how} when asked to {word}: {said}")
    # A virtual machine prints what it likes around the message, which is one line.
    line = next((line for line in lines if line.startswith("{")), None)
    if line is None:
        raise ProbeUnusable(f"Runtime {runtime.label} answers '{word}' with nothing that can be read.")
    if foreign := other_schema(line):
        raise ProbeUnusable(f"Runtime {runtime.label}: its probe {foreign}")
    try:
        return msgspec.json.decode(line, type=message)
    except (msgspec.DecodeError, RecursionError) as error:
        unread = f"Runtime {runtime.label} answers '{word}' in words that this threadping cannot read: {error}."
        raise ProbeUnusable(unread) from error


LSCPU_SECONDS = 5.0


def read_lscpu() -> str:
    """What it prints; nothing where it is not there, or does not answer."""
    try:
        with temporary_folder() as folder:
            ended = run_bounded(("env", "LC_ALL=C", *COMMAND), folder=folder, seconds=LSCPU_SECONDS)
    except NotStarted:
        return ""
    return ended.log if ended.status == 0 else ""
