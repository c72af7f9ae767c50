"""A probe's description, its version of the contract, and the start of its JVM."""

import os
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT, largest_file
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import FlagRefused, ProbeUnusable
from threadping.probes import java as class_archives
from threadping.probes import runtimes
from threadping.probes.builds import build_of, files_of_own, own_java, read_java_class
from threadping.probes.java import SAFEPOINTS, with_class_archive
from threadping.probes.language import limits_set
from threadping.probes.process import Bounded, ProcessEnd
from threadping.probes.runtimes import Described, describe, describe_each, read_topology
from threadping.probes.trial import other_schema

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


def asked_in_turn(monkeypatch: pytest.MonkeyPatch, working_s: float, **said: Sequence[bool]) -> list[list[str]]:
    """Have each probe answer or hang as often as it is asked, and work meanwhile; return who is asked at once."""
    asked, answers, took_s = list[list[str]](), {name: iter(each) for name, each in said.items()}, count(0.0, working_s)

    def run_together(wanted: Sequence[Bounded]) -> list[ProcessEnd]:
        asked.append([one.command[0] for one in wanted])
        line = " ".join(DESCRIPTION.split())
        ends = [(0, line) if next(answers[name]) else (None, "so far") for name in asked[-1]]
        return [ProcessEnd(status, log, 3_000_000_000) for status, log in ends]

    monkeypatch.setattr("threadping.probes.process.run_together", run_together)
    monkeypatch.setattr("resource.getrusage", lambda _: SimpleNamespace(ru_utime=next(took_s), ru_stime=0.0))
    return asked


def test_those_that_hang_are_waited_for_once_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_in_turn(monkeypatch, 0.0, one=(False,) * 2, two=(False,) * 2, slow=(False, True), quick=(True,))
    *hung, slow, quick = describe_each([Runtime(name, "cpp", (name,), "") for name in ("one", "two", "slow", "quick")])
    assert isinstance(slow, Described) and isinstance(quick, Described) and slow.runtime.label == "slow"
    assert asked == [["one"], ["two"], ["slow"], ["quick"], ["one", "two", "slow"]]
    assert [str(one).partition(" See what `")[0] for one in hung] == [
        f"Runtime {name} did not answer within 3 s when asked for its description: so far." for name in ("one", "two")
    ]


