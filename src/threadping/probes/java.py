"""The Java probe under each virtual machine of this machine, and what tells these apart."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from threadping.errors import UsageError
from threadping.flags import LEFT_OUT, without_secrets
from threadping.model.cases import Runtime, Skipped
from threadping.probes.class_archives import ARCHIVE_FLAG, flagged, with_class_archive
from threadping.probes.jvms import Jvm, find_jvms, home_of, read_jvm
from threadping.probes.language import Findings, Language, label, probes_folder

OLDEST_MAJOR = 17
SAFEPOINTS = "-Xlog:safepoint=info:file=safepoints.log:timenanos"
"""When all threads were stopped, by the clock that is measured with; into the trial's folder, for the probe to read."""

BEFORE, BEHIND = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"), ("_JAVA_OPTIONS",)
"""Variables whose flags a virtual machine reads before those of its command, and behind them. The last flag counts."""

MOST_INHERITED = 40
"""So many characters of flags that the environment adds stand in a label, which names a column."""

JAR, NATIVE = "threadping-probe.jar", "threadping-probe-jni.so"
"""The probe, and the C++ platform code that it reaches from beside it."""

NO_JVM = (
    "no Java virtual machine was found. Install one (Debian: apt-get install openjdk-17-jre-headless; without root: "
    "pip install 'threadping[java]') or set JAVA_HOME; C++ is measured without it"
)


def _find(environment: Mapping[str, str], root: Path, probes: Path) -> Findings:
    jvms, silent = find_jvms(environment, root)
    if not jvms:
        return [], [*silent, Skipped("java", NO_JVM)]
    if missing := [name for name in (JAR, NATIVE) if not (probes / name).exists()]:
        remedy = "Install a JDK and Maven, and build again (in a clone: `make setup`)"
        return [], [Skipped("java", f"its probe is not built: '{missing[0]}' is missing. {remedy}")]
    usable = [jvm for jvm in jvms if jvm.major >= OLDEST_MAJOR]
    too_old = [Skipped(str(jvm.home), _too_old(jvm)) for jvm in jvms if jvm not in usable]
    if not usable:  # whoever asks for Java is told
        too_old = [Skipped("java", f"{one.what}: {one.reason}") for one in too_old]
    found = [_runtime(name, jvm, probes / JAR) for name, jvm in _labelled(usable)]
    return [_as_it_starts(runtime, environment) for runtime in found], [*silent, *too_old]


def _too_old(jvm: Jvm) -> str:
    if jvm.major:
        return f"Java {jvm.major} is too old: {OLDEST_MAJOR} is the oldest"
    return f"neither its file `release` nor its launcher says which version it is; {OLDEST_MAJOR} is the oldest"


def _labelled(jvms: Sequence[Jvm]) -> list[tuple[str, Jvm]]:
    """Label the first of a version `java-17`, another by its vendor, and one more of that vendor by a number."""
    labels: dict[str, Jvm] = {}
    for jvm in jvms:
        plain = f"java-{jvm.major}"
        by_vendor = f"{plain}-{jvm.vendor}"
        numbered = (f"{by_vendor}-{number}" for number in range(2, len(jvms) + 2))
        labels[next(name for name in (plain, by_vendor, *numbered) if name not in labels)] = jvm
    return list(labels.items())


def _runtime(name: str, jvm: Jvm, jar: Path) -> Runtime:
    return Runtime(name, "java", (str(jvm.java), SAFEPOINTS, "-jar", str(jar)), f"{jvm.vendor} {jvm.major}")


def _as_it_starts(runtime: Runtime, environment: Mapping[str, str]) -> Runtime:
    """The runtime under a label that says all its flags, those that its environment adds included."""
    name, own = runtime.label.split()[0], own_flags(runtime)
    before, behind = (_inherited(environment, variables, own) for variables in (BEFORE, BEHIND))
    return replace(runtime, label=" ".join([label(name, (*before,)), *map(without_secrets, own), *behind]))


def _inherited(environment: Mapping[str, str], variables: Sequence[str], own: Sequence[str]) -> list[str]:
    """The flags that these variables add to its own, as a label shows them: some, and a digest of all, if too long."""
    found = dict.fromkeys(flag for name in variables for flag in inherited(environment).get(name, ()))
    shown = [without_secrets(flag) for flag in found if flag not in own and _makes_another(flag)]
    fitting = [flag for place, flag in enumerate(shown) if len(" ".join(shown[: place + 1])) <= MOST_INHERITED]
    if len(fitting) == len(shown):
        return shown
    digest = hashlib.sha256(" ".join(shown).encode()).hexdigest()[:4]
    return [*fitting, f"{LEFT_OUT}+{len(shown) - len(fitting)}:{digest}"]


def _makes_another(flag: str) -> bool:
    """Whether a virtual machine with this flag is another one: a property that some program reads does not make it so.

    The exceptions are those whose value is shown.
    """
    return not flag.startswith("-D") or (LEFT_OUT not in without_secrets(flag) and "=" in flag)


def options_in(variable: str) -> list[str]:
    """The flags in such a variable, as HotSpot reads them: between blanks, unless these are quoted."""
    words = re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", variable)
    return [re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda found: found[1] or found[2] or "", word) for word in words]


def inherited(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """The flags that the environment adds to every virtual machine, by the variable that has them."""
    return {name: flags for name in (*BEFORE, *BEHIND) if (flags := options_in(environment.get(name, "")))}


def own_flags(runtime: Runtime) -> tuple[str, ...]:
    """The flags that were asked for, of a virtual machine's command."""
    return tuple(
        flag
        for flag in runtime.command[1 : runtime.command.index("-jar")]
        if flag != SAFEPOINTS and not flag.startswith(ARCHIVE_FLAG)
    )


def without_safepoints(runtime: Runtime) -> Runtime | None:
    """The runtime without the log of its safepoints, which some do not know; None if it has none."""
    plainer = runtime.started_by(lambda command: tuple(word for word in command if word != SAFEPOINTS))
    return None if plainer == runtime else plainer


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    return _as_it_starts(flagged(runtime, *flags), os.environ)


def _at(path: Path) -> Runtime:
    """The virtual machine at a path that the user gave: its home, or its launcher."""
    launcher = path / "bin" / "java" if path.is_dir() else path
    if not launcher.is_file():
        raise UsageError(f"No Java virtual machine at '{path}': it is neither a Java home nor a java launcher.")
    home = home_of(launcher)
    if home is None:
        raise UsageError(f"No Java virtual machine at '{path}': its launcher does not say which Java it starts.")
    jvm = read_jvm(home)
    if jvm.major < OLDEST_MAJOR:
        raise UsageError(
            f"The Java at '{path}' is version {jvm.major or 'unknown'}; {OLDEST_MAJOR} is the oldest that runs."
        )
    return _as_it_starts(_runtime(f"java-{jvm.major}-{jvm.vendor}", jvm, probes_folder() / JAR), os.environ)


JAVA = Language(
    find=_find,
    name=lambda runtime: runtime.label.split()[0],
    usual=r"java-\d+",
    with_flags=_with_flags,
    at=_at,
    prepare=with_class_archive,
    compiles=True,
)
