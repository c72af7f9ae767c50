"""What Dask costs on a host: a short comparison there, with the engine paused and with it running."""

import os
import shlex
from pathlib import Path

from distributed import get_worker

from threadping.fleet.processes import children
from threadping.probes.process import NotStarted
from threadping.probes.runtimes import find_cpp

SELF_CHECK = ("compare", "signal", "--mechanism", "cas-one-line", "--metric", "mean", "--margin", "1%")
SELF_CHECK_S = 10.0
"""What Dask costs on a host: a short comparison, for so long at most, whose A has the engine paused. The mean counts
what interruptions take, and a median would not."""

PAUSED = """#!/bin/sh -e
# The probe holds this lock until it ends, however it ends. A process that waits for the lock lets the engine go on. It
# has a session of its own, so that it is not killed with the probe, and is there before the engine is paused.
exec 9< "$0"
flock 9
waiting="$(setsid sh -c 'flock "$0" kill -CONT {engine} 9<&- > /dev/null 2>&1 &' "$0")"
kill -STOP {engine}
for process in {engine}; do
  while grep -qs '^State:.[^TZ]' "/proc/$process/status"; do sleep 0.01; done
done
exec {probe} "$@"
"""

RUNNING = """#!/bin/sh
kill -CONT {engine}
exec {probe} "$@"
"""


def commands(folder: Path, run: Path) -> list[list[str]]:
    """What compares there, and what then writes the run into a file.

    Raises:
        NotStarted: the engine cannot be paused.
    """
    engine = [os.getppid(), *children(os.getppid())] if get_worker().nanny else [os.getpid()]
    if 1 in engine:
        raise NotStarted("Dask is the first process of its container, which nothing can pause: start it below an init")
    fields = {"engine": " ".join(map(str, engine)), "probe": shlex.quote(find_cpp(os.environ).command[0])}
    words = [*SELF_CHECK, "--budget", f"{SELF_CHECK_S}s"]
    for name, script in {"engine-paused": PAUSED, "engine-running": RUNNING}.items():
        (folder / name).write_text(script.format(**fields))
        (folder / name).chmod(0o700)
        words += ["--runtime", shlex.quote(f"cpp={folder / name}")]
    return [words, ["show", "-o", str(run)]]
