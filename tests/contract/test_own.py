"""Headers of the user's own, compiled by the real compiler and measured by what came of them."""

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

from tests.conftest import ROOT
from tests.contract.real_probes import ALLOWED, START_SECONDS, assert_ping, made_once, patient_request, validator_of
from tests.trials import run_trial
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import UsageError
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_cpp import candidates, check, classes_of, compiled, find_compiler
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

EXAMPLES = sorted((ROOT / "examples" / "cpp").glob("*.hpp"))
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
#include <string_view>
{includes}
using namespace threadping::own;
template <template <class> class Queue>
  requires OwnPolledQueue<Queue> || OwnWaitingQueue<Queue>
void check_example() {{ check_queue(under_test<Queue<Letter>>()); }}
int written(int argc, char** argv);
int main(int argc, char** argv) {{
  const std::string_view example = argv[1];
  Header header;
{considered}
  if (!header.candidates().empty()) run_own(header, example, compiled_with({{}}), argc - 1, argv + 1);
  if (example != "others") return written(argc, argv);
{checks}
}}
#define main written
"""
"""A probe of each measured example, named by its first word, and the checks of all others, which are queues; with other
words it is the probe that threadping writes, whose `main` follows: most of the time to compile one goes into what all
include."""

LEFT_OUT = """#if 0
class No {};
#endif
#define MY_API __attribute__((visibility("default")))
void my_unlock(bool&);
class MY_API Mine { public: void lock() { while (__atomic_test_and_set(&held_, __ATOMIC_ACQUIRE)) {} }
  void unlock() { my_unlock(held_); } private: bool held_ = false; };
"""

pytestmark = [
    pytest.mark.timeout(300),  # all but one worker wait for the first to compile
    pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="a C++ compiler is missing"),
    pytest.mark.skipif(
        not (probes_folder() / "dev" / "include" / "threadping").exists(),
        reason="the headers for custom mechanisms are not installed with the probes",
    ),
]


def is_installed(header: Path) -> bool:
    """Return whether the library of an example is there, and is one of headers alone."""
    included = re.findall(r"#include <(.+/.+)>", text := header.read_text())
    return "pkg-config" not in text and all((Path("/usr/include") / one).exists() for one in included)


def built(header: Path, flags: str = "-O0 -g0", telling: Callable[[str], None] = lambda _: None) -> OwnMechanism:
    _, (source,) = read_mechanisms([str(header)])
    return compiled(source, find_compiler(os.environ, None, flags), header.parent, telling)


def link(folder: Path, barrier: str) -> None:
    """Compile what the header of one's own is linked with."""
    (source := folder / "my.cpp").write_text(f"void my_unlock(bool& held) {{ __atomic_clear(&held, {barrier}); }}\n")
    subprocess.run(["c++", "-c", str(source), "-o", str(folder / "my.o")], check=True, timeout=60)


def flags_in(folder: Path) -> str:
    return f"-O0 -g0 -include '{folder / 'together.hpp'}' '{folder / 'my.o'}'"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All examples, and a header of one's own, in one program, without optimisation: that takes a third of the time."""

    def build(folder: Path) -> None:
        there = {header.stem: header for header in EXAMPLES if is_installed(header)}
        classes = {stem: candidates(classes_of(header.read_text())) for stem, header in there.items()}
        others = classes.keys() - MEASURED.keys()
        considered = [
            f'  if (example == "{stem}") header.consider<{name}>("{name}");'
            for stem in classes.keys() - others
            for name in classes[stem]
        ]
        text = TOGETHER.format(
            includes="\n".join(f'#include "{header}"' for header in there.values()),
            considered="\n".join(considered),
            checks="\n".join(f"  check_example<{classes[stem][-1]}>();" for stem in others),
        )
        (folder / "together.hpp").write_text(text)
        (folder / "my.hpp").write_text(LEFT_OUT)
        link(folder, "__ATOMIC_RELEASE")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("threadping.probes.custom_cpp.COMPILE_SECONDS", 200.0)
            own = built(folder / "my.hpp", flags_in(folder))
        (folder / "own.json").write_bytes(msgspec.json.encode(own))
        (folder / "probe").symlink_to(own.command[0])

    return made_once(tmp_path_factory, "examples-cpp", build) / "probe"


