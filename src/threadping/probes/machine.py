"""The machine by its files: its identity, its load, and the settings that bear on latency, subject by subject.

A sign has a name and a value, a number or a text. What a machine does not tell is not there, and its subject is named
among those that were not looked at. No process is started for it.
"""

import os
import re
import resource
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path, PurePosixPath
from threading import Thread

from threadping.model.contract import Topology
from threadping.model.run import Machine

COMMAND = ("lscpu",)  # with LC_ALL=C, because it translates the names of its fields


def _joined(fields: Mapping[str, Sequence[str]], name: str) -> str:
    """Join the distinct values of a field, such as the name of each kind of core; lscpu's dash is no name."""
    return " + ".join(" ".join(value.split()) for value in fields.get(name, ()) if value not in ("", "-"))


CPU, KERNEL, HUGE_PAGES = "/sys/devices/system/cpu", "/proc/sys/kernel", "/sys/kernel/mm/transparent_hugepage"
CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
MOUNTS_V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
UNNAMED = "hypervisor unknown"  # a hypervisor that shows its presence alone


def describe_machine(topology: Topology, lscpu: str, root: Path = Path("/")) -> Machine:
    """Describe this machine from the files below `root` and what `lscpu` wrote; None for unknown fields."""
    cpu, cpuinfo = keyed_lines(lscpu, ":"), keyed_lines(text_of(root, "/proc/cpuinfo"), ":")
    flags = " ".join([*cpu.get("Flags", ()), *cpuinfo.get("flags", ())]).split()
    system = text_of(root, "/proc/sys/kernel/ostype") or os.uname().sysname
    release = text_of(root, "/proc/sys/kernel/osrelease") or os.uname().release
    is_realtime = "PREEMPT_RT" in (text_of(root, "/proc/sys/kernel/version") or "").split()
    kib = keyed_lines(text_of(root, "/proc/meminfo"), ":").get("MemTotal", [""])[0].split()
    governors = {text_of(root, f"{CPU}/cpu{cpu}/cpufreq/scaling_governor") for cpu in topology.allowed}
    idle = f"{CPU}/cpu{topology.allowed[0]}/cpuidle"
    idle_states = (text_of(root, f"{idle}/state{place}/name") or "" for place in count())
    return Machine(
        hostname=text_of(root, "/proc/sys/kernel/hostname") or os.uname().nodename or "unknown",
        cpu_model=_joined(cpu, "Model name") or _joined(cpuinfo, "model name") or None,
        kernel=f"{system} {release}{' PREEMPT_RT' if is_realtime else ''}",
        os=_os(root),
        hypervisor=_joined(cpu, "Hypervisor vendor") or (UNNAMED if "hypervisor" in flags else None),
        governor=", ".join(sorted(filter(None, governors))) or None,
        clock_source=text_of(root, CLOCK_SOURCE),
        cpu_quota=_cpu_quota(root),
        memory_bytes=int(kib[0]) * 1024 if kib and kib[0].isdecimal() else None,
        topology=topology,
        idle_states=tuple(takewhile(bool, idle_states)),
    )


def _os(root: Path) -> str | None:
    release = keyed_lines(text_of(root, "/etc/os-release") or text_of(root, "/usr/lib/os-release"), "=")
    quoted = (release.get("PRETTY_NAME") or release.get("NAME") or [""])[0]
    try:
        return " ".join(shlex.split(quoted)) or None
    except ValueError:
        return quoted


def _cpu_quota(root: Path) -> float | None:
    """Return the smallest quota of this process's control group and of its parents, in CPUs; None is unlimited."""
    v1 = zip(*(group_texts(f"cpu/cpu.cfs_{one}_us", root) for one in ("quota", "period")), strict=True)
    limits = [*group_texts("/cpu.max", root), *(f"{quota} {period}" for quota, period in v1)]
    # `200000 100000` is two CPUs; `max 100000` and a quota of -1 are unlimited
    numbers = ([int(word) for word in (limit or "").split()[:2] if word.isdecimal()] for limit in limits)
    return min((both[0] / both[1] for both in numbers if len(both) == 2 and both[1]), default=None)


def group_texts(file: str, root: Path = Path("/")) -> Iterator[str | None]:
    """Yield `controller/file` of this process's control group and its parents; version 2 has no controller."""
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


