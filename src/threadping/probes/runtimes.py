"""The probes as they can be launched here, those that were asked for, and what each says it can measure."""

import os
import re
import resource
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping import VERSION
from threadping.model.cases import Runtime, Skipped
from threadping.model.contract import Description, MechanismDescription, Topology
from threadping.model.errors import FlagRefused, ProbeUnusable, UnknownName, UsageError
from threadping.model.text import LEFT_OUT, plain, shell_words, variables_that_count, visible, without_secrets
from threadping.probes import machine, process, trial
from threadping.probes.java import JAVA, SAFEPOINTS, inherited, own_flags, without_ours
from threadping.probes.java_errors import ignored_flag, refusal, telling_line
from threadping.probes.language import CPP, OWN_PROBE, RUST, Language, limits_set, probes_folder

# In the order of output: a new one is a folder in probes/, a module, and a line here
LANGUAGES: dict[str, Language] = {"cpp": CPP, "java": JAVA, "rust": RUST, "probe": OWN_PROBE}


class Found(Struct, frozen=True):
    """The usable runtimes in the order of preference, and what is missing or unusable, with the remedy."""

    runtimes: tuple[Runtime, ...]
    missing: tuple[Skipped, ...]

    def defaults(self) -> tuple[Runtime, ...]:
        """Return the default runtimes: C++, one JVM for each Java version, and Rust."""
        return tuple(one for one in self.runtimes if re.fullmatch(LANGUAGES[one.probe].usual, _name(one)))

    def cpp(self) -> Runtime:
        """Return the C++ probe, which also reads the topology and pings CPUs; raise ProbeUnusable if not built."""
        usual = next((runtime for runtime in self.runtimes if runtime.probe == "cpp"), None)
        if usual is None:
            raise ProbeUnusable(
                "The C++ probe, which also reads the machine's topology, is not built. Run `make setup`."
            )
        return usual

    def select(self, asked: Sequence[str]) -> tuple[Runtime, ...]:
        """Return the named runtimes, each once: `cpp`, `java-17 -Xint`, `/opt/jdk`, `go=/my/probe`.

        `java` means every virtual machine, `cpp` the usual build alone. No two have the same label.
        UnknownName with the nearest labels for anything else.
        """
        labelled = {runtime.label: runtime for runtime in self.runtimes}
        selected: dict[str, Runtime] = {}
        for named in chain.from_iterable(map(self._named, asked)):
            runtime = _distinct(replace(named, label=visible(named.label)), labelled)
            selected[runtime.label] = labelled[runtime.label] = runtime
        return tuple(selected.values())

    def _named(self, text: str) -> Sequence[Runtime]:
        words = shell_words("Runtime", text)
        if not words:
            raise UsageError("--runtime must not be empty: `threadping info runtimes` lists the names.")
        name, flags = words[0], words[1:]
        labelled = {called(runtime): [runtime] for called in (_name, attrgetter("label")) for runtime in self.runtimes}
        whole = " ".join(words)
        if (found := labelled.get(whole)) and (whole == _name(found[0]) or LEFT_OUT in whole):
            return found
        language, equals, path = name.partition("=")
        if equals and re.fullmatch(r"[\w.+-]+", language):
            of = LANGUAGES.get(language, OWN_PROBE)
            at = of.at(Path(path).expanduser().absolute())
            named = [replace(at, label=language) if of is OWN_PROBE else at]
        elif "/" in name:
            given = LANGUAGES["java"].at(Path(name).expanduser())
            named = [next((one for one in self.runtimes if one.command[0] == given.command[0]), given)]
        else:
            named = labelled.get(name, [])
        named = named or [runtime for runtime in self.runtimes if runtime.probe == name]
        if not named:
            why = (item.reason for item in self.missing if re.split("[- ]", name)[0] == item.what)
            if reason := next(why, None):
                raise ProbeUnusable(f"Runtime '{name}' cannot be used: {reason}.")
            raise UnknownName("runtime", name, [runtime.label for runtime in self.runtimes])
        return [LANGUAGES[one.probe].with_flags(one, flags) if flags else one for one in named]


def find_runtimes(
    environment: Mapping[str, str], root: Path = Path("/"), probes: Path | None = None, asked: Sequence[str] = ()
) -> Found:
    """Look for the probes and what they need to run; nothing is started but what is asked where its Java home is.

    Where builds alone are `asked` for, as by `--runtime cpp`, no JVM is looked for.
    """
    folder = probes or probes_folder()
    only_builds = asked and all(one.partition(" ")[0] in ("cpp", "rust") for one in asked)
    languages = [one for one in LANGUAGES.values() if not (only_builds and one.compiles)]
    findings = [language.find(environment, root, folder) for language in languages]
    return Found(
        tuple(runtime for runtimes, _ in findings for runtime in runtimes),
        tuple(item for _, missing in findings for item in missing),
    )


