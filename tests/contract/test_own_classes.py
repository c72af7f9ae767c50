"""Classes of somebody's own in Java: compiled as a stranger does, tried, described and measured by the real probe."""

import json
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.contract.real_probes import FIRSTS, START_SECONDS, patient_request, validator_of
from tests.trials import run_trial
from threadping.cli.app import run
from threadping.conduct.environment import resolve
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.contract import SECOND
from threadping.model.errors import ProbeUnusable, ThreadpingError, UsageError
from threadping.planning.selection import Selection
from threadping.probes.builds import own_java, read_mechanisms
from threadping.probes.custom_cpp import check
from threadping.probes.java import JAR, OLDEST_MAJOR, flagged
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

JAVAS = [runtime for runtime in FIRSTS if runtime.probe == "java"]
EXPERIMENTS = {"signal": ["signal", "load"], "queue": ["queue", "load"], "lock": ["lock"]}
STRICT = ("-Xlint:all", "-Werror")

SPINNING = """
public class Spinning extends java.util.concurrent.atomic.AtomicBoolean implements threadping.Lock {
  private static final long serialVersionUID = 1L;
  public long acquire() { while (!compareAndSet(false, true)) Thread.yield(); return 0; }
  public void release(long stamp) { set(false); }
}
"""
ACQUIRING = {
    "Nothing": "",
    "Yielding": "Thread.yield();",
    "Halting": "Runtime.getRuntime().halt(3);",
    "Allocating": "long[][] all = new long[1 << 20][]; for (int i = 0; i >= 0; i++) all[i] = new long[1 << 20];",
    "Waiting": "try { Thread.sleep(60_000); } catch (InterruptedException e) { throw new Error(e); }",
    "Crashing": (
        "synchronized (Crashing.class) { try {"
        ' var f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe"); f.setAccessible(true);'
        " ((sun.misc.Unsafe) f.get(null)).putLong(8L, 1); }"
        " catch (ReflectiveOperationException e) { throw new Error(e); } }"
    ),
}
"""What locks do to be acquired."""

pytestmark = [
    pytest.mark.skipif(not JAVAS, reason="no Java probe here"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="a JDK is missing"),
]


def compiled(folder: Path, *names: str, lint: tuple[str, ...] = STRICT) -> None:
    """Compile these classes as the printed command does, for the oldest Java that runs them."""
    for_java = ("--release", str(OLDEST_MAJOR), "-cp", str(probes_folder() / JAR), "-d", str(folder))
    files = [str(folder / f"{name}.java") for name in names]
    subprocess.run(["javac", *lint, *for_java, *files], check=True, timeout=100)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All classes, those that `threadping new` writes too, by two starts of the compiler."""
    folder = tmp_path_factory.mktemp("classes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for concept in EXPERIMENTS:
            assert run(["new", concept, "--language", "java", f"my_{concept}"]) == 0
    sources = {"Spinning": SPINNING, "Wrong": "public class Wrong {}"}
    for name, acquiring in ACQUIRING.items():
        inside = f"public long acquire() {{ {acquiring} return 0; }} public void release(long stamp) {{}}"
        sources[name] = f"public class {name} implements threadping.Lock {{ {inside} }}"
    for name, source in sources.items():
        (folder / f"{name}.java").write_text(source)
    strict = sources.keys() - {"Crashing"} | {f"My{concept.title()}" for concept in EXPERIMENTS}
    compiled(folder, *sorted(strict))
    compiled(folder, "Crashing", lint=("-nowarn",))
    return folder


def own(folder: Path, name: str) -> Runtime:
    return own_java((str(folder), name), JAVAS[0])


def try_it(probe: Runtime, name: str) -> None:
    """Let the probe check that its class keeps the contract."""
    check(OwnMechanism(name, name, probe.command, "", ""))


@pytest.mark.parametrize("concept", EXPERIMENTS)
def test_the_output_of_new_compiles_keeps_the_contract_and_is_measured(concept: str, classes: Path) -> None:
    name = f"My{concept.title()}"
    probe = own(classes, name)
    try_it(probe, name)
    description = describe(probe).description
    validator_of("describe").validate(json.loads(msgspec.json.encode(description)))
    assert [one.name for one in description.experiments] == EXPERIMENTS[concept]
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        assert mechanism.name == name
        assert mechanism.words
        request = patient_request(experiment.name, name, "unpinned", 1)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, outcome.failure
        assert all(held.made == held.found for held in outcome.result.counts.values() if held.exact)


def test_two_classes_of_one_name_are_distinguished(classes: Path) -> None:
    (experiment,) = describe(own_java((str(classes), "Nothing"), JAVAS[0], "head/Nothing")).description.experiments
    assert [one.name for one in experiment.mechanisms] == ["head/Nothing"]
    assert own(classes, "Nothing").command[:-2] == JAVAS[0].command


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
    ("name", "code", "said"),
    [
        ("Halting", "crashed", "exit status 3"),
        ("Allocating", "unsupported", "memory"),
        ("Waiting", "stalled", "No thread gets the lock any more"),
        ("Crashing", "crashed", "SIGSEGV"),
    ],
)
def test_what_goes_wrong_in_a_process_is_the_failure_of_its_trial(
    name: str, code: str, said: str, classes: Path
) -> None:
    """What a class throws is asked in Java's own tests."""
    probe = flagged(own(classes, name), "-Xmx64m")
    request = patient_request("lock", name, "unpinned", 1)
    if code == "stalled":
        request = replace(request, patience_ns=SECOND)
    outcome = run_trial(probe, request, start_seconds=START_SECONDS)
    assert outcome.failure
    assert outcome.failure.code == code
    assert said in outcome.failure.message
