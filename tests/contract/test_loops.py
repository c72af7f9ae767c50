"""The compiled loops: which they are, their versions, and what OpenMP makes of them."""

import json
import os
import platform
import re
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT
from tests.contract import loops
from tests.contract.real_probes import FIRSTS, RUNTIMES, START_SECONDS, assert_ping, described, patient_request
from tests.trials import run_trial
from threadping.model.cases import Runtime
from threadping.model.contract import MechanismDescription, Params, Words
from threadping.probes.builds import loops_of
from threadping.probes.runtimes import find_runtimes

CODE_LINE = 64
STEP = 6364136223846793005
"""The factor of a step of work, which is one multiplication and one addition."""
NAMES = {
    "signal": ["take_turns", "stamp_turns"],
    "lock": ["perform", "perform_counted", "perform_timed"],
    "wakeup": ["perform_calls", "await_call"],
    "queue": ["perform_sends", "send_stamped", "perform_takes"],
    "load": ["perform_sends", "perform_receives"],
    "barrier": ["attend"],
}
ALL = {f"{experiment}::{name}" for experiment, names in NAMES.items() for name in names}
IN_RUST = {f"{experiment}::{name}" for experiment in ("signal", "lock", "queue") for name in NAMES[experiment]}
"""The other experiments' loops are the engine's, by operations."""
LOOPS = {
    "cpp": re.compile(rf"^([0-9a-f]+) . (?!.*\[clone).*?\b({'|'.join(sorted(ALL))})<", re.MULTILINE),
    "rust": re.compile(r"^([0-9a-f]+) . threadping::(\w+::)(?:\w+::)?(\w+)::<", re.MULTILINE),
}
FOUND = find_runtimes(os.environ).runtimes
CPP = [runtime for runtime in FOUND if runtime.probe == "cpp"]
RUST = [runtime for runtime in FOUND if runtime.probe == "rust"]


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils' nm, which comes with a compiler, is missing")
@pytest.mark.parametrize("runtime", CPP + RUST, ids=lambda runtime: runtime.label)
def test_every_timed_loop_begins_a_line_of_code(runtime: Runtime) -> None:
    """Elsewhere the same instructions are slower by a margin that other code in the probe decides."""
    symbols = subprocess.run(["nm", "-C", runtime.command[0]], capture_output=True, text=True, check=True).stdout
    found = [(address, "".join(name)) for address, *name in LOOPS[runtime.probe].findall(symbols)]
    wanted = ALL if runtime.probe == "cpp" else IN_RUST
    assert {name for _, name in found} >= wanted
    assert [name for address, name in found if name in wanted and int(address, 16) % CODE_LINE] == []


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


RECORDED = CONTRACT / "loops.json"
SAID = msgspec.json.decode((CONTRACT / "words.json").read_bytes(), type=Words)
LISTED_BY = {"cpp": "objdump", "rust": "objdump", "java": "javap"}


def program_of(runtime: Runtime) -> Path:
    command = runtime.command
    return Path(command[command.index("-jar") + 1] if "-jar" in command else command[0])


ONE_OF_EACH_PROGRAM = [*{program_of(one): one for one in reversed(RUNTIMES)}.values()]


def compiler_of(runtime: Runtime) -> str:
    """Return the compiler of a runtime's loops: for Java the JDK that built its archive."""
    if runtime.probe == "java":
        with zipfile.ZipFile(program_of(runtime)) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode()
        (jdk,) = re.findall(r"^Build-Jdk-Spec: (\S+)", manifest, re.MULTILINE)
        return f"javac of JDK {jdk}"
    made_by = described(runtime).description.toolchain
    return " ".join([made_by.name, made_by.version, os.uname().machine, *made_by.flags])


@cache
def digests_of(runtime: Runtime) -> loops.Digests:
    tool = LISTED_BY[runtime.probe]
    if tool == "objdump" and os.uname().machine != "x86_64":
        pytest.skip("the addresses of another machine's instructions are read otherwise")
    if shutil.which(tool) is None:
        pytest.skip(f"{tool}, which comes with a compiler, is missing")
    digests: loops.Digests = loops.TOOL.digests_of(runtime.probe, program_of(runtime))
    return digests


def changed(recorded: dict[str, list[str]], now: loops.Digests, probe: str) -> list[str]:
    """The mechanisms whose loops changed although their version did not, and those that nobody recorded."""
    found = []
    for name, digest in now.items():
        experiment, mechanism = _key(name)
        version, known = recorded.get(name, ("", ""))
        if known != digest and version == SAID.version(experiment, mechanism, probe):
            found.append(name)
    return found