def test_one_that_works_for_long_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with -Xcomp: twice it is at work when it is killed."""
    asked = asked_in_turn(monkeypatch, 2.9, slow=(False, False, True))
    assert describe(Runtime("java-21", "java", ("slow",), "")).runtime.label == "java-21"
    assert asked == [["slow"]] * 3


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
        ("echo '{\"schema\": 4}'", "answers 'describe' with a message that this threadping cannot read ("),
        ("echo hello", "answers 'describe' with nothing readable."),
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
    monkeypatch.setattr(runtimes, "limits_set", lambda: ["ulimit -v 95.4 MiB"])
    assert unusable(jvm(tmp_path, "kill -11 $$")).partition(" See ")[0].endswith("Limited here: ulimit -v 95.4 MiB.")


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
    with largest_file(1 << 30):
        assert {"ulimit -f 1 GiB", "memory.max 64 MiB", "pids.max 24"} <= set(limits_set(tmp_path))
    assert not any("memory" in one or "pids" in one for one in limits_set(tmp_path / "none"))


DEEP = '{"schema": 1, "deep": ' + 100_000 * "["
REMEDY = "they come from different builds. Rebuild it with `make setup`, or reinstall threadping."


def test_another_version_is_distinguished_from_ours_and_from_no_message() -> None:
    rows: list[tuple[str | bytes, int | None]] = [
        ('{"schema": 1, "probe": "cpp"}', 1),
        ('{"schema": 1', None),
        ('{"probe": {"schema": 2}, "schema": 5}', 5),
        (b'{"schema":1,"error":{"code":"bad-request","message":"schema: 2 instead of 1"}}', 1),
        *((raw, None) for raw in ('{"schema": 4}', '{"probe": "cpp"}', '{"schema": "1"}', b"\xff", "[]", DEEP)),
    ]
    for raw, spoken in rows:
        expected = spoken and f"uses schema {spoken} of the contract, threadping uses 4: {REMEDY}"
        assert other_schema(raw) == expected


@pytest.mark.parametrize("ask", [describe, read_topology])
def test_what_is_nested_deeply_or_of_another_version_is_refused(
    tmp_path: Path, ask: Callable[[Runtime], object]
) -> None:
    (file := tmp_path / "said").write_text('{"schema": 4, "deep": ' + 20_000 * "[" + "\n")
    runtime = Runtime("java-17", "java", ("sh", "-c", f"cat {file}"), "")
    with pytest.raises(ProbeUnusable, match="with a message that this threadping cannot read"):
        ask(runtime)
    file.write_text('Picked up JAVA_TOOL_OPTIONS\n{"schema": 1, "cpu_cost": 0}\n')
    with pytest.raises(ProbeUnusable) as caught:
        ask(runtime)
    sentence = f"Runtime java-17: its probe uses schema 1 of the contract, threadping uses 4: {REMEDY}"
    assert (str(caught.value), caught.value.exit_code) == (sentence, 1)


def test_what_names_a_class() -> None:
    rows: list[tuple[str, tuple[str, str] | None]] = [
        ("my.jar:com.acme.MyQueue", ("my.jar", "com.acme.MyQueue")),
        ("a.jar:b.jar:MyQueue", ("a.jar:b.jar", "MyQueue")),
        ("target/classes:acme.Outer$Inner", ("target/classes", "acme.Outer$Inner")),
        *((text, None) for text in ("", "Mine", ":Mine", "my.jar:", "my.jar", "./my.hpp:Mine+", "cas-one-line", "a:b")),
    ]
    for text, read in rows:
        assert read_java_class(text) == read


def test_its_class_path_holds_wherever_the_probe_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes").mkdir()
    assert read_java_class("classes:Mine") == ("classes", "Mine")  # a folder needs no slash
    monkeypatch.setenv("HOME", "/home/me")
    plain = Runtime("java-17", "java", ("java", "-jar", "probe.jar"), "")
    own = ("a.jar:~/b.jar", "acme.Mine")
    assert own_java(own, plain).command == (*plain.command, "--own", f"{tmp_path}/a.jar:/home/me/b.jar:acme.Mine")
    assert own_java(own, plain, "head/Mine").command[-2:] == ("--name", "head/Mine")


def test_another_class_is_another_build(tmp_path: Path) -> None:
    for name, text in (("Mine.class", "one"), ("probe.jar", "probe"), ("java", "")):
        (tmp_path / name).write_text(text)
    plain = Runtime("java-17", "java", (str(tmp_path / "java"), "-jar", str(tmp_path / "probe.jar")), "")
    own = own_java((str(tmp_path), "Mine"), plain)
    assert [file.name for file in files_of_own(own.command)] == ["Mine.class"]
    other = replace(plain, own=(OwnMechanism("Mine", "", own.command, "one", ""),))
    before = [build_of(one) for one in (own, other)]
    (tmp_path / "Mine.class").write_text("two")
    assert not {*before} & {build_of(own), build_of(other)}


JVM = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
for flag; do
  case "$flag" in
    -XX:DumpLoadedClassList=*) echo java/lang/Object > "${flag#*=}" ;;
    -XX:SharedClassListFile=*) list="${flag#*=}" ;;
    -XX:SharedArchiveFile=*) [ -n "$list" ] && cp "$list" "${flag#*=}" ;;
  esac
done
"""


@pytest.fixture
def java(tmp_path: Path) -> Runtime:
    launcher, jar = tmp_path / "java", tmp_path / "probe.jar"
    launcher.write_text(JVM)
    launcher.chmod(0o755)
    jar.write_text("classes")
    return Runtime("java-17", "java", (str(launcher), "-XX:+UseZGC", "-jar", str(jar)), "")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "classes"


def test_an_archive_is_made_once_with_the_runtimes_flags_and_precedes_the_jar(java: Runtime, cache: Path) -> None:
    made: list[Runtime] = []
    quick, again = (with_class_archive(java, cache, made.append) for _ in range(2))
    (archive,) = cache.iterdir()
    assert quick.command == (*java.command[:2], f"-XX:SharedArchiveFile={archive}", *java.command[2:])
    assert archive.read_text() == "java/lang/Object\n"
    assert (quick.label, again, made) == ("java-17", quick, [java])
    rehearsal, dump = (cache.parent.parent / "calls").read_text().splitlines()
    assert rehearsal.startswith("-XX:+UseZGC -XX:DumpLoadedClassList=")
    assert " rehearse --request " in rehearsal
    assert dump.startswith("-XX:+UseZGC -Xshare:dump ")