@pytest.mark.parametrize("name", MEASURED)
def test_an_example_keeps_the_contract_and_is_measured(name: str, program: Path) -> None:
    if not is_installed(ROOT / "examples" / "cpp" / f"{name}.hpp"):
        pytest.skip(f"the library of {name}.hpp is not installed")
    command = (str(program), name, "--name", name)
    check(OwnMechanism(name, name, command, "", ""))
    probe = Runtime(name, "cpp", command, "")
    description = describe(probe).description
    validator_of("describe").validate(json.loads(msgspec.json.encode(description)))
    assert {one.name for one in description.experiments} == MEASURED[name]
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        request = patient_request(experiment.name, name, "unpinned", mechanism.lines, alone=True)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)
    apart = (str(ALLOWED[0]), str(ALLOWED[-1]))  # two that spin on one CPU wait for a time slice at each handoff
    assert float(subprocess.run((*command, "bare", *apart, "5"), capture_output=True, check=True).stdout) > 0


def test_all_other_examples_keep_the_contract_and_every_one_is_short(program: Path) -> None:
    assert {header.stem for header in EXAMPLES} > MEASURED.keys()
    assert [header.name for header in EXAMPLES if len(header.read_text().splitlines()) > 32] == []
    done = subprocess.run([str(program), "others"], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_hand_written_baseline_takes_three_numbers(program: Path) -> None:
    for words in ("bare", "bare 0 1", "bare 0 x 5", "bare 0 -1 5", "bare 0 1 5 6"):
        assert subprocess.run((str(program), "spinlock", *words.split()), capture_output=True).returncode == 2, words


def refuse(said: str) -> None:
    raise RuntimeError(said)


def test_what_is_left_out_is_not_looked_at_and_what_is_linked_counts(program: Path) -> None:
    own = msgspec.json.decode((program.parent / "own.json").read_bytes(), type=OwnMechanism)
    check(own)
    header, flags = program.parent / "my.hpp", flags_in(program.parent)
    assert built(header, flags, refuse) == own
    link(program.parent, "__ATOMIC_SEQ_CST")
    with pytest.raises(RuntimeError, match="compiling "):
        built(header, flags, refuse)


def test_a_program_that_is_wrong_says_where(tmp_path: Path) -> None:
    """Of a file that is missing, a compiler speaks before it reads what all include. The library reports other faults;
    its tests compile them all at once."""
    header = tmp_path / "my.hpp"
    header.write_text('class Lock {};\n#include "gone.hpp"\n')
    with pytest.raises(UsageError, match=r"my\.hpp' does not compile: line 2: gone\.hpp: No such file"):
        built(header)


PROBE = ROOT / "contract" / "examples" / "probe.py"
RUNTIME = Runtime("python", "probe", (str(PROBE),), "")


def test_the_probe_of_the_docs_keeps_the_contract_in_few_lines() -> None:
    (experiment,) = describe(RUNTIME).description.experiments
    request = patient_request("signal", "python-semaphore", "unpinned", 1, alone=True)
    outcome = run_trial(RUNTIME, request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    assert_ping(outcome.result, experiment, experiment.mechanisms[0])
    assert sum(thread.voluntary_switches for thread in outcome.result.threads) > 0
    assert len([line for line in PROBE.read_text().splitlines() if line.strip()]) < 90


def test_the_probe_of_the_docs_ends_at_its_bound_with_a_window_at_least() -> None:
    request = patient_request("signal", "python-semaphore", "unpinned", 1)
    warmup = replace(request.warmup, ops=1_000_000)
    request = replace(request, warmup=warmup, measure_ns=60_000_000_000, bound_ns=50_000_000)
    outcome = run_trial(RUNTIME, request, start_seconds=START_SECONDS)
    assert outcome.result, (outcome.failure, outcome.log)
    assert outcome.result.warmup.ended == "limit" and outcome.result.measured.cut
    assert {*outcome.result.windows.kind} == {"throughput", "sampling"}
