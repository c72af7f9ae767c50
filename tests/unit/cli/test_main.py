"""What the start of the program is to its process, and to those that it starts."""

import os
import subprocess
import sys

import pytest

STARTED = """
import os, sys
from pathlib import Path
from threadping.__main__ import main
from threadping.probes.process import run_bounded
sys.argv = ["threadping", "completion", "bash"]
try:
    main()
except SystemExit:
    import numpy
variables = run_bounded(["env"], folder=Path(), seconds=20).log
print(len(os.listdir("/proc/self/task")), "OPENBLAS" in variables)
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="numpy starts no thread on one CPU")
def test_numpy_starts_no_thread_and_no_probe_is_told_so() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS", "OMP"))}
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, env=kept, check=True)
    assert done.stdout.splitlines()[-1] == "1 False"