def test_a_newer_probe_has_another_archive_in_the_place_of_the_old_one(java: Runtime, cache: Path) -> None:
    before = with_class_archive(java, cache)
    Path(java.command[-1]).write_text("more classes")
    after = with_class_archive(java, cache)
    assert before.command != after.command
    assert [f"-XX:SharedArchiveFile={file}" for file in cache.iterdir()] == [after.command[2]]


def test_a_probe_of_ones_own_class_starts_from_the_archive_of_its_virtual_machine(java: Runtime, cache: Path) -> None:
    quick = with_class_archive(java, cache)
    own = with_class_archive(replace(java, command=(*java.command, "--own", "classes:Mine")), cache)
    assert own.command == (*quick.command, "--own", "classes:Mine")
    assert "--own" not in (cache.parent.parent / "calls").read_text()


def test_other_flags_have_another_archive(java: Runtime, cache: Path) -> None:
    with_class_archive(java, cache)
    with_class_archive(Runtime("java-17", "java", (java.command[0], *java.command[2:]), ""), cache)
    assert len(list(cache.iterdir())) == 2
    with_class_archive(replace(java, label="java-17 -Xint"), cache)  # of the environment
    assert len(list(cache.iterdir())) == 3


def use(java: Runtime, cache: Path, number: int) -> Path:
    flagged = Runtime("java-17", "java", (java.command[0], f"-Xmn{number}m", *java.command[2:]), "")
    return Path(with_class_archive(flagged, cache).command[2].removeprefix("-XX:SharedArchiveFile="))


def test_the_archive_used_longest_ago_goes(java: Runtime, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_archives, "MOST_ARCHIVES", 4)
    archives = first, _, third, fourth = [use(java, cache, number) for number in range(1, 5)]
    class_archives._used_here.clear()  # another process does what follows
    for seconds, archive in enumerate(archives, start=1_000_000_000):
        os.utime(archive, (seconds, seconds))
    assert use(java, cache, 1) == first  # made before all others, and used after them
    fifth = use(java, cache, 5)
    assert set(cache.iterdir()) == {first, third, fourth, fifth}


def test_no_archive_goes_that_this_process_uses(java: Runtime, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_archives, "MOST_ARCHIVES", 2)
    archives = [use(java, cache, number) for number in range(5)]
    for seconds, archive in enumerate(archives, start=1_000_000_000):
        os.utime(archive, (seconds, seconds))
    assert [use(java, cache, number) for number in range(5)] == archives
    assert set(cache.iterdir()) == set(archives)
    assert len((cache.parent.parent / "calls").read_text().splitlines()) == 5 * 2


def test_what_is_not_to_be_made_is_used_where_it_is_there(java: Runtime, cache: Path) -> None:
    assert with_class_archive(java, cache, None) == java
    made = with_class_archive(java, cache)
    assert with_class_archive(java, cache, None) == made != java


@pytest.mark.parametrize("flag", ["-Xshare:auto", "-XX:SharedArchiveFile=mine.jsa", "-XX:AOTCache=mine.aot"])
def test_who_chooses_what_is_shared_is_left_alone(java: Runtime, cache: Path, flag: str) -> None:
    chosen = Runtime("java-17", "java", (java.command[0], flag, *java.command[2:]), "")
    assert with_class_archive(chosen, cache) == chosen
    assert not cache.exists()


def test_a_virtual_machine_that_makes_no_archive_only_starts_more_slowly(java: Runtime, cache: Path) -> None:
    Path(java.command[0]).write_text("#!/bin/sh\nexit 1\n")
    making: list[Runtime] = []
    assert with_class_archive(java, cache, making.append) == java
    assert (list(cache.iterdir()), making) == ([], [])


def test_without_a_writable_cache_or_a_launcher_the_runtime_is_unchanged(java: Runtime, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert with_class_archive(java, tmp_path / "file" / "classes") == java
    Path(java.command[0]).unlink()  # which is noticed when it is asked to describe itself
    assert with_class_archive(java, tmp_path / "classes") == java
