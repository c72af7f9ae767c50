"""Ask a probe what it can measure, and a probe and lscpu what the machine looks like."""

import os
import resource
import time
from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model.cases import Runtime
from threadping.model.characters import plain
from threadping.model.contract import Description, Topology
from threadping.model.errors import FlagRefused, ProbeUnusable
from threadping.model.flags import variables_that_count, without_secrets
from threadping.probes.identity import COMMAND
from threadping.probes.java import ARCHIVE_FLAG, SAFEPOINTS, inherited, own_flags, without_safepoints
from threadping.probes.java_errors import StartAttempt, ignored_flag, refusal, telling_line
from threadping.probes.language import limits_set
from threadping.probes.process import (
    MOST_OUTPUT_BYTES,
    Bounded,
    NotStarted,
    ProcessEnd,
    describe_status,
    run_bounded,
    run_together,
    temporary_folder,
)
from threadping.probes.trial import other_schema

# Seconds for each probe, then for all silent ones together: a JVM takes 0.3 s, one hangs
QUICK_SECONDS, PATIENCE_SECONDS = 2.0, 6.0

# CPU seconds after which a slow probe counts as working, and its extended timeout (e.g. -Xcomp)
WORKING_SECONDS, WORK_SECONDS = 1.0, 30.0
TOPOLOGY_SECONDS = 30.0  # with hundreds of CPUs
M = TypeVar("M", Description, Topology)


class Described(Struct, frozen=True):
    """A runtime whose probe has described itself, and how many seconds its process took for that: its start-up cost."""

    runtime: Runtime
    description: Description
    seconds: float


ANSWERS = {"describe": "description", "topology": "topology"}  # the answer to each word


def describe(runtime: Runtime) -> Described:
    """Start the runtime's probe and ask.

    Raises FlagRefused if its virtual machine refuses or ignores a flag, ProbeUnusable if the probe does not answer as
    the contract says.
    """
    (found,) = describe_each([runtime])
    if isinstance(found, ProbeUnusable):
        raise found
    return found


def describe_each(runtimes: Sequence[Runtime]) -> list[Described | ProbeUnusable]:
    """Ask each runtime's probe; return an error, as of `describe`, in place of a missing answer.

    Each has the machine to itself, for its start-up cost; those that are slow are asked again, all at the same time.
    """
    return [_with_own(one) for one in _describe_programs(runtimes)]


def _describe_programs(runtimes: Sequence[Runtime]) -> list[Described | ProbeUnusable]:
    """Ask each runtime's own program, without the custom mechanisms."""
    asked = [_asked([runtime], "describe", QUICK_SECONDS)[0] for runtime in runtimes]
    worked = _ask_again(runtimes, asked, PATIENCE_SECONDS)
    if worked > WORKING_SECONDS * sum(one.is_silent for one in asked):
        _ask_again(runtimes, asked, WORK_SECONDS)
    return [_described(runtime, one) for runtime, one in zip(runtimes, asked, strict=True)]


def _with_own(one: Described | ProbeUnusable) -> Described | ProbeUnusable:
    """Add the experiments of the runtime's custom mechanisms."""
    if isinstance(one, ProbeUnusable):
        return one
    said, slowest = list(one.description.experiments), one.seconds
    for own in one.runtime.own:
        found = describe_each([replace(one.runtime, label=own.name, command=own.command, own=())])[0]
        if isinstance(found, ProbeUnusable):
            return found
        slowest = max(slowest, found.seconds)
        for new in found.description.experiments:
            place = next((place for place, known in enumerate(said) if known.name == new.name), len(said))
            known = said[place] if place < len(said) else replace(new, mechanisms=())
            said[place : place + 1] = [replace(known, mechanisms=(*known.mechanisms, *new.mechanisms))]
    return replace(one, description=replace(one.description, experiments=tuple(said)), seconds=slowest)


def _ask_again(runtimes: Sequence[Runtime], asked: list["_Asked"], seconds: float) -> float:
    """Ask those that have not answered, at the same time; the CPU time that they took, in seconds."""
    silent = [place for place, one in enumerate(asked) if one.is_silent]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    again = _asked([runtimes[place] for place in silent], "describe", seconds)
    for place, one in zip(silent, again, strict=True):
        asked[place] = one
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class _Asked(Struct, frozen=True):
    """The end of a probe that was asked to describe itself, or why it was not started; and the seconds."""

    ended: ProcessEnd | None
    why: str
    seconds: float

    @property
    def is_silent(self) -> bool:
        return self.ended is not None and self.ended.status is None


