"""The timed loops of the C++ probes, as they were compiled and linked."""

import os
import re
import shutil
import subprocess

import pytest

from threadping.model.cases import Runtime
from threadping.probes.runtimes import find_runtimes

CODE_LINE = 64
NAMES = {
    "signal": ["take_turns", "stamp_turns"],
    "lock": ["perform", "perform_counted", "perform_timed"],
    "notify": ["perform_calls", "await_call"],
    "ring": ["perform_sends", "send_stamped", "perform_takes"],
    "paced": ["perform_sends", "perform_receives"],
}
ALL = {f"{experiment}::{name}" for experiment, names in NAMES.items() for name in names}
LOOPS = re.compile(rf"^([0-9a-f]+) . (?!.*\[clone).*?\b({'|'.join(sorted(ALL))})<", re.MULTILINE)
CPP = [runtime for runtime in find_runtimes(os.environ).runtimes if runtime.probe == "cpp"]


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils' nm, which comes with a compiler, is missing")
@pytest.mark.parametrize("runtime", CPP, ids=lambda runtime: runtime.label)
def test_every_timed_loop_begins_a_line_of_code(runtime: Runtime) -> None:
    """Elsewhere the same instructions are slower by a margin that other code in the probe decides."""
    symbols = subprocess.run(["nm", "-C", runtime.command[0]], capture_output=True, text=True, check=True).stdout
    loops = LOOPS.findall(symbols)
    assert {name for _, name in loops} == ALL
    assert [name for address, name in loops if int(address, 16) % CODE_LINE] == []
