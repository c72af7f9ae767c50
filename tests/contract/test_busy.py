"""`probe busy` and `probe hold` of C++ run next to trials, and end with them."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.contract.test_process import dies_with_its_parent
from threadping.probes.runtimes import find_runtimes

COMMANDS = [[runtime.command[0], "busy"] for runtime in find_runtimes(os.environ).runtimes if runtime.label == "cpp"]
CPU = max(os.sched_getaffinity(0))

of_the_probe = pytest.mark.parametrize("command", COMMANDS, ids=lambda _: "cpp")


def has_worked(process: int) -> bool:
    """Return whether a process has used CPU time, which the kernel counts in ticks."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11]) > 0


@of_the_probe
def test_it_works_where_it_is_to_until_nobody_holds_its_input(command: list[str]) -> None:
    with subprocess.Popen([*command, "--cpu", str(CPU), "--nice", "7"], stdin=subprocess.PIPE) as started:
        while not has_worked(started.pid):
            time.sleep(0.01)
        assert (os.sched_getaffinity(started.pid), os.getpriority(os.PRIO_PROCESS, started.pid)) == ({CPU}, 7)
        assert started.stdin is not None
        started.stdin.close()
        assert started.wait(timeout=30) == 0


@of_the_probe
def test_trace_points_are_held_until_nobody_holds_its_input(command: list[str]) -> None:
    with subprocess.Popen([command[0], "hold"], stdin=subprocess.PIPE) as started:
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(timeout=0.1)
        assert started.stdin is not None
        started.stdin.close()
        assert started.wait(timeout=30) == 0


@of_the_probe
def test_it_dies_with_its_parent_though_its_input_stays_open(command: list[str], tmp_path: Path) -> None:
    assert dies_with_its_parent(command, tmp_path, has_worked)


@of_the_probe
@pytest.mark.parametrize(("given", "status", "says"), [(["--cpu", "60000"], 1, "60000"), (["--nice", "20"], 2, "nice")])
def test_it_says_what_it_cannot_do(command: list[str], given: list[str], status: int, says: str) -> None:
    done = subprocess.run([*command, *given], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert says in done.stderr
