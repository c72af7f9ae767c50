"""Headers of the user's own, compiled by the real compiler and measured by what came of them."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CACHE, ROOT
from tests.contract.real_probes import ALLOWED, START_SECONDS, assert_ping, patient_request, validator_of
from tests.trials import run_trial
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import UsageError
from threadping.probes import custom_cpp
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_cpp import check, compiled, find_compiler
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

EXAMPLES = sorted((ROOT / "examples" / "cpp").glob("*.hpp"))
KEPT = CACHE / "own" / hashlib.sha256(Path(custom_cpp.__file__).read_bytes()).hexdigest()
"""Cache of the compiled examples, until a source or the way to compile changes."""

MEASURED = {
    "spsc_ring": {"queue", "load"},
    "circular_buffer": {"queue", "load"},
    "spin_flag": {"signal", "load"},
    "atomic_wait": {"signal", "load", "wakeup"},
    "spinlock": {"lock"},
    "spin_barrier": {"barrier"},
}
"""An example of each kind, and the experiments that measure it. Its timed loops take most of the time to compile."""

TOGETHER = """#include "own/own.hpp"
{includes}
using namespace threadping::own;
template <template <class> class Queue>
void check_example() {{
  static_assert(OwnPolledQueue<Queue> || OwnWaitingQueue<Queue>);
  check_queue(under_test<Queue<Letter>>());
}}
int main() {{
{checks}
}}
"""
"""Checks of all other examples, which are queues: each one's contract by itself."""

pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="a C++ compiler is missing"),
    pytest.mark.skipif(
        not (probes_folder() / "dev" / "include" / "threadping").exists(),
        reason="the headers for custom mechanisms are not installed with the probes",
    ),
]


def is_installed(header: Path) -> bool:
    """Return whether the library of an example is there, and is one of headers alone."""
    text = header.read_text()
    included = re.findall(r"#include <(.+/.+)>", text)
    return "pkg-config" not in text and all((Path("/usr/include") / one).exists() for one in included)


def built(
    header: Path, folder: Path, flags: str = "-O0 -g0", telling: Callable[[str], None] = lambda _: None
) -> OwnMechanism:
    _, (source,) = read_mechanisms([str(header)])
    own = compiled(source, find_compiler(os.environ, None, flags), folder, telling)
    check(own)
    return own


@pytest.mark.parametrize("name", MEASURED)
def test_an_example_keeps_the_contract_and_is_measured(name: str) -> None:
    header = ROOT / "examples" / "cpp" / f"{name}.hpp"
    if not is_installed(header):
        pytest.skip(f"the library of {header.name} is not installed")
    own = built(header, KEPT)
    probe = Runtime(own.name, "cpp", own.command, "")
    description = describe(probe).description
    message = json.loads(msgspec.json.encode(description))
    validator_of("describe").validate(message)
    assert {one.name for one in description.experiments} == MEASURED[name]
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        request = patient_request(experiment.name, name, "unpinned", mechanism.lines, alone=True)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)
    apart = (str(ALLOWED[0]), str(ALLOWED[-1]))  # two that spin on one CPU wait for a time slice at each handoff
    done = subprocess.run((*own.command, "bare", *apart, "5"), capture_output=True, text=True)
    assert done.returncode == 0 and float(done.stdout) > 0


