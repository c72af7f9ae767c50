"""The timed loops of the C++ probes, and of the Rust one, as they were compiled and linked."""

import os
import platform
import re
import shutil
import subprocess

import pytest

from threadping.model.cases import Runtime
from threadping.probes.runtimes import find_runtimes

CODE_LINE = 64
STEP = 6364136223846793005
"""The factor of a step of work, which is one multiplication and one addition."""
NAMES = {
    "signal": ["take_turns", "stamp_turns"],
    "lock": ["perform", "perform_counted", "perform_timed"],
    "notify": ["perform_calls", "await_call"],
    "ring": ["perform_sends", "send_stamped", "perform_takes"],
    "paced": ["perform_sends", "perform_receives"],
    "crowd": ["attend"],
}
ALL = {f"{experiment}::{name}" for experiment, names in NAMES.items() for name in names}
LOOPS = re.compile(rf"^([0-9a-f]+) . (?!.*\[clone).*?\b({'|'.join(sorted(ALL))})<", re.MULTILINE)
IN_RUST = {name: NAMES[name] for name in ("signal", "lock", "ring")}
"""The other experiments' loops are the engine's, by operations."""
FOUND = find_runtimes(os.environ).runtimes
CPP = [runtime for runtime in FOUND if runtime.probe == "cpp"]
RUST = [runtime for runtime in FOUND if runtime.probe == "rust"]


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils' nm, which comes with a compiler, is missing")
@pytest.mark.parametrize("runtime", CPP, ids=lambda runtime: runtime.label)
def test_every_timed_loop_begins_a_line_of_code(runtime: Runtime) -> None:
    """Elsewhere the same instructions are slower by a margin that other code in the probe decides."""
    symbols = subprocess.run(["nm", "-C", runtime.command[0]], capture_output=True, text=True, check=True).stdout
    loops = LOOPS.findall(symbols)
    assert {name for _, name in loops} == ALL
    assert [name for address, name in loops if int(address, 16) % CODE_LINE] == []


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils' nm, which comes with a compiler, is missing")
@pytest.mark.parametrize("runtime", RUST, ids=lambda runtime: runtime.label)
def test_every_timed_loop_in_rust_does_too(runtime: Runtime) -> None:
    symbols = subprocess.run(["nm", "-C", runtime.command[0]], capture_output=True, text=True, check=True).stdout
    loops = re.findall(r"^([0-9a-f]+) . threadping::(\w+)::(?:\w+::)?(\w+)::<", symbols, re.MULTILINE)
    wanted = {(experiment, name) for experiment, names in IN_RUST.items() for name in names}
    assert {tuple(name) for _, *name in loops} >= wanted
    assert [name for address, *name in loops if tuple(name) in wanted and int(address, 16) % CODE_LINE] == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere a factor is no constant of one instruction")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump, which comes with a compiler, is missing")
@pytest.mark.parametrize("runtime", CPP + RUST, ids=lambda runtime: runtime.label)
def test_every_step_of_work_is_taken(runtime: Runtime) -> None:
    """Compilers know the factors: LLVM made one multiplication of eight steps, and `--work 8` was a step."""
    words = ["objdump", "-d", "--no-show-raw-insn", runtime.command[0]]
    code = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    constants = {int(found, 16) for found in re.findall(r"\$0x([0-9a-f]{9,16})\b", code)}
    of_several = {pow(STEP, steps, 2**64): steps for steps in range(2, 65)}
    assert STEP in constants
    assert [of_several[factor] for factor in constants & of_several.keys()] == []