def find_cpp(environment: Mapping[str, str]) -> Runtime:
    """Return the C++ probe if no other runtime is needed; raise ProbeUnusable if it is not built."""
    return find_runtimes(environment, asked=("cpp",)).cpp()


def with_jvm_flags(selected: Sequence[Runtime], flags: tuple[str, ...]) -> tuple[Runtime, ...]:
    """Add these flags to each JVM that lacks them; merge equal runtimes."""
    with_them = []
    for runtime in selected:
        missing = tuple(flag for flag in flags if flag not in runtime.command)
        takes = runtime.probe == "java" and missing
        with_them.append(LANGUAGES["java"].with_flags(runtime, missing) if takes else runtime)
    return tuple({runtime.command: runtime for runtime in with_them}.values())


def _name(runtime: Runtime) -> str:
    """Return the word that selects a runtime that was found: of a JVM the first one of its label."""
    return runtime.label.split()[0] if runtime.probe == "java" else runtime.label


def _distinct(runtime: Runtime, labelled: Mapping[str, Runtime]) -> Runtime:
    """Label a runtime uniquely: a number follows its name if another has it."""
    name, blank, flags = runtime.label.partition(" ")
    number = 0
    while True:
        number += 1
        unflagged = name if number == 1 else f"{name}-{number}"
        one = replace(runtime, label=f"{unflagged}{blank}{flags}")
        other = labelled.get(one.label, one)
        # JVMs with the same flags are one runtime, wherever these came from, unless some are not in the label
        alike = one.command[0] == other.command[0] and one.probe == "java" and LEFT_OUT not in other.label
        if alike or one.command == other.command:
            return one


# Seconds for each probe, then for all silent ones together: a JVM takes 0.3 s, one hangs
QUICK_SECONDS, PATIENCE_SECONDS = 2.0, 6.0

# CPU seconds after which a slow probe counts as working, and its extended timeout (e.g. -Xcomp)
WORKING_SECONDS, WORK_SECONDS = 1.0, 30.0
TOPOLOGY_SECONDS = 30.0  # with hundreds of CPUs
LSCPU_SECONDS = 5.0
M = TypeVar("M", Description, Topology)


class Described(Struct, frozen=True):
    """A runtime whose probe has described itself, and how many seconds its process took for that: its start-up cost."""

    runtime: Runtime
    description: Description
    seconds: float

    def mechanisms(self, experiment: str) -> list[MechanismDescription]:
        """Return what its probe has of an experiment, even what it cannot run here."""
        every = self.description.experiments
        return [mechanism for one in every if one.name == experiment for mechanism in one.mechanisms]


ANSWERS = {"describe": "description", "topology": "topology"}  # the answer to each word


def describe(runtime: Runtime) -> Described:
    """Start the runtime's probe and ask; raise FlagRefused for a JVM's flag, else ProbeUnusable."""
    (found,) = describe_each([runtime])
    if isinstance(found, ProbeUnusable):
        raise found
    return found


def describe_each(runtimes: Sequence[Runtime]) -> list[Described | ProbeUnusable]:
    """Ask each runtime's probe; return an error, as of `describe`, in place of a missing answer.

    Each has the machine to itself, for its start-up cost; those that are slow are asked again, all at the same time.
    """
    asked = [_ask([runtime], "describe", QUICK_SECONDS)[0] for runtime in runtimes]
    if any(map(_is_silent, asked)):
        worked = _ask_again(runtimes, asked, PATIENCE_SECONDS)
        if worked > WORKING_SECONDS * sum(map(_is_silent, asked)):
            _ask_again(runtimes, asked, WORK_SECONDS)
    return [_described(runtime, one) for runtime, one in zip(runtimes, asked, strict=True)]


def _with_own(one: Described) -> Described | ProbeUnusable:
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


def _ask_again(runtimes: Sequence[Runtime], asked: list[process.Answered], seconds: float) -> float:
    """Ask those that have not answered, at the same time; the CPU time that they took, in seconds."""
    silent = [place for place, one in enumerate(asked) if _is_silent(one)]
    if not silent:
        return 0.0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    again = _ask([runtimes[place] for place in silent], "describe", seconds)
    for place, one in zip(silent, again, strict=True):
        asked[place] = one
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _is_silent(answered: process.Answered) -> bool:
    return isinstance(answered, process.ProcessEnd) and answered.status is None


def _ask(runtimes: Sequence[Runtime], word: str, seconds: float) -> list[process.Answered]:
    try:
        with process.temporary_folder() as folder:
            return process.run_each([process.Bounded((*one.command, word), folder, seconds) for one in runtimes])
    except process.NotStarted as error:
        return [error] * len(runtimes)