def test_all_other_examples_keep_the_contract_and_every_one_is_short(tmp_path: Path) -> None:
    assert {header.stem for header in EXAMPLES} > MEASURED.keys()
    assert [header.name for header in EXAMPLES if len(header.read_text().splitlines()) > 32] == []
    others = [header for header in EXAMPLES if header.stem not in MEASURED and is_installed(header)]
    classes = [re.findall(r"^class (\w+)", header.read_text(), re.MULTILINE)[-1] for header in others]
    program, source = tmp_path / "probe", tmp_path / "main.cpp"
    source.write_text(
        TOGETHER.format(
            includes="\n".join(f'#include "{header}"' for header in others),
            checks="\n".join(f"  check_example<{name}>();" for name in classes),
        )
    )
    dev = probes_folder() / "dev"
    command = [*find_compiler(os.environ, None, "").command, "-std=c++20", "-O0", "-g0", "-w", str(source)]
    command += ["-iquote", str(dev / "include" / "threadping"), str(dev / "lib" / "libthreadping.a"), "-pthread"]
    subprocess.run([*command, "-o", str(program)], check=True, timeout=100)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_hand_written_baseline_takes_three_numbers() -> None:
    own = built(ROOT / "examples" / "cpp" / "spinlock.hpp", KEPT)
    for words in ("bare", "bare 0 1", "bare 0 x 5", "bare 0 -1 5", "bare 0 1 5 6"):
        assert subprocess.run((*own.command, *words.split()), capture_output=True).returncode == 2, words


LEFT_OUT = """#if 0
class No {};
#endif
#define MY_API __attribute__((visibility("default")))
void my_unlock(bool&);
class MY_API Mine { public: void lock() { while (__atomic_test_and_set(&held_, __ATOMIC_ACQUIRE)) {} }
  void unlock() { my_unlock(held_); } private: bool held_ = false; };
"""


def test_what_is_left_out_is_not_looked_at_and_what_is_linked_counts(tmp_path: Path) -> None:
    header, source, linked = (tmp_path / name for name in ("my.hpp", "my.cpp", "my.o"))

    def link(barrier: str) -> None:
        source.write_text(f"void my_unlock(bool& held) {{ __atomic_clear(&held, {barrier}); }}\n")
        subprocess.run(["c++", "-c", str(source), "-o", str(linked)], check=True, timeout=60)

    def refuse(said: str) -> None:
        raise RuntimeError(said)

    header.write_text(LEFT_OUT)
    link("__ATOMIC_RELEASE")
    flags = f"-O0 -g0 '{linked}'"
    assert built(header, tmp_path, flags) == built(header, tmp_path, flags, refuse)
    link("__ATOMIC_SEQ_CST")
    with pytest.raises(RuntimeError, match="compiling "):
        built(header, tmp_path, flags, refuse)


def test_a_program_that_is_wrong_says_where(tmp_path: Path) -> None:
    """The library reports all other faults; its tests compile them all at once."""
    header = tmp_path / "my.hpp"
    header.write_text("class Lock { public: void lock() { x(); } void unlock() {} };")
    with pytest.raises(UsageError, match=r"my\.hpp' does not compile: line 1: "):
        built(header, tmp_path)


def test_the_probe_of_the_docs_keeps_the_contract_in_few_lines() -> None:
    probe = ROOT / "contract" / "examples" / "probe.py"
    runtime = Runtime("python", "probe", (str(probe),), "")
    description = describe(runtime).description
    (experiment,) = description.experiments
    request = patient_request("signal", "python-semaphore", "unpinned", 1, alone=True)
    outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    assert_ping(outcome.result, experiment, experiment.mechanisms[0])
    assert sum(thread.voluntary_switches for thread in outcome.result.threads) > 0
    assert len([line for line in probe.read_text().splitlines() if line.strip()]) < 90


def test_the_probe_of_the_docs_ends_at_its_bound_with_a_window_at_least() -> None:
    probe = ROOT / "contract" / "examples" / "probe.py"
    request = patient_request("signal", "python-semaphore", "unpinned", 1)
    warmup = replace(request.warmup, ops=1_000_000)
    request = replace(request, warmup=warmup, measure_ns=60_000_000_000, bound_ns=50_000_000)
    outcome = run_trial(Runtime("python", "probe", (str(probe),), ""), request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    assert outcome.result.warmup.ended == "limit" and outcome.result.measured.cut
    assert {*outcome.result.windows.kind} == {"throughput", "sampling"}
