"""The identity of this machine: from /proc, /sys, /etc and lscpu's output, without starting a process."""

import platform
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path, PurePosixPath

from msgspec import DecodeError, Struct, json

from threadping.model.contract import Topology
from threadping.model.run import Machine

COMMAND = ("lscpu", "-J")  # with LC_ALL=C, because it translates the names of its fields


class _Field(Struct):
    field: str
    data: str | None
    children: tuple["_Field", ...] = ()


class _Output(Struct):
    lscpu: tuple[_Field, ...]


def cpu_fields(stdout: str) -> dict[str, str]:
    """Read the fields by name, however deep they lie; none where this is not what lscpu writes.

    Older versions write one list, newer ones a tree. A field that is there several times, such as the name of each kind
    of core, has its distinct values joined by `+`.
    """
    try:
        entries = json.decode(stdout, type=_Output).lscpu
    except (DecodeError, UnicodeError):
        return {}
    found: dict[str, dict[str, None]] = {}
    for name, value in _flat(entries):
        found.setdefault(name, {})[value] = None
    return {name: " + ".join(values) for name, values in found.items()}


def _flat(entries: Iterable[_Field]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.data and entry.data != "-":  # a dash is what it writes for a core that it cannot name
            yield entry.field.removesuffix(":"), " ".join(entry.data.split())
        yield from _flat(entry.children)


MOUNTS_V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
UNNAMED = "hypervisor unknown"  # a hypervisor that shows its presence alone


def describe_machine(topology: Topology, lscpu: str, root: Path = Path("/")) -> Machine:
    """Describe this machine; what it does not tell is None.

    Args:
        topology: its CPUs.
        lscpu: what `lscpu -J` wrote, empty where it could not be asked.
        root: the folder below which its files are.
    """
    cpu, cpuinfo = cpu_fields(lscpu), keyed_lines(text_of(root, "/proc/cpuinfo"), ":")
    models = " + ".join(" ".join(name.split()) for name in cpuinfo.get("model name", ()) if name)
    flags = " ".join([cpu.get("Flags", ""), *cpuinfo.get("flags", ())]).split()
    system = text_of(root, "/proc/sys/kernel/ostype") or platform.system()
    release = text_of(root, "/proc/sys/kernel/osrelease") or platform.release()
    is_realtime = "PREEMPT_RT" in (text_of(root, "/proc/sys/kernel/version") or "").split()
    kib = keyed_lines(text_of(root, "/proc/meminfo"), ":").get("MemTotal", [""])[0].split()
    cpus = "/sys/devices/system/cpu"
    governors = {text_of(root, f"{cpus}/cpu{cpu}/cpufreq/scaling_governor") for cpu in topology.allowed}
    idle = f"{cpus}/cpu{topology.allowed[0]}/cpuidle"
    idle_states = (text_of(root, f"{idle}/state{place}/name") or "" for place in count())
    return Machine(
        hostname=text_of(root, "/proc/sys/kernel/hostname") or platform.node() or "unknown",
        cpu_model=cpu.get("Model name") or models or None,
        kernel=f"{system} {release}{' PREEMPT_RT' if is_realtime else ''}",
        os=_os(root),
        hypervisor=cpu.get("Hypervisor vendor") or (UNNAMED if "hypervisor" in flags else None),
        governor=", ".join(sorted(filter(None, governors))) or None,
        clock_source=text_of(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        cpu_quota=_cpu_quota(root),
        memory_bytes=int(kib[0]) * 1024 if kib and kib[0].isdecimal() else None,
        topology=topology,
        idle_states=tuple(takewhile(bool, idle_states)),
    )


def _os(root: Path) -> str | None:
    """Return the pretty name of os-release(5), unquoted as a shell would."""
    release = keyed_lines(text_of(root, "/etc/os-release") or text_of(root, "/usr/lib/os-release"), "=")
    quoted = (release.get("PRETTY_NAME") or release.get("NAME") or [""])[0]
    try:
        return " ".join(shlex.split(quoted)) or None
    except ValueError:
        return quoted


def _cpu_quota(root: Path) -> float | None:
    """Return the smallest quota of this process's control group and of its parents, in CPUs; None is unlimited."""
    v1 = group_pairs("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us", root)
    limits = [*group_texts("/cpu.max", root), *(f"{quota} {period}" for quota, period in v1)]
    # `200000 100000` is two CPUs; `max 100000` and a quota of -1 are unlimited
    numbers = ([int(word) for word in (limit or "").split()[:2] if word.isdecimal()] for limit in limits)
    return min((both[0] / both[1] for both in numbers if len(both) == 2 and both[1]), default=None)


def group_texts(file: str, root: Path = Path("/")) -> Iterator[str | None]:
    """Yield the content of a file of this process's control group and of its parents; None if missing.

    Args:
        file: its name behind that of its controller: `cpu/cpu.stat` of version 1, `/cpu.stat` of version 2.
        root: the folder below which the system's files are.
    """
    controller, _, name = file.partition("/")
    for line in (text_of(root, "/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controller:
            mounts: Sequence[str] = MOUNTS_V2
        elif number != "0" and controller and controller in controllers.split(","):
            mounts = tuple(dict.fromkeys((f"/sys/fs/cgroup/{controllers}", f"/sys/fs/cgroup/{controller}")))
        else:
            continue
        # A container may see its group at the root whatever its path says
        path = PurePosixPath("/", *(part for part in PurePosixPath(group).parts if part not in ("/", "..")))
        for level in (path, *path.parents):
            folder = "" if str(level) == "/" else str(level)
            yield from (text_of(root, f"{mount}{folder}/{name}") for mount in mounts)


def group_pairs(one: str, other: str, root: Path) -> Iterator[tuple[str | None, str | None]]:
    """Yield the contents of two files of one controller, group by group."""
    return zip(group_texts(one, root), group_texts(other, root), strict=True)


def text_of(root: Path, path: str) -> str | None:
    """Return a file's text without surrounding blanks and NULs; None if missing, unreadable or empty."""
    try:
        content = (root / path.lstrip("/")).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return content.strip(" \t\r\n\0") or None


def keyed_lines(content: str | None, separator: str) -> dict[str, list[str]]:
    """Parse `key separator value` lines: the values by key, each once, in order."""
    found: dict[str, list[str]] = {}
    for line in (content or "").splitlines():
        key, separated, value = line.partition(separator)
        if separated and value.strip() not in (values := found.setdefault(key.strip(), [])):
            values.append(value.strip())
    return found


def group_limits(files: Mapping[str, Sequence[str]], root: Path = Path("/")) -> dict[str, int]:
    """Return the smallest limits of this process's control group and of its parents, by their names.

    Args:
        files: for each, the files that say it, by the name of their controller: `memory/memory.limit_in_bytes`.
        root: the folder below which the system's files are.
    """
    found: dict[str, int] = {}
    for name, paths in files.items():
        said = (text for path in paths for of in (f"/{path.partition('/')[2]}", path) for text in group_texts(of, root))
        if limits := [int(text) for text in said if text and text.isdecimal()]:
            found[name] = min(limits)
    return found