def text_of(root: Path, path: str) -> str | None:
    """Return a file's text without surrounding blanks and NULs; None if missing, unreadable or empty."""
    try:
        with open(f"{root}/{path}", "rb") as file:  # noqa: PTH123  # at each trial: a Path takes twice as long
            return file.read().decode("utf-8", "replace").strip(" \t\r\n\0") or None
    except OSError:
        return None


def keyed_lines(content: str | None, separator: str) -> dict[str, list[str]]:
    """Parse `key separator value` lines: the values by key, each once, in order."""
    found: dict[str, list[str]] = {}
    for line in (content or "").splitlines():
        key, separated, value = line.partition(separator)
        if separated and value.strip() not in (values := found.setdefault(key.strip(), [])):
            values.append(value.strip())
    return found


def group_limits(files: Mapping[str, Sequence[str]], root: Path = Path("/")) -> dict[str, int]:
    """Return the smallest limit of this control group and its parents, by name, from `controller/file` each."""
    found: dict[str, int] = {}
    for name, paths in files.items():
        said = (text for path in paths for of in (f"/{path.partition('/')[2]}", path) for text in group_texts(of, root))
        if limits := [int(text) for text in said if text and text.isdecimal()]:
            found[name] = min(limits)
    return found


INTERRUPTS, UPTIME = Path("/proc/interrupts"), Path("/proc/uptime")
INTERRUPT_KINDS = {"LOC": "timer", "RES": "reschedule", "CAL": "call", "TLB": "tlb", "arch_timer": "timer"}


def interrupts_of(text: str) -> dict[int, dict[str, int]]:
    """Read /proc/interrupts: for each CPU the number of each kind, timers apart from devices."""
    heads, *lines = text.splitlines() or [""]
    cpus = [int(one[3:]) for one in heads.split() if re.fullmatch(r"CPU\d{1,5}", one)]
    found: dict[int, dict[str, int]] = {cpu: {} for cpu in cpus}
    for line in lines:
        name, _, rest = line.strip().partition(":")
        counts = rest.split()[: len(cpus)]
        if len(counts) < len(cpus) or not all(map(str.isdecimal, counts)):
            continue  # ERR and MIS are of no CPU
        kind = INTERRUPT_KINDS.get(name, "device" if name.isdecimal() else "other")
        for cpu, number in zip(cpus, counts, strict=True):
            found[cpu][kind] = found[cpu].get(kind, 0) + int(number)
    return found


