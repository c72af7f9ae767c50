"""Classes of somebody's own in Java: compiled as a stranger does, tried, described and measured by the real probe."""

import json
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.contract.real_probes import FIRSTS, START_SECONDS, made_once, patient_request, validator_of
from tests.trials import run_trial
from threadping.cli.app import run
from threadping.conduct.environment import resolve
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import ProbeUnusable, ThreadpingError, UsageError
from threadping.planning.selection import Selection
from threadping.probes.builds import own_java, read_mechanisms
from threadping.probes.custom_cpp import check
from threadping.probes.java import JAR, OLDEST_MAJOR, flagged
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

JAVAS = [runtime for runtime in FIRSTS if runtime.probe == "java"]
CONCEPTS = ("signal", "queue", "lock")

SPINNING = """
public class Spinning extends java.util.concurrent.atomic.AtomicBoolean implements threadping.Lock {
  private static final long serialVersionUID = 1L;
  public long acquire() { while (!compareAndSet(false, true)) Thread.yield(); return 0; }
  public void release(long stamp) { set(false); }
}
"""
ACQUIRING = {
    "Yielding": "Thread.yield();",
    "Allocating": "long[][] all = new long[1 << 20][]; for (int i = 0; i >= 0; i++) all[i] = new long[1 << 20];",
    "Crashing": (
        'synchronized (Crashing.class) { try { var type = Class.forName("sun.misc.Unsafe");'
        ' var f = type.getDeclaredField("theUnsafe"); f.setAccessible(true);'
        ' type.getMethod("putLong", long.class, long.class).invoke(f.get(null), 8L, 1L);'
        " } catch (ReflectiveOperationException e) { throw new Error(e); } }"
    ),
}
"""What locks do to be acquired."""

pytestmark = [
    pytest.mark.skipif(not JAVAS, reason="no Java probe here"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="a JDK is missing"),
]


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All classes, those that `threadping new` writes too, compiled once, as the printed command does, for the oldest
    Java that runs them."""

    def compile_all(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for concept in CONCEPTS:
                assert run(["new", concept, "--language", "java", f"my_{concept}"]) == 0
        sources = {"Spinning": SPINNING, "Wrong": "public class Wrong {}"}
        for name, acquiring in ACQUIRING.items():
            inside = f"public long acquire() {{ {acquiring} return 0; }} public void release(long stamp) {{}}"
            sources[name] = f"public class {name} implements threadping.Lock {{ {inside} }}"
        for name, source in sources.items():
            (folder / f"{name}.java").write_text(source)
        javac = ("javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-Xlint:all", "-Werror")
        for_java = ("--release", str(OLDEST_MAJOR), "-cp", str(probes_folder() / JAR), "-d", str(folder))
        subprocess.run([*javac, *for_java, *map(str, folder.glob("*.java"))], check=True, timeout=100)

    return made_once(tmp_path_factory, "classes", compile_all)


def own(folder: Path, name: str) -> Runtime:
    return own_java((str(folder), name), JAVAS[0])


def try_it(probe: Runtime, name: str) -> None:
    """Let the probe check that its class keeps the contract."""
    check(OwnMechanism(name, name, probe.command, "", ""))


@pytest.mark.parametrize("concept", CONCEPTS)
def test_the_output_of_new_compiles_and_keeps_the_contract(concept: str, classes: Path) -> None:
    """Java's own tests measure such classes by every experiment."""
    name = f"My{concept.title()}"
    try_it(own(classes, name), name)


def test_two_classes_of_one_name_are_distinguished(classes: Path) -> None:
    description = describe(own_java((str(classes), "MySignal"), JAVAS[0], "head/MySignal")).description
    validator_of("describe").validate(json.loads(msgspec.json.encode(description)))
    assert [one.name for one in description.experiments] == ["signal", "load"]
    assert {one.name for e in description.experiments for one in e.mechanisms if one.words} == {"head/MySignal"}
    assert own(classes, "MySignal").command[:-2] == JAVAS[0].command


def test_a_custom_class_is_measured_with_ours_in_one_table(classes: Path) -> None:
    messages: list[str] = []
    given = f"{classes}:Spinning"
    _, sources = read_mechanisms([given, "reentrant-lock"])
    (runtime,) = resolve(sources, [JAVAS[0]], Selection(), messages.append)
    described = describe(runtime)
    names = [m.name for e in described.description.experiments if e.name == "lock" for m in e.mechanisms]
    assert {"Spinning", "reentrant-lock"} < set(names)
    for mechanism in ("Spinning", "reentrant-lock"):
        request = patient_request("lock", mechanism, "unpinned", 1)
        outcome = run_trial(described.runtime, request, start_seconds=START_SECONDS)
        assert outcome.result, outcome.failure
    assert messages == [f"{runtime.label}: checking whether {given} keeps its contract \N{HORIZONTAL ELLIPSIS}"]


def test_what_is_broken_is_refused_in_a_sentence(classes: Path) -> None:
    with pytest.raises(
        ThreadpingError,
        match=r"^'Yielding' is not measured\. Yielding let two threads in at once\. Correct it, then measure again\.$",
    ):
        try_it(own(classes, "Yielding"), "Yielding")


def test_what_cannot_be_tried_is_a_wrong_request(classes: Path) -> None:
    probe = own(classes, "Wrong")
    sentence = r"The class 'Wrong' is no signal, queue or lock: let it implement .*"
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        try_it(probe, "Wrong")
    with pytest.raises(ProbeUnusable, match=sentence):
        describe(probe)


@pytest.mark.parametrize(
    ("name", "code", "said"), [("Crashing", "crashed", "SIGSEGV"), ("Allocating", "unsupported", "memory")]
)
def test_what_goes_wrong_in_a_process_is_the_failure_of_its_trial(
    name: str, code: str, said: str, classes: Path
) -> None:
    """What else goes wrong is asked in Java's own tests, or of a fake probe."""
    request = patient_request("lock", name, "unpinned", 1)
    outcome = run_trial(flagged(own(classes, name), "-Xmx64m"), request, start_seconds=START_SECONDS)
    assert outcome.failure
    assert outcome.failure.code == code
    assert said in outcome.failure.message