def held_to_its_record(now: loops.Digests, probe: str, what: str, way_out: str) -> None:
    """Check that the digests recorded under a language's name equal today's, or belong to another version."""
    recorded = json.loads(RECORDED.read_text())
    if os.environ.get("UPDATE_GOLDEN"):
        assert not os.environ.get("CI"), "what is recorded is updated by a person who reads the difference"
        entries = {name: [SAID.version(*_key(name), probe), digest] for name, digest in now.items()}
        recorded.setdefault(probe, {})[what] = entries
        text = json.dumps(recorded, indent=1, sort_keys=True)
        RECORDED.write_text(re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", text) + "\n")
    if what not in recorded.get(probe, {}):
        pytest.skip(f"nothing is recorded of {what}: whether something changed cannot be seen")
    known = recorded[probe][what]
    then = "Add it to `changes` in contract/words.json, then UPDATE_GOLDEN=1."
    assert changed(known, now, probe) == [], f"{way_out} {then}"
    assert {*now} == {*known}, "mechanisms came or went: UPDATE_GOLDEN=1"


@pytest.mark.parametrize("runtime", FIRSTS, ids=lambda runtime: runtime.label)
def test_a_loop_that_changed_has_another_version(runtime: Runtime) -> None:
    now = digests_of(runtime)
    way_out = (
        "Their timed loops are other machine code: tools/timed-loops OLD NEW shows it. The third number counts up "
        "where figures are as they were, the first where they mean something else."
    )
    held_to_its_record(now, runtime.probe, compiler_of(runtime), way_out)


@pytest.mark.parametrize("runtime", ONE_OF_EACH_PROGRAM, ids=lambda runtime: runtime.label)
def test_the_digests_that_the_build_wrote_are_those_of_the_probes_loops(runtime: Runtime) -> None:
    """A run then keeps the digests of contract/loops.json, if that file lists the compiler."""
    assert loops_of(runtime).digests == digests_of(runtime)


@pytest.mark.parametrize("runtime", FIRSTS, ids=lambda runtime: runtime.label)
def test_a_parameter_that_came_or_means_something_else_has_another_version(runtime: Runtime) -> None:
    now = loops.of_parameters(described(runtime).description, SAID)
    way_out = "Parameters came, or mean something else (a sentence that only reads better needs no version)."
    held_to_its_record(now, runtime.probe, "parameters", way_out)


WITHOUT_DIGEST = {"network", "jitter", "self-test"}
"""Experiments without loops of their own: they use the network, the clock, or the loops of `signal`."""


def test_every_mechanism_in_cpp_has_a_digest_of_its_own_loops() -> None:
    (runtime,) = (one for one in FIRSTS if one.probe == "cpp")
    of = {
        f"{experiment.name} {one.name}"
        for experiment in described(runtime).description.experiments
        for one in experiment.mechanisms
        if experiment.name not in WITHOUT_DIGEST
    }
    digests = digests_of(runtime)
    assert of <= digests.keys()
    assert len({digests[name] for name in of}) == len(of)


def _key(name: str) -> tuple[str, str]:
    """Return the mechanism of a loop, also of an option's loop; empty if mechanisms share it."""
    experiment, _, mechanism = name.partition(" --")[0].partition(" ")
    return experiment, mechanism


def test_a_changed_loop_is_seen_unless_its_version_changed_too() -> None:
    now = {"lock fetch-add": "aa", "lock": "bb"}
    assert changed({"lock fetch-add": ["1.0.0", "aa"], "lock": ["1.0.0", "bb"]}, now, "cpp") == []
    assert changed({"lock fetch-add": ["1.0.0", "ab"], "lock": ["1.0.0", "bb"]}, now, "cpp") == ["lock fetch-add"]
    assert changed({"lock fetch-add": ["0.9.0", "ab"], "lock": ["1.0.0", "bb"]}, now, "cpp") == []
    assert changed({"lock fetch-add": ["1.0.0", "ab"], "lock": ["1.0.0", "bb"]}, now, "rust") == [], "it is 2.0.0 there"


def test_every_change_is_of_a_mechanism_that_there_is_and_counts_up() -> None:
    known = {
        (one.runtime.probe, experiment.name): {each.name for each in experiment.mechanisms}
        for one in map(described, FIRSTS)
        for experiment in one.description.experiments
    }
    last: dict[tuple[str, str, str], tuple[int, ...]] = {}
    for change in SAID.changes:
        here = known.get((change.probe, change.experiment))
        assert here is None or {*change.mechanisms} <= here
        for mechanism in change.mechanisms or ("",):
            version = tuple(map(int, change.version.split(".")))
            key = change.probe, change.experiment, mechanism
            assert version > last.get(key, (1, 0, 0))
            last[key] = version


KNOBS = {"libgomp": "gomp-spins", "libomp": "blocktime"}


def libraries(mechanism: MechanismDescription) -> list[str]:
    """Return the libraries that can be loaded here; a wheel's static probe loads none."""
    return [] if mechanism.needs else [*next(one.choices or () for one in mechanism.params if one.name == "library")]


@pytest.mark.parametrize(("name", "more"), [("openmp-barrier", {}), ("openmp-parallel", {"then": 1})])
@pytest.mark.parametrize("library", KNOBS)
def test_each_library_that_is_here_is_measured_with_its_own_knob(library: str, name: str, more: Params) -> None:
    runtime = next(one for one in FIRSTS if one.probe == "cpp")
    (experiment,) = (one for one in described(runtime).description.experiments if one.name == "barrier")
    mechanism = next(one for one in experiment.mechanisms if one.name == name)
    if library not in libraries(mechanism):
        pytest.skip(f"{library} is not installed")
    for value in (0, 1):
        params = {"library": library, "policy": "default", KNOBS[library]: value, **more}
        request = replace(patient_request("barrier", name, "unpinned", 1, alone=True), params=params)
        outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)
        of_the_other = {"library": library, KNOBS[next(one for one in KNOBS if one != library)]: value}
        refused = run_trial(runtime, replace(request, params=of_the_other), start_seconds=START_SECONDS)
        assert refused.failure and refused.failure.code in ("bad-request", "unknown-param")