def _described(runtime: Runtime, asked: process.Answered) -> Described | ProbeUnusable:
    try:
        description = _answer(runtime, "describe", asked, Description)
    except ProbeUnusable as error:
        refuses_log = isinstance(asked, process.ProcessEnd) and asked.status and "-Xlog" in asked.log
        plainer = runtime.started_by(lambda command: tuple(word for word in command if word != SAFEPOINTS))
        return describe_each([plainer])[0] if refuses_log and plainer != runtime else error
    tools = description.toolchain
    flags = without_ours(tools.flags)
    variables = variables_that_count(os.environ, own_probe=runtime.probe == "probe")
    version = " ".join((tools.name, tools.version, *map(without_secrets, flags), *variables))
    assert isinstance(asked, process.ProcessEnd)  # or there were no answer
    found = Described(replace(runtime, version=version), description, asked.wall_ns / 1e9)
    return _with_own(found) if runtime.own else found


def read_topology(runtime: Runtime) -> Topology:
    (asked,) = _ask([runtime], "topology", TOPOLOGY_SECONDS)
    return _answer(runtime, "topology", asked, Topology)


def _answer(runtime: Runtime, word: str, ended: process.Answered, message: type[M]) -> M:
    program = runtime.command[0]
    tried = shlex.join((program, "-version" if runtime.probe == "java" else word))
    way_out = f"See what `{tried}` prints, or name another runtime with --runtime."
    if Path(program).parent == probes_folder():
        way_out = "Run `make setup`, or reinstall threadping."
    if isinstance(ended, process.NotStarted):
        raise ProbeUnusable(plain(f"Runtime {runtime.label} cannot be used. {ended}"))
    if ignored := ignored_flag(runtime.label, runtime.command, ended.log):
        raise FlagRefused(plain(ignored))
    if ended.status != 0:
        raise _failure(runtime, word, ended, way_out)
    # A virtual machine prints what it likes around the message, which is one line.
    line = next((line for line in ended.log.splitlines() if line.startswith("{")), None)
    if line is None:
        raise ProbeUnusable(plain(f"Runtime {runtime.label} answers '{word}' with nothing readable. {way_out}"))
    if foreign := trial.other_schema(line):
        raise ProbeUnusable(plain(f"Runtime {runtime.label}: its probe {foreign}"))
    try:
        return msgspec.json.decode(line, type=message)
    except (msgspec.DecodeError, RecursionError) as error:
        unread = f"Runtime {runtime.label} answers '{word}' with a message that this threadping cannot read ({error})."
        raise ProbeUnusable(plain(f"{unread} {way_out}")) from error


def _failure(runtime: Runtime, word: str, ended: process.ProcessEnd, way_out: str) -> ProbeUnusable:
    if ended.status and runtime.probe == "java":
        own, added = own_flags(runtime), inherited(os.environ)
        if refused := refusal(runtime.label, own, added, limits_set(), ended.log):
            return (FlagRefused if refused[1] else ProbeUnusable)(plain(refused[0]))
    how = f"did not answer within {ended.wall_ns / 1e9:.0f} s"
    how = how if ended.status is None else f"failed ({ended.how})"
    how = f"printed more than {process.MOST_OUTPUT_BYTES >> 20} MB" if ended.flooded else how
    limits = f" Limited here: {', '.join(limits)}." if (limits := limits_set()) else ""
    said = f"{line.rstrip('.')}." if (line := telling_line(ended.log)) else f"it said nothing.{limits}"
    failed = f"Runtime {runtime.label} {how} when asked for its {ANSWERS[word]}: {said}"
    return ProbeUnusable(plain(f"{failed} {way_out}"))


def read_lscpu() -> str:
    """Return the output of lscpu; empty if it is missing or does not answer."""
    try:
        with process.temporary_folder() as folder:
            ended = process.run_bounded(("env", "LC_ALL=C", *machine.COMMAND), folder=folder, seconds=LSCPU_SECONDS)
    except process.NotStarted:
        return ""
    return ended.log if ended.status == 0 else ""


def about() -> str:
    """Return the version and the architecture, then the C++ probe: its compiler with flags, and its hwloc.

    No virtual machine is started for it: each takes a third of a second, and `threadping info runtimes` names them all.
    """
    lines = [f"threadping {VERSION} {os.uname().machine}"]
    try:
        cpp = find_cpp(os.environ)
        lines.append(f"C++ probe: {describe(cpp).runtime.version}; {read_topology(cpp).source}")
    except ProbeUnusable as unusable:
        lines.append(str(unusable))
    return "\n".join(lines)
