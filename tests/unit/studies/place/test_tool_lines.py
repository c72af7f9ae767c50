"""The lines for each tool are taken by it: by the tool itself where it is here, else by what it reads."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.unit.studies.matrix.planted import machine
from threadping.model.numbers import parse_cpus
from threadping.studies.place.output import lines_of

FOUR = (4, 5, 6, 12)
NODES = machine(16, 4, 8)
"""Two nodes of eight CPUs."""


def line(tool: str, cpus: tuple[int, ...] = FOUR, place: int = 0) -> str:
    return [one.line for one in lines_of(cpus, machine(16, 16, 16)) if one.tool == tool][place]


def test_cpus_are_listed_in_order_for_all_and_one_by_one_for_openmp() -> None:
    assert line("taskset", (6, 4, 12, 5)) == "taskset -c 4-6,12 COMMAND"
    assert line("openmp", (6, 4, 12, 5)).split()[:2] == ["OMP_NUM_THREADS=4", "OMP_PLACES='{6},{4},{12},{5}'"]


def test_on_one_of_several_nodes_the_memory_is_there_too() -> None:
    one_node, both = lines_of((1, 2), NODES), lines_of((1, 12), NODES)
    assert [one.line for one in one_node if one.tool == "systemd"] == [
        "CPUAffinity=1-2",
        "NUMAPolicy=bind",
        "NUMAMask=0",
    ]
    assert "numactl --physcpubind=1-2 --membind=0 COMMAND" in [one.line for one in one_node]
    assert "docker run --cpuset-cpus=1-2 --cpuset-mems=0 IMAGE" in [one.line for one in one_node]
    assert "numactl --physcpubind=1,12 --localalloc COMMAND" in [one.line for one in both]
    assert not any("mem" in one.line.lower() and one.tool == "docker" for one in both)


@pytest.mark.parametrize("tool", ["taskset", "numactl"])
def test_a_shell_takes_the_line_and_the_program_runs_there(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not here")
    here = tuple(sorted(os.sched_getaffinity(0)))[:2]
    command = line(tool, here).replace("COMMAND", "sh -c 'grep Cpus_allowed_list /proc/self/status'")
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True, timeout=20)
    assert parse_cpus(done.stdout.split()[-1]) == here


def test_systemd_takes_its_line(tmp_path: Path) -> None:
    unit = tmp_path / "place.service"
    lines = [one.line for one in lines_of((1, 2), NODES) if one.tool == "systemd"]
    unit.write_text("\n".join(["[Service]", "ExecStart=/bin/true", *lines, ""]))
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("systemd-analyze is not here")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=20)
    assert "place.service" not in done.stderr, done.stderr
    unit.write_text(unit.read_text().replace("CPUAffinity=1-2", "CPUAffinity=1-x"))
    wrong = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=20)
    assert "place.service" in wrong.stderr, "it reads that line"


def test_the_containers_resources_are_yaml_of_a_guaranteed_pod() -> None:
    resources = yaml.safe_load(line("kubernetes"))["resources"]
    assert resources["requests"] == resources["limits"] == {"cpu": 4, "memory": "1Gi"}


def test_docker_names_cpus_as_a_cpuset_has_them() -> None:
    (listed,) = re.findall(r"--cpuset-cpus=(\S+)", line("docker"))
    assert parse_cpus(listed) == FOUR


def test_a_jvm_takes_its_flag_with_as_many_cpus_as_threads() -> None:
    assert line("java") == "taskset -c 4-6,12 java -XX:ActiveProcessorCount=4 -jar APP.jar"
