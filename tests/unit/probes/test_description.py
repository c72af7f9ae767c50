"""What a probe may answer when it is asked what it can measure, with shell scripts as virtual machines."""

import resource
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import FlagRefused, ProbeUnusable
from threadping.probes import description
from threadping.probes.description import Described, describe, describe_each
from threadping.probes.java import SAFEPOINTS
from threadping.probes.language import limits_set

DESCRIPTION = (CONTRACT / "examples" / "good" / "describe.json").read_text()


def jvm(folder: Path, script: str, *flags: str, label: str = "java-21") -> Runtime:
    launcher = folder / f"{label}.sh"
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)
    return Runtime(label, "java", (str(launcher), SAFEPOINTS, *flags, "-jar", "probe.jar"), "")


def answers(folder: Path) -> str:
    (folder / "answer").write_text(" ".join(DESCRIPTION.split()) + "\n")
    return f"cat {folder / 'answer'}"


def unusable(runtime: Runtime) -> str:
    with pytest.raises(ProbeUnusable) as raised:
        describe(runtime)
    return str(raised.value)


def test_those_that_hang_are_waited_for_once_and_together_and_the_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(description, "QUICK_SECONDS", 0.2)
    monkeypatch.setattr(description, "PATIENCE_SECONDS", 3.0)
    hanging = [jvm(tmp_path, "echo so far; sleep 1000", label=f"java-{number}") for number in range(5)]
    slow = jvm(tmp_path, f"sleep 0.5; {answers(tmp_path)}", label="java-slow")
    start = time.monotonic()
    *hung, answered = describe_each([*hanging, slow])
    assert time.monotonic() - start < 5 * 3.0  # one after the other they would take longer, however quick the machine
    assert isinstance(answered, Described) and answered.runtime.label == "java-slow"
    assert [str(one) for one in hung] == [
        f"Runtime java-{number} did not answer within 3 s when asked for its description: so far" for number in range(5)
    ]


def test_one_that_works_for_long_does_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with -Xcomp: twice it is at work when it is killed."""
    monkeypatch.setattr(description, "QUICK_SECONDS", 0.3)
    monkeypatch.setattr(description, "PATIENCE_SECONDS", 2.0)
    monkeypatch.setattr(description, "WORKING_SECONDS", 0.05)
    works = f"""echo x >> {tmp_path}/times
    [ $(wc -l < {tmp_path}/times) -gt 2 ] || while :; do :; done
    {answers(tmp_path)}"""
    assert describe(jvm(tmp_path, works)).runtime.label == "java-21"


def test_one_that_knows_no_log_of_safepoints_is_measured_without_it(tmp_path: Path) -> None:
    refuses = f"""case "$1" in -Xlog*)
        echo "JVMJ9VM007E Command-line option unrecognised: $1"
        echo "Error: Could not create the Java Virtual Machine."
        exit 1
    esac
    {answers(tmp_path)}"""
    runtime = jvm(tmp_path, refuses, "-Xmx9m")
    own = OwnMechanism("cas-one-line", "m.jar:Q", (*runtime.command, "--own", "m.jar:Q"), "", "")
    found = describe(replace(runtime, own=(own,)))
    assert found.runtime.command[1:] == ("-Xmx9m", "-jar", "probe.jar")
    assert found.runtime.command_of(own.name)[1:] == ("-Xmx9m", "-jar", "probe.jar", "--own", "m.jar:Q")
    named = [one.name for one in found.description.experiments[0].mechanisms]
    assert named.count(own.name) == 2  # that of the probe itself, and the user's, once
    said = unusable(jvm(tmp_path, refuses.replace("-Xlog*", "-*"), label="java-no"))
    assert said.startswith("Runtime java-no does not start: its JVM does not know -jar.")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (
            "printf '\\033[31mred\\202\\n'; exit 3",
            "failed (exit status 3) when asked for its description: \\x1b[31mred�",
        ),
        ("printf 'a\\342\\200\\256b'; exit 3", "failed (exit status 3) when asked for its description: a\\u202eb"),
        ("kill -9 $$", "failed (signal SIGKILL) when asked for its description: it said nothing."),
        ("echo '{\"schema\": 4}'", "answers 'describe' in words that this threadping cannot read: "),
        ("echo hello", "answers 'describe' with nothing that can be read."),
    ],
)
def test_what_it_says_instead_is_repeated_so_that_no_terminal_obeys(tmp_path: Path, script: str, sentence: str) -> None:
    assert unusable(jvm(tmp_path, script)).startswith(f"Runtime java-21 {sentence}")


def test_who_is_called_by_escape_codes_is_named_without_them(tmp_path: Path) -> None:
    runtime = Runtime("evil\x1b[31m", "cpp", (str(tmp_path / "none"),), "")
    assert unusable(runtime).startswith("Runtime evil\\x1b[31m cannot be used. ")


def test_no_value_that_may_be_secret_is_repeated_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dkey=hunter2 -Xbad")
    picked_up = 'echo "Picked up JAVA_TOOL_OPTIONS: $JAVA_TOOL_OPTIONS"'
    for end in ("exit 1", "echo '-Dkey=hunter2 is not understood'; exit 1", "sleep 0; kill -6 $$"):
        assert "hunter2" not in unusable(jvm(tmp_path, f"{picked_up}\n{end}"))
    tells = DESCRIPTION.replace('"flags": [', '"flags": ["-Dkey=hunter2", ', 1)
    (tmp_path / "tells").write_text(" ".join(tells.split()) + "\n")
    found = describe(jvm(tmp_path, f"{picked_up}\ncat {tmp_path / 'tells'}"))
    assert "-Dkey=…" in found.runtime.version and "hunter2" not in repr(found)


@pytest.mark.parametrize(("variable", "kind"), [("", FlagRefused), ("JAVA_TOOL_OPTIONS", ProbeUnusable)])
def test_flags_of_the_environment_are_no_fault_of_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, kind: type[ProbeUnusable]
) -> None:
    monkeypatch.setenv(variable or "JDK_JAVA_OPTIONS", "-Xbad" if variable else "-Xother")
    with pytest.raises(ProbeUnusable) as raised:
        describe(jvm(tmp_path, "echo 'Unrecognized option: -Xbad'; exit 1", *([] if variable else ["-Xbad"])))
    assert type(raised.value) is kind
    assert ("JAVA_TOOL_OPTIONS" in str(raised.value)) == bool(variable)


def test_what_ends_without_a_word_may_have_met_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "limits_set", lambda: ["ulimit -v 95.4 MiB"])
    assert unusable(jvm(tmp_path, "kill -11 $$")).endswith("it said nothing. Limited here: ulimit -v 95.4 MiB.")


def test_the_limits_that_are_set_are_named(tmp_path: Path) -> None:
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text("5:pids:/pod\n4:memory:/pod\n0::/pod/inner\n")
    for place, said in {
        "pids/pod/pids.max": "24",
        "pids/pids.max": "max",
        "memory/pod/memory.limit_in_bytes": "9223372036854771712",
        "pod/memory.max": str(64 << 20),
        "pod/inner/memory.max": "max",
    }.items():
        file = tmp_path / "sys" / "fs" / "cgroup" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{said}\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, before[1]))
    try:
        assert {"ulimit -f 1 GiB", "memory.max 64 MiB", "pids.max 24"} <= set(limits_set(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not any("memory" in one or "pids" in one for one in limits_set(tmp_path / "none"))
