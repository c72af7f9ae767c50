"""What the start of the program is to its process, and to those that it starts."""

import os
import subprocess
import sys
from collections.abc import Sequence
from errno import EAGAIN, ENOENT, EPERM

import pytest

from threadping.cli import app

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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "There is too little memory. Raise the limit (`ulimit -v`), or end other programs."),
        (
            ImportError("libm.so: failed to map segment"),
            "A library cannot be loaded: libm.so: failed to map segment. Raise the limit on memory (`ulimit -v`), or "
            "reinstall.",
        ),
        (FileNotFoundError(ENOENT, "none"), "The current folder was removed. Change into another one."),
        (PermissionError(EPERM, "no", "a/b"), "The operating system reports of a/b: no."),
        (OSError(EAGAIN, "not now"), "The operating system reports: not now."),
    ],
)
def test_what_python_raises_is_a_sentence(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_arguments: Sequence[str]) -> int:
        raise error

    monkeypatch.setattr(app.PROGRAM, "call", fails)
    assert (app.run(["show"]), capsys.readouterr().err) == (1, f"threadping: {said}\n")
