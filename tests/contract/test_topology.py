"""The C++ probe describes hybrid machines, whose files of /sys this test writes."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.recorded import hybrid
from threadping.probes.runtimes import find_runtimes

RECORDED_BELOW = {"HWLOC_THISSYSTEM": "0", "HWLOC_COMPONENTS": "linux,stop"}


class Core(NamedTuple):
    """The CPUs of a core, the L2 that it shares, and whether it shares the common L3."""

    cpus: Sequence[int]
    kind: str
    l2: int
    l3: bool = True


def singles(cpus: range, kind: str, l2: int, *, of_l2: int = 1, l3: bool = True) -> list[Core]:
    """Return cores of one CPU each, `of_l2` cores per L2; the L2s are numbered from `l2` on."""
    return [Core((cpu,), kind, l2 + place // of_l2, l3) for place, cpu in enumerate(cpus)]


def pairs(*firsts: int) -> list[Core]:
    """Large cores of two CPUs each."""
    return [Core((first, first + 1), "P", first) for first in firsts]


MACHINES: Mapping[str, Sequence[Core]] = {
    "ultra-155h": [
        *pairs(0, 10, 12, 14, 16, 18),
        *singles(range(2, 10), "E", 100, of_l2=4),
        *singles(range(20, 22), "E", 200, of_l2=2, l3=False),
    ],
    "ultra-225u": [
        *pairs(0, 2),
        *singles(range(4, 12), "E", 100, of_l2=4),
        *singles(range(12, 14), "E", 200, of_l2=2, l3=False),
    ],
    "rk3588": [*singles(range(4), "little", 0), *singles(range(4, 8), "big", 4)],
}
COUNTERS, CAPACITY = {"P": "cpu_core", "E": "cpu_atom"}, {"little": 414, "big": 1024}


def write_machine(root: Path, cores: Sequence[Core]) -> None:
    every = [cpu for core in cores for cpu in core.cpus]
    cpus, node = root / "sys/devices/system/cpu", root / "sys/devices/system/node/node0"
    write(cpus, {name: f"0-{max(every)}" for name in ("online", "possible", "present")})
    write(node, {"cpumap": mask(every), "meminfo": "Node 0 MemTotal: 16000000 kB", "distance": "10"})
    write(node.parent, {"online": "0"})
    for number, core in enumerate(cores):
        of_l2 = [cpu for one in cores for cpu in one.cpus if one.l2 == core.l2]
        of_l3 = [cpu for one in cores for cpu in one.cpus if one.l3]
        for cpu in core.cpus:
            alone = {"core_id": str(number), "physical_package_id": "0"}
            write(cpus / f"cpu{cpu}/topology", {**alone, "core_cpus": mask(core.cpus), "package_cpus": mask(every)})
            for level, sharing in ((2, of_l2), *(((3, of_l3),) if core.l3 else ())):
                cache = {"level": str(level), "type": "Unified", "size": "1024K", "shared_cpu_map": mask(sharing)}
                write(cpus / f"cpu{cpu}/cache/index{level}", cache)
            if core.kind in CAPACITY:
                write(cpus / f"cpu{cpu}", {"cpu_capacity": str(CAPACITY[core.kind])})
    for kind, counters in COUNTERS.items():
        if of_kind := [cpu for core in cores if core.kind == kind for cpu in core.cpus]:
            write(root / "sys/devices" / counters, {"cpus": ",".join(map(str, of_kind))})


def write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")


def mask(cpus: Sequence[int]) -> str:
    return f"{sum(1 << cpu for cpu in cpus):08x}"


def topology_below(root: Path) -> dict[str, Any]:
    """Return the probe's description of the machine whose files are in this folder."""
    cpp, environment = find_runtimes(os.environ).cpp(), {**os.environ, **RECORDED_BELOW, "HWLOC_FSROOT": str(root)}
    done = subprocess.run([*cpp.command, "topology"], env=environment, capture_output=True, check=True)
    topology: dict[str, Any] = json.loads(done.stdout)
    return topology


@pytest.mark.parametrize("name", MACHINES)
def test_the_probe_describes_a_hybrid_machine_like_its_recording(name: str, tmp_path: Path) -> None:
    write_machine(tmp_path, MACHINES[name])
    topology = topology_below(tmp_path)
    assert "contradicts_itself" not in topology
    described = {cpu["cpu"]: cpu for cpu in topology["cpus"]}
    of_it = {cpu.cpu: cpu for cpu in hybrid(name).cpus}
    assert {number: cpu.get("kind") for number, cpu in described.items() if number in of_it} == {
        number: cpu.kind for number, cpu in of_it.items()
    }
    for what in ("core", "l2", "l3", "node", "package"):
        assert [described[number][what] for number in of_it] == [getattr(cpu, what) for cpu in of_it.values()], what


def test_the_probe_reports_a_topology_that_contradicts_itself(tmp_path: Path) -> None:
    """An L2 of CPUs 1 and 2, which are half of two cores each."""
    write_machine(tmp_path, pairs(0, 2))
    cache = {"level": "2", "type": "Unified", "size": "1024K", "shared_cpu_map": mask([1, 2])}
    for cpu in (1, 2):
        write(tmp_path / f"sys/devices/system/cpu/cpu{cpu}/cache/index2", cache)
    assert topology_below(tmp_path)["contradicts_itself"] is True
