"""Classes of somebody's own in Java: compiled as a stranger does, tried, described and measured by the real probe."""

import json
import shutil
import subprocess
import sys
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
from threadping.model.errors import ProbeUnusable, PromiseBroken, UsageError
from threadping.planning.selection import Selection
from threadping.probes.builds import own_java, read_mechanisms
from threadping.probes.custom_cpp import check
from threadping.probes.java import JAR, OLDEST_MAJOR, flagged
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

JAVAS = [runtime for runtime in FIRSTS if runtime.probe == "java"]
EXPERIMENTS = {"signal": ["signal", "load"], "queue": ["queue", "load"], "lock": ["lock"]}
STRICT = ("-Xlint:all", "-Werror")
WAITING = "try { Thread.sleep(60_000); } catch (InterruptedException e) { throw new Error(e); }"

SPINNING = """
public class Mine extends java.util.concurrent.atomic.AtomicBoolean implements threadping.Lock {
  private static final long serialVersionUID = 1L;
  public long acquire() { while (!compareAndSet(false, true)) Thread.yield(); return 0; }
  public void release(long stamp) { set(false); }
}
"""

pytestmark = [
    pytest.mark.skipif(not JAVAS, reason="no Java probe here"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="a JDK is missing"),
]


def own(folder: Path, name: str, source: str | None = None, lint: tuple[str, ...] = STRICT) -> Runtime:
    """The probe of this class, compiled as the printed command does, for the oldest Java that runs it."""
    file = folder / f"{name}.java"
    if source:
        file.write_text(source)
    for_java = ("--release", str(OLDEST_MAJOR), "-cp", str(probes_folder() / JAR), "-d", str(folder))
    subprocess.run(["javac", *lint, *for_java, str(file)], check=True, timeout=100)
    return own_java((str(folder), name), JAVAS[0])


def try_it(probe: Runtime) -> None:
    """Let the probe check that its class keeps the contract."""
    check(OwnMechanism("Mine", "Mine", probe.command, "", ""))


def lock(acquiring: str) -> str:
    inside = f"public long acquire() {{ {acquiring} return 0; }} public void release(long stamp) {{}}"
    return f"public class Mine implements threadping.Lock {{ {inside} }}"


@pytest.mark.parametrize("concept", EXPERIMENTS)
def test_the_output_of_new_compiles_keeps_the_contract_and_is_measured(
    concept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", concept, "--language", "java", "mine"]) == 0
    probe = own(tmp_path, "Mine")
    try_it(probe)
    description = describe(probe).description
    validator_of("describe").validate(json.loads(msgspec.json.encode(description)))
    assert [one.name for one in description.experiments] == EXPERIMENTS[concept]
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        assert mechanism.name == "Mine"
        assert mechanism.words
        request = patient_request(experiment.name, "Mine", "unpinned", 1)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, outcome.failure
        assert all(held.made == held.found for held in outcome.result.counts.values() if held.exact)


def test_two_classes_of_one_name_are_distinguished(tmp_path: Path) -> None:
    probe = own(tmp_path, "Mine", lock(""))
    (experiment,) = describe(own_java((str(tmp_path), "Mine"), JAVAS[0], "head/Mine")).description.experiments
    assert [one.name for one in experiment.mechanisms] == ["head/Mine"]
    assert probe.command[:-2] == JAVAS[0].command


def test_a_custom_class_is_measured_with_ours_in_one_table(tmp_path: Path) -> None:
    own(tmp_path, "Mine", SPINNING)
    messages: list[str] = []
    given = f"{tmp_path}:Mine"
    _, sources = read_mechanisms([given, "reentrant-lock"])
    (runtime,) = resolve(sources, [JAVAS[0]], Selection(), messages.append)
    described = describe(runtime)
    names = [m.name for e in described.description.experiments if e.name == "lock" for m in e.mechanisms]
    assert {"Mine", "reentrant-lock"} < set(names)
    for mechanism in ("Mine", "reentrant-lock"):
        request = patient_request("lock", mechanism, "unpinned", 1)
        outcome = run_trial(described.runtime, request, start_seconds=START_SECONDS)
        assert outcome.result, outcome.failure
    assert messages == [f"{runtime.label}: checking whether {given} keeps its contract \N{HORIZONTAL ELLIPSIS}"]


def test_what_is_broken_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        PromiseBroken,
        match=r"^'Mine' is not measured\. Mine let two threads in at once\. Correct it, then measure again\.$",
    ):
        try_it(own(tmp_path, "Mine", lock("Thread.yield();")))


def test_what_cannot_be_tried_is_a_wrong_request(tmp_path: Path) -> None:
    probe = own(tmp_path, "Mine", "public class Mine {}")
    sentence = r"The class 'Mine' is no signal, queue or lock: let it implement .*"
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        try_it(probe)
    with pytest.raises(ProbeUnusable, match=sentence):
        describe(probe)


@pytest.mark.parametrize(
    ("acquiring", "code", "said"),
    [
        ('if (true) throw new IllegalStateException("no");', "internal", "java.lang.IllegalStateException: no"),
        ("Runtime.getRuntime().halt(3);", "crashed", "exit status 3"),
        (
            "long[][] all = new long[1 << 20][]; for (int i = 0; i >= 0; i++) all[i] = new long[1 << 20];",
            "unsupported",
            "memory",
        ),
        (WAITING, "stalled", "No thread gets the lock any more"),
    ],
    ids=["throws", "ends the process", "allocates without end", "hangs"],
)
def test_what_goes_wrong_is_the_failure_of_its_trial(tmp_path: Path, acquiring: str, code: str, said: str) -> None:
    probe = flagged(own(tmp_path, "Mine", lock(acquiring)), "-Xmx64m")
    request = patient_request("lock", "Mine", "unpinned", 1)
    if code == "stalled":
        request = replace(request, patience_ns=SECOND)
    outcome = run_trial(probe, request, start_seconds=START_SECONDS)
    assert outcome.failure
    assert outcome.failure.code == code
    assert said in outcome.failure.message


@pytest.mark.skipif(sys.platform != "linux", reason="of a crash of the machine code")
def test_a_crash_is_named(tmp_path: Path) -> None:
    crashing = (
        "synchronized (Mine.class) { try {"
        ' var f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe"); f.setAccessible(true);'
        " ((sun.misc.Unsafe) f.get(null)).putLong(8L, 1); }"
        " catch (ReflectiveOperationException e) { throw new Error(e); } }"
    )
    probe = own(tmp_path, "Mine", lock(crashing), lint=("-nowarn",))
    request = patient_request("lock", "Mine", "unpinned", 1)
    outcome = run_trial(probe, request, start_seconds=START_SECONDS)
    assert outcome.failure
    assert outcome.failure.code == "crashed"
    assert "SIGSEGV" in outcome.failure.message