def _asked(runtimes: Sequence[Runtime], word: str, seconds: float) -> list[_Asked]:
    if not runtimes:
        return []
    start = time.monotonic()
    try:
        with temporary_folder() as folder:
            ended = run_together([Bounded((*one.command, word), folder, seconds) for one in runtimes])
    except NotStarted as error:
        if len(runtimes) > 1:
            return [_asked([one], word, seconds)[0] for one in runtimes]
        return [_Asked(None, str(error), 0.0)]
    took = time.monotonic() - start
    return [_Asked(one, "", took) for one in ended]


def _described(runtime: Runtime, asked: _Asked) -> Described | ProbeUnusable:
    try:
        description = _answer(runtime, "describe", asked, Description)
    except ProbeUnusable as error:
        refuses_log = asked.ended and asked.ended.status and "-Xlog" in asked.ended.log
        plainer = without_safepoints(runtime) if refuses_log else None
        return _describe_programs([plainer])[0] if plainer else error
    tools = description.toolchain
    flags = (flag for flag in tools.flags if not flag.startswith((ARCHIVE_FLAG, SAFEPOINTS)))  # every one has them
    variables = variables_that_count(os.environ, own_probe=runtime.probe == "probe")
    version = " ".join((tools.name, tools.version, *map(without_secrets, flags), *variables))
    return Described(replace(runtime, version=version), description, asked.seconds)


def read_topology(runtime: Runtime) -> Topology:
    """Ask the C++ probe for the machine's topology."""
    (asked,) = _asked([runtime], "topology", TOPOLOGY_SECONDS)
    return _answer(runtime, "topology", asked, Topology)


def _answer(runtime: Runtime, word: str, asked: _Asked, message: type[M]) -> M:
    ended = asked.ended
    if ended is None:
        raise ProbeUnusable(plain(f"Runtime {runtime.label} cannot be used. {asked.why}"))
    if ignored := ignored_flag(runtime.label, runtime.command, ended.log):
        raise FlagRefused(plain(ignored))
    if ended.status != 0:
        raise _failure(runtime, word, ended)
    # A virtual machine prints what it likes around the message, which is one line.
    line = next((line for line in ended.log.splitlines() if line.startswith("{")), None)
    if line is None:
        raise ProbeUnusable(plain(f"Runtime {runtime.label} answers '{word}' with nothing that can be read."))
    if foreign := other_schema(line):
        raise ProbeUnusable(plain(f"Runtime {runtime.label}: its probe {foreign}"))
    try:
        return msgspec.json.decode(line, type=message)
    except (msgspec.DecodeError, RecursionError) as error:
        unread = f"Runtime {runtime.label} answers '{word}' in words that this threadping cannot read: {error}."
        raise ProbeUnusable(plain(unread)) from error


def _failure(runtime: Runtime, word: str, ended: ProcessEnd) -> ProbeUnusable:
    """Why it does not answer: what its virtual machine says first, or else how it ended."""
    if ended.status and runtime.probe == "java":
        start = StartAttempt(runtime.label, own_flags(runtime), inherited(os.environ), limits_set())
        if refused := refusal(start, ended.log):
            return (FlagRefused if refused.of_flags else ProbeUnusable)(plain(refused.sentence))
    how = f"did not answer within {ended.wall_ns / 1e9:.0f} s"
    how = how if ended.status is None else f"failed ({describe_status(ended.status)})"
    how = f"printed more than {MOST_OUTPUT_BYTES >> 20} MB" if ended.flooded else how
    limits = f" Limited here: {', '.join(limits)}." if (limits := limits_set()) else ""
    said = telling_line(ended.log) or f"it said nothing.{limits}"
    return ProbeUnusable(plain(f"Runtime {runtime.label} {how} when asked for its {ANSWERS[word]}: {said}"))


LSCPU_SECONDS = 5.0


def read_lscpu() -> str:
    """Return the output of lscpu; empty if it is missing or does not answer."""
    try:
        with temporary_folder() as folder:
            ended = run_bounded(("env", "LC_ALL=C", *COMMAND), folder=folder, seconds=LSCPU_SECONDS)
    except NotStarted:
        return ""
    return ended.log if ended.status == 0 else ""
