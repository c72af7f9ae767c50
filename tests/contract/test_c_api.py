"""Probes written in C behind threadping.h, by each use of the C API (Java's is the third)."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.conftest import ROOT
from tests.contract.real_probes import START_SECONDS, assert_ping, patient_request, validator_of
from tests.trials import run_trial
from threadping.model.cases import Runtime
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

DEV = probes_folder() / "dev"
HEADER = DEV / "include" / "threadping.h"
EXAMPLES = sorted((ROOT / "examples" / "c").glob("*.c"))
MEASURED = {
    "signal_loop": {("signal", "c-word")},
    "signal_and_queue": {(of, "c-condition") for of in ("signal", "wakeup", "load")} | {("load", "c-ring")},
}
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="a C compiler is missing"),
    pytest.mark.skipif(not HEADER.exists(), reason="libthreadping is not installed with the probes"),
]


def compiled(source: Path, program: Path) -> Runtime:
    """As its first comment says."""
    said = re.search(r"^ \*   (cc .*)$", source.read_text(), re.MULTILINE)
    assert said
    words = said[1].replace("-Iinclude", f"-I{HEADER.parent}").replace("-Llib", f"-L{DEV / 'lib'}").split()
    command = [*words[:-1], str(program), "-std=c11", *STRICT]
    subprocess.run(command, cwd=source.parent, check=True, timeout=100)
    return Runtime(program.name, "cpp", (str(program),), "")


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_is_c_and_cpp_and_short(language: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text("#include <threadping.h>\n#include <threadping_barrier.h>\n")
    command = ["cc", "-x", language, f"-std={'c11' if language == 'c' else 'c++17'}", *STRICT, "-c", str(source)]
    subprocess.run([*command, f"-I{HEADER.parent}", "-o", str(tmp_path / "alone.o")], check=True, timeout=100)
    assert len(HEADER.read_text().splitlines()) <= 200


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda source: source.stem)
def test_an_example_keeps_the_contract(source: Path, tmp_path: Path) -> None:
    probe = compiled(source, tmp_path / source.stem)
    description = describe(probe).description
    message = json.loads(msgspec.json.encode(description))
    validator_of("describe").validate(message)
    measured = set()
    for experiment in description.experiments:
        for mechanism in experiment.mechanisms:
            request = patient_request(experiment.name, mechanism.name, "unpinned", mechanism.lines)
            outcome = run_trial(probe, request, start_seconds=START_SECONDS)
            assert outcome.result, (outcome.failure, outcome.log)
            assert_ping(outcome.result, experiment, mechanism)
            measured.add((experiment.name, mechanism.name))
    assert measured == MEASURED[source.stem]
    assert len(source.read_text().splitlines()) <= 80


def test_a_runtime_without_a_linker_loads_it_as_a_shared_library(tmp_path: Path) -> None:
    """Python here, as Go, Node or .NET would: of the archive's objects one line makes a library."""
    made = tmp_path / "libthreadping.so"
    whole = ["-Wl,--whole-archive", str(DEV / "lib" / "libthreadping.a"), "-Wl,--no-whole-archive"]
    subprocess.run(["c++", "-shared", "-o", str(made), *whole, "-pthread", "-Wl,-z,defs"], check=True, timeout=100)
    tells = (
        "import ctypes, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "library.threadping_probe_new.restype = ctypes.c_void_p\n"
        "library.threadping_describe.restype = ctypes.c_char_p\n"
        "why = ctypes.create_string_buffer(4096)\n"
        'identity = b\'{"probe": "loaded", "version": "1", '
        '"toolchain": {"name": "none", "version": "1", "flags": []}}\'\n'
        "probe = ctypes.c_void_p(library.threadping_probe_new(1, identity))\n"
        "print(library.threadping_describe(probe, why).decode())\n"
    )
    described = subprocess.run(
        [sys.executable, "-c", tells, str(made)], check=True, capture_output=True, text=True, timeout=100
    )
    assert json.loads(described.stdout)["probe"] == "loaded"
