"""`probe busy`, of C++ alone: a thread that competes for the CPUs for as long as it is wanted, and no longer."""

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from threadping.probes.runtimes import find_runtimes

COMMANDS = [[runtime.command[0], "busy"] for runtime in find_runtimes(os.environ).runtimes if runtime.label == "cpp"]
CPU = max(os.sched_getaffinity(0))

of_the_probe = pytest.mark.parametrize("command", COMMANDS, ids=lambda _: "cpp")


def await_work(process: int) -> None:
    """Until it has used CPU time, which the kernel counts in ticks."""
    while int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11]) == 0:
        time.sleep(0.01)


@of_the_probe
def test_it_works_where_it_is_to_until_nobody_holds_its_input(command: list[str]) -> None:
    with subprocess.Popen([*command, "--cpu", str(CPU), "--nice", "7"], stdin=subprocess.PIPE) as started:
        await_work(started.pid)
        assert (os.sched_getaffinity(started.pid), os.getpriority(os.PRIO_PROCESS, started.pid)) == ({CPU}, 7)
        assert started.stdin is not None
        started.stdin.close()
        assert started.wait(timeout=30) == 0


@of_the_probe
def test_it_dies_with_its_parent_though_its_input_stays_open(command: list[str]) -> None:
    start = f"import subprocess, time; print(subprocess.Popen({command!r}).pid, flush=True); time.sleep(100)"
    with subprocess.Popen([sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        busy = int(parent.stdout.readline())
        await_work(busy)
        ends = os.pidfd_open(busy)
        try:
            parent.kill()
            assert select.select([ends], [], [], 30)[0]
        finally:
            os.close(ends)


@of_the_probe
@pytest.mark.parametrize(("given", "status", "says"), [(["--cpu", "60000"], 1, "60000"), (["--nice", "20"], 2, "nice")])
def test_it_says_what_it_cannot_do(command: list[str], given: list[str], status: int, says: str) -> None:
    done = subprocess.run([*command, *given], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert says in done.stderr
