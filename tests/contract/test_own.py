"""Headers of the user's own, compiled by the real compiler and measured by what came of them."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CACHE, ROOT
from tests.contract.real_probes import START_SECONDS, assert_ping, patient_request, validator_of
from tests.trials import run_trial
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import PromiseBroken, UsageError
from threadping.probes import custom_cpp
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_cpp import check, compiled, find_compiler
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

EXAMPLES = sorted((ROOT / "examples" / "cpp").glob("*.hpp"))
BROKEN = ROOT / "tests" / "own" / "broken"
KEPT = CACHE / "own" / hashlib.sha256(Path(custom_cpp.__file__).read_bytes()).hexdigest()
"""Cache of the compiled examples, until a source or the way to compile changes."""

LINKED = {"absl_mutex": "absl_synchronization", "tbb_bounded_queue": "tbb"}
"""Names in pkg-config of the libraries that are not header-only."""

EXPERIMENTS = {
    "queue": {"queue", "load"},
    "spin": {"signal", "load"},
    "sleep": {"signal", "load", "wakeup"},
    "lock": {"lock"},
    "barrier": {"barrier"},
}
CONCEPTS = {
    "spin_flag": "spin",
    "atomic_wait": "sleep",
    "spinlock": "lock",
    "absl_mutex": "lock",
    "spin_barrier": "barrier",
}

pytestmark = [
    pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="a C++ compiler is missing"),
    pytest.mark.skipif(
        not (probes_folder() / "dev" / "include" / "threadping").exists(),
        reason="the headers for custom mechanisms are not installed with the probes",
    ),
]


def flags_of(header: Path) -> str:
    """Without optimisation: it compiles in less time. The test is skipped where the library is missing."""
    library = LINKED.get(header.stem)
    if library and not shutil.which("pkg-config"):
        pytest.skip(f"pkg-config is not installed, which knows how {library} is linked")
    linked = subprocess.run(["pkg-config", "--libs", library], capture_output=True, text=True) if library else None
    if linked and linked.returncode:
        pytest.skip(f"{library} is not installed")
    included = [line.split("<")[1].split(">")[0] for line in header.read_text().splitlines() if "#include <" in line]
    missing = [one for one in included if "/" in one and not (Path("/usr/include") / one).exists()]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    return f"-O0 -g0 {linked.stdout.strip() if linked else ''}"


def built(header: Path, folder: Path, flags: str = "-O0 -g0") -> OwnMechanism:
    _, (source,) = read_mechanisms([str(header)])
    own = compiled(source, find_compiler(os.environ, None, flags), folder, lambda _: None)
    check(own)
    return own


def test_there_are_examples_of_each_concept() -> None:
    assert {CONCEPTS.get(header.stem, "queue") for header in EXAMPLES} == {*EXPERIMENTS}


@pytest.mark.parametrize("header", EXAMPLES, ids=lambda header: header.stem)
def test_an_example_keeps_the_contract_and_is_measured(header: Path) -> None:
    own = built(header, KEPT, flags_of(header))
    probe = Runtime(own.name, "cpp", own.command, "")
    description = describe(probe).description
    message = json.loads(msgspec.json.encode(description))
    validator_of("describe").validate(message)
    assert {one.name for one in description.experiments} == EXPERIMENTS[CONCEPTS.get(header.stem, "queue")]
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        request = patient_request(experiment.name, header.stem, "unpinned", mechanism.lines, alone=True)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)
    assert len(header.read_text().splitlines()) <= 32
    done = subprocess.run((*own.command, "bare", "0", "0", "5"), capture_output=True, text=True)
    assert done.returncode == 0 and float(done.stdout) > 0


@pytest.mark.parametrize(
    "words",
    [("bare",), ("bare", "0", "1"), ("bare", "0", "x", "5"), ("bare", "0", "-1", "5"), ("bare", "0", "1", "5", "6")],
)
def test_a_hand_written_baseline_takes_three_numbers(words: tuple[str, ...]) -> None:
    own = built(EXAMPLES[0].with_name("spinlock.hpp"), KEPT)
    assert subprocess.run((*own.command, *words), capture_output=True).returncode == 2


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
    header.write_text(LEFT_OUT)
    digests = []
    for barrier in ("__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"):
        source.write_text(f"void my_unlock(bool& held) {{ __atomic_clear(&held, {barrier}); }}\n")
        subprocess.run(["c++", "-c", str(source), "-o", str(linked)], check=True, timeout=60)
        digests.append(built(header, tmp_path, f"-O0 -g0 '{linked}'").digest)
    assert len({*digests}) == 2


def test_a_broken_one_is_refused_with_what_was_seen() -> None:
    with pytest.raises(PromiseBroken) as error:
        built(BROKEN / "lost.hpp", KEPT)
    assert "lost.hpp' is not measured. Lost: message" in str(error.value)


def test_a_wrong_mechanism_says_why_and_a_wrong_program_says_where(tmp_path: Path) -> None:
    """The library reports all other faults; its tests compile them all at once."""
    for text, sentence in (
        ("class Lock { public: void lock(); };", "'Lock' of 'my.hpp' is most like a lock, but lacks void unlock()."),
        ("class Lock { public: void lock() { x(); } void unlock() {} };", "my.hpp' does not compile: line 1: "),
    ):
        header = tmp_path / "my.hpp"
        header.write_text(text)
        with pytest.raises(UsageError) as error:
            built(header, tmp_path)
        assert sentence in str(error.value)


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