def device_interrupts_per_s() -> Mapping[int, float]:
    """Return the device interrupts of each CPU per second since the machine started; empty if unknown."""
    try:
        taken, up_s = interrupts_of(INTERRUPTS.read_text()), float(UPTIME.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return {}
    return {cpu: kinds.get("device", 0) / up_s for cpu, kinds in taken.items()} if up_s > 0 else {}


STAT = Path("/proc/stat")
USER_TICK_NS = 10_000_000  # USER_HZ is 100 on every architecture of Linux (proc(5))
BUSY_COLUMNS = (0, 1, 2, 5, 6)  # of a CPU in /proc/stat (proc(5)): user, nice, system, irq, softirq


def others_since(cpus: Collection[int]) -> Callable[[], float | None]:
    """Begin to watch CPUs; the function that is returned says what share of their time others have used since.

    Others are all but this process and its children that have ended: the time in which the CPUs were busy (in ticks of
    10 ms) less ours, wherever it was spent. A short time may have less than nothing, by the ticks: so that the sum of
    many is right. None where the kernel does not tell.
    """
    busy, ours, begun = _busy_ns(cpus), _our_ns(), time.monotonic_ns()

    def share() -> float | None:
        now, passed = _busy_ns(cpus), time.monotonic_ns() - begun
        if busy is None or now is None or not passed:
            return None
        return max(-1.0, (now - busy - (_our_ns() - ours)) / (passed * len(cpus)))

    return share


def throttled_ns(root: Path = Path("/")) -> int | None:
    """Return how long quotas of this control group, or of a parent, have stopped threads, summed over CPUs."""
    found = []
    for file, name, unit_ns in THROTTLED:
        for text in group_texts(file, root):
            if match := re.search(rf"^{name} (\d{{1,18}})$", text or "", re.MULTILINE):
                found.append(int(match[1]) * unit_ns)
    return max(found, default=None)


def difference(now: int | None, before: int | None) -> int | None:
    """Return the increase of a counter; None if one value is unknown, or it began anew."""
    return None if now is None or before is None or now < before else now - before


# File of each version of control groups, its line, and its unit in nanoseconds
THROTTLED = (("/cpu.stat", "throttled_usec", 1_000), ("cpu/cpu.stat", "throttled_time", 1))


def _busy_ns(cpus: Collection[int]) -> int | None:
    try:
        lines = [line.split() for line in STAT.read_text().splitlines()]
        columns_of = {name: columns for name, *columns in lines if name.startswith("cpu")}
        return sum(int(columns_of[f"cpu{cpu}"][column]) for cpu in cpus for column in BUSY_COLUMNS) * USER_TICK_NS
    except (OSError, ValueError, KeyError, IndexError):
        return None


def _our_ns() -> int:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


MEMORY_FILES = (  # used and maximum bytes of a group, in each version of control groups
    ("memory/memory.usage_in_bytes", "memory/memory.limit_in_bytes"),
    ("/memory.current", "/memory.max"),
)
UNLIMITED_BYTES, HIGHEST_PRIORITY = 1e18, 99.0
FREQUENCY = f"{CPU}/cpu{{}}/cpufreq/scaling_cur_freq"  # of a CPU


def read_signs(cpus: Collection[int], root: Path = Path("/")) -> tuple[dict[str, float | str], tuple[str, ...]]:
    """All that the system says of this machine now, and what it does not.

    Frequencies and idle states are those of the lowest of the `cpus`. Rights of this process are unknown below another
    root.
    """
    text, number = partial(text_of, root), partial(number_of, root)
    first = f"{CPU}/cpu{min(cpus)}"
    exits_us = [one for at in range(20) if (one := number(f"{first}/cpuidle/state{at}/latency")) is not None]
    no_turbo, boost = number(f"{CPU}/intel_pstate/no_turbo"), number(f"{CPU}/cpufreq/boost")
    siblings = (text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list") for cpu in cpus)
    paired = [one for one in siblings if one and not one.isdecimal()]
    smt_active = number(f"{CPU}/smt/active")
    files = {"isolated": f"{CPU}/isolated", "nohz_full": f"{CPU}/nohz_full"}
    isolation = {name: text(file) for name, file in files.items() if (root / file.lstrip("/")).exists()}
    pages = {"huge_pages": f"{HUGE_PAGES}/enabled", "huge_pages_defrag": f"{HUGE_PAGES}/defrag"}
    chosen = {name: re.search(r"\[([\w+-]+)\]", text(file) or "") for name, file in pages.items()}
    pressure = re.search(r"^some avg10=([\d.]+)", text("/proc/pressure/cpu") or "")
    online, offline = cpus_of(text(f"{CPU}/online")), cpus_of(text(f"{CPU}/offline"))
    locked, priority = (resource.getrlimit(one)[0] for one in (resource.RLIMIT_MEMLOCK, resource.RLIMIT_RTPRIO))
    said: dict[str, dict[str, float | str | None]] = {  # by what is named where it says nothing
        "idle states": {
            "idle_driver": text(f"{CPU}/cpuidle/current_driver"),
            "idle_governor": text(f"{CPU}/cpuidle/current_governor") or text(f"{CPU}/cpuidle/current_governor_ro"),
            "idle_exit_us": max(exits_us, default=None),
            "halt_poll_ns": number("/sys/module/haltpoll/parameters/guest_halt_poll_ns"),
        },
        "frequencies": {
            "frequency_mhz": _mhz(root, FREQUENCY.format(min(cpus))),
            "frequency_most_mhz": _mhz(root, f"{first}/cpufreq/cpuinfo_max_freq"),
        },
        "boost": {"boost": 1 - no_turbo if boost is None and no_turbo is not None else boost},
        "hardware threads": {
            "smt_active": smt_active,
            "smt_siblings": None if smt_active is None else float(len(paired)),
        },
        # `none` if the kernel knows of none
        "isolated CPUs": {name: "none" if of in (None, "(null)") else of for name, of in isolation.items()},
        "huge pages": {name: found and found[1] for name, found in chosen.items()},
        "memory": _memory(root),
        "NUMA balancing": {"numa_balancing": number(f"{KERNEL}/numa_balancing")},
        "real-time limits": {"rt_runtime_us": number(f"{KERNEL}/sched_rt_runtime_us")},  # of each period; -1 for all
        "the NMI watchdog": {"nmi_watchdog": number(f"{KERNEL}/nmi_watchdog")},
        # the share of the last ten seconds in which some thread waited for a CPU
        "CPU pressure": {"cpu_pressure": float(pressure[1]) / 100 if pressure else None},
        "online CPUs": {"cpus_online": float(len(online)), "cpus_offline": float(len(offline))} if online else {},
        "rights of this process": {}
        if root != Path("/")
        else {  # lockable memory and real-time priorities
            "may_lock_bytes": UNLIMITED_BYTES if locked == resource.RLIM_INFINITY else float(locked),
            "rt_priority": HIGHEST_PRIORITY if priority == resource.RLIM_INFINITY else float(priority),
        },
        "the clock source": {"clock_source": text(CLOCK_SOURCE)},
    }
    known = {name: of for signs in said.values() for name, of in signs.items() if of is not None}
    return known, tuple(what for what, signs in said.items() if known.keys().isdisjoint(signs))


def number_of(root: Path, path: str) -> float | None:
    """Return the number that a file holds; None if it holds none."""
    text = text_of(root, path) or ""
    return float(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def _mhz(root: Path, path: str) -> float | None:
    """Return the megahertz of a file that has kilohertz; None if it has none, or 0."""
    khz = number_of(root, path)
    return khz / 1_000 if khz else None


def _memory(root: Path) -> dict[str, float | str | None]:
    lines = keyed_lines(text_of(root, "/proc/meminfo"), ":")
    kib = {name: int(of[0].split()[0]) for name, of in lines.items() if of and of[0].split()[0].isdecimal()}
    used_shares = []  # of each control group with a limit below all memory, parents included
    for used, limit in chain.from_iterable(
        zip(*(group_texts(file, root) for file in files), strict=True) for files in MEMORY_FILES
    ):
        if used and limit and used.isdecimal() and limit.isdecimal() and 0 < int(limit) < kib.get("MemTotal", 0) * 1024:
            used_shares.append(int(used) / int(limit))
    return {
        "swap_used_share": 1 - kib["SwapFree"] / kib["SwapTotal"] if kib.get("SwapTotal") else 0.0 if kib else None,
        "memory_limit_used": max(used_shares, default=None),
    }


def cpus_of(text: str | None) -> set[int]:
    """Parse a kernel's list of CPUs: `0-3,8`."""
    parts = re.findall(r"(\d{1,5})(?:-(\d{1,5}))?", text or "")
    return {cpu for first, last in parts for cpu in range(int(first), int(last or first) + 1)}


AT_REST_S, UNDER_LOAD_S = 0.25, 0.05


def watch_at_rest(cpus: Collection[int], root: Path = Path("/")) -> tuple[dict[str, float | str], tuple[str, ...]]:
    """Watch these CPUs while we sleep (interrupts, other programs, throttling), then a CPU's frequency under load."""
    interrupts, share = interrupts_of(text_of(root, "/proc/interrupts") or ""), others_since(cpus)
    throttled, begun = throttled_ns(root), time.monotonic()
    time.sleep(AT_REST_S)
    found: dict[str, float | str] = {}
    unseen = []
    seconds = max(time.monotonic() - begun, 1e-6)
    if (others := share()) is not None:
        found |= {"others_at_rest": others, "at_rest_s": seconds}
    else:
        unseen.append("other programs")
    if interrupts and (after := interrupts_of(text_of(root, "/proc/interrupts") or "")):
        for cpu in sorted({*cpus} & {*interrupts} & {*after}):
            of = {kind: count - interrupts[cpu].get(kind, 0) for kind, count in after[cpu].items()}
            found[f"interrupts_per_s.{cpu}"] = max(0, sum(of.values())) / seconds
            found[f"device_interrupts_per_s.{cpu}"] = max(0, of.get("device", 0)) / seconds
    else:
        unseen.append("interrupts")
    if throttled is None:
        unseen.append("throttling")
    if _mhz(root, file := FREQUENCY.format(min(cpus))) and (loaded := _under_load(min(cpus), root, file)) is not None:
        found["frequency_loaded_mhz"] = loaded
    return found, tuple(unseen)


def _under_load(cpu: int, root: Path, file: str) -> float | None:
    seen: list[float | None] = []

    def work() -> None:
        try:
            os.sched_setaffinity(0, {cpu})
        except OSError:
            return
        until = time.monotonic() + UNDER_LOAD_S
        while time.monotonic() < until:
            pass
        seen.append(_mhz(root, file))

    worker = Thread(target=work)
    try:
        worker.start()
    except RuntimeError:  # a limit is reached
        return None
    worker.join()
    return seen[0] if seen else None
