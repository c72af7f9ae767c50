"""Languages whose probes are programs: where they are, their flags, and their limits."""

import os
import resource
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import msgspec
from msgspec import Struct

from threadping.model.cases import Runtime, Skipped
from threadping.model.contract import Words
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.model.quantities import memory
from threadping.model.text import without_secrets
from threadping.probes.machine import group_limits

# Usable runtimes in the order of preference, and missing or unusable ones, with remedies
Findings = tuple[list[Runtime], list[Skipped]]


# Is called before a preparation that takes time; None uses only what is prepared already
Making = Callable[[Runtime], None] | None


class Language(Struct, frozen=True, kw_only=True):
    """The probe of a language: how it is found and launched; `probe` of a Runtime names it."""

    # looks for its runtimes, given the environment, the root of the file system, and the folder of the probes; no probe
    # is started
    find: Callable[[Mapping[str, str], Path, Path], Findings]
    usual: str  # the pattern of the labels that are measured when nothing is asked for
    # a runtime with flags behind those that it has; UsageError where it takes none
    with_flags: Callable[[Runtime, tuple[str, ...]], Runtime]
    at: Callable[[Path], Runtime]  # the runtime at a path that a user gave; UsageError for what is no such thing
    # the runtime as it starts soonest, given a folder of the cache, telling before it takes time; None: unchanged
    prepare: Callable[[Runtime, Path, Making], Runtime] | None = None
    compiles: bool = False  # whether it compiles as it runs, so that its trials must be long
    # whether it comes after the others if no runtime is named: it does not fit into a first minute
    further: bool = False


def probes_folder() -> Path:
    """Return the folder of the probes: in this package, or in THREADPING_PROBES."""
    return Path(os.environ.get("THREADPING_PROBES") or Path(__file__).parent.parent / "_probes").absolute()


def label(name: str, flags: tuple[str, ...]) -> str:
    return " ".join([name, *map(without_secrets, flags)])


BYTES = {
    "ulimit -v": resource.RLIMIT_AS,
    "ulimit -d": resource.RLIMIT_DATA,
    "ulimit -f": resource.RLIMIT_FSIZE,
}
NUMBERS = {"ulimit -u": resource.RLIMIT_NPROC, "ulimit -n": resource.RLIMIT_NOFILE}
FEW = 1024  # a lower limit of processes or files may be too low: usual ones are higher
GROUP_BYTES = {"memory.max": ("memory/memory.max", "memory/memory.limit_in_bytes")}
GROUP_NUMBERS = {"pids.max": ("pids/pids.max",)}


def limits_set(root: Path = Path("/")) -> list[str]:
    """Each limit that is set, with its value: `ulimit -v 1.5 GB`, `pids.max 24`."""
    of_process = {name: resource.getrlimit(kind)[0] for name, kind in {**BYTES, **NUMBERS}.items()}
    found = [f"{name} {memory(of_process[name])}" for name in BYTES if of_process[name] != resource.RLIM_INFINITY]
    found += [f"{name} {of_process[name]}" for name in NUMBERS if 0 <= of_process[name] < FEW]
    unlimited = 1 << 60  # what the first kind of control groups writes for no limit is a little less than 2^63
    of_group = group_limits(GROUP_BYTES, root).items()
    found += [f"{name} {memory(limit)}" for name, limit in of_group if limit < unlimited]
    return found + [f"{name} {limit}" for name, limit in group_limits(GROUP_NUMBERS, root).items()]


def _find_builds(
    language: str, builds: Mapping[str, str], remedy: str, _environment: Mapping[str, str], _root: Path, probes: Path
) -> Findings:
    """Find these builds of a language's probe, files by label; the first is missing if it is not built."""
    there = {name: probes / file for name, file in builds.items() if (probes / file).exists()}
    found = [Runtime(name, language, (str(file),), "") for name, file in there.items()]
    missing = Skipped(language, f"its probe is not built: '{builds[language]}' is missing. {remedy}")
    return found, [] if language in there else [missing]


def _program_at(language: str, path: Path) -> Runtime:
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise UsageError(f"No probe at '{path}': name a program that can be run, as --runtime NAME=PATH.")
    return Runtime(path.name, language, (str(path),), "")


NATIVE_FLAGS = ("-march=native",)
CPP_BUILDS = {"cpp": "threadping-probe", label("cpp", NATIVE_FLAGS): "threadping-probe-native"}


def _refuse_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    refused = f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given"
    if runtime.probe == "probe":
        raise UsageError(f"{refused}: it is a program of your own. Name a script that starts it with them.")
    if runtime.probe == "cpp" and flags == NATIVE_FLAGS:
        raise UsageError(f"Runtime '{label('cpp', flags)}' cannot be used: its probe is not built. Run `make native`.")
    built = f", usually and with {' '.join(NATIVE_FLAGS)}" if runtime.probe == "cpp" else ""
    raise UsageError(f"{refused}. It is a program that is built already{built}.")


CPP = Language(
    find=partial(_find_builds, "cpp", CPP_BUILDS, "Run `make setup`"),
    usual="cpp",
    with_flags=_refuse_flags,
    at=partial(_program_at, "cpp"),
)

RUST_REMEDY = (
    "Install Rust with rustup, and build again (in a clone: `make setup`; where it fails build/probe-rust.log says why)"
)
RUST = Language(
    find=partial(_find_builds, "rust", {"rust": "threadping-probe-rust"}, RUST_REMEDY),
    usual="rust",
    with_flags=_refuse_flags,
    at=partial(_program_at, "rust"),
    further=True,
)

OWN_PROBE = Language(
    find=lambda _environment, _root, _probes: ([], []),
    usual=r"(?!)",
    with_flags=_refuse_flags,
    at=partial(_program_at, "probe"),
)


def words() -> Words:
    """Read words.json; raise ProbeUnusable, with the remedy, if it is missing or invalid."""
    return _read(probes_folder() / "words.json")


@cache
def _read(file: Path) -> Words:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Words)
    except (OSError, msgspec.DecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ProbeUnusable(f"'{file}' cannot be read: {why}. Run `make setup`, or reinstall threadping.") from error
