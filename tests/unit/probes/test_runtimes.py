from collections.abc import Iterable
from pathlib import Path

import pytest

from threadping.model.cases import Runtime
from threadping.model.errors import UnknownName, UsageError
from threadping.probes.java import find_jvms
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags


def make_jvm(home: Path, version: str, vendor: str) -> Path:
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.touch(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="{vendor}"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    folder = tmp_path / "probes"
    folder.mkdir()
    for name in ("threadping-probe", "threadping-probe.jar", "threadping-probe-jni.so", "threadping-probe-rust"):
        (folder / name).touch()
    return folder


@pytest.fixture
def system(tmp_path: Path) -> Path:
    jvms = tmp_path / "root" / "usr" / "lib" / "jvm"
    make_jvm(jvms / "a-17", "17.0.15", "Debian")
    make_jvm(jvms / "b-17", "17.0.1", "Eclipse Adoptium")
    make_jvm(jvms / "c-8", "1.8.0_402", "Debian")
    make_jvm(jvms / "d-25", "25.0.3", "Eclipse Adoptium")
    (jvms / "default").symlink_to(jvms / "a-17")
    (jvms / "broken").mkdir()
    return tmp_path / "root"


@pytest.fixture
def found(system: Path, probes: Path) -> Found:
    return find_runtimes({}, system, probes)


def labels(runtimes: Iterable[Runtime]) -> list[str]:
    return [runtime.label for runtime in runtimes]


def test_every_home_is_found_once_and_a_broken_one_is_not(system: Path) -> None:
    homes = [(jvm.home.name, jvm.major, jvm.vendor) for jvm in find_jvms({}, system)[0]]
    assert homes[:2] == [("a-17", 17, "debian"), ("b-17", 17, "adoptium")]
    assert homes[2:] == [("c-8", 8, "debian"), ("d-25", 25, "adoptium")]


def test_java_home_comes_first_then_path_and_sdkman_is_looked_into(system: Path, tmp_path: Path) -> None:
    mine = make_jvm(tmp_path / "mine", "21.0.2", "Me")
    on_path = make_jvm(tmp_path / "on-path", "11.0.2", "Other")
    make_jvm(tmp_path / ".sdkman" / "candidates" / "java" / "23.0.1-tem", "23.0.1", "Eclipse Adoptium")
    environment = {"JAVA_HOME": str(mine), "PATH": str(on_path / "bin"), "HOME": str(tmp_path)}
    assert [jvm.major for jvm in find_jvms(environment, system)[0]] == [21, 11, 17, 17, 8, 25, 23]


def test_labels_tell_two_jvms_of_one_version_apart(found: Found) -> None:
    assert labels(found.runtimes) == ["cpp", "java-17", "java-17-adoptium", "java-25", "rust"]
    assert labels(found.defaults()) == ["cpp", "java-17", "java-25", "rust"]
    assert [item.reason for item in found.missing] == ["Java 8 is too old: 17 is the oldest"]


def test_java_means_every_jvm_and_nothing_is_named_twice(found: Found) -> None:
    assert labels(found.select(["java", "java-25", "cpp"])) == ["java-17", "java-17-adoptium", "java-25", "cpp"]


def test_a_jvm_may_be_named_by_its_path(found: Found, tmp_path: Path) -> None:
    home = make_jvm(tmp_path / "elsewhere", "21.0.1", "Zulu")
    for path in (home, home / "bin" / "java"):
        assert labels(found.select([str(path)])) == ["java-21-zulu"]


def test_a_jvm_that_was_found_keeps_its_label_when_it_is_named_by_its_path(found: Found, system: Path) -> None:
    assert labels(found.select([str(system / "usr" / "lib" / "jvm" / "default"), "java-17"])) == ["java-17"]


def test_two_jvms_of_one_version_and_vendor_are_distinguished(found: Found, tmp_path: Path) -> None:
    homes = [str(make_jvm(tmp_path / name, "21.0.1", "Zulu")) for name in ("one", "two")]
    selected = found.select([*homes, f"{homes[1]} -Xint", f"{homes[0]} -Xint", homes[1]])
    assert labels(selected) == ["java-21-zulu", "java-21-zulu-2", "java-21-zulu -Xint", "java-21-zulu-2 -Xint"]
    assert [runtime.command[0].split("/")[-3] for runtime in selected] == ["one", "two", "two", "one"]


def test_the_native_build_is_a_runtime_of_its_own_where_it_is_there(found: Found, system: Path, probes: Path) -> None:
    with pytest.raises(UsageError, match=r"'cpp -march=native' is not here: .* Run `make native`"):
        found.select(["cpp -march=native"])
    (probes / "threadping-probe-native").touch()
    found = find_runtimes({}, system, probes)
    assert labels(found.runtimes)[:2] == ["cpp", "cpp -march=native"]
    assert labels(found.defaults()) == ["cpp", "java-17", "java-25", "rust"]
    both = found.select(["cpp", "cpp  -march=native"])
    assert labels(both) == ["cpp", "cpp -march=native"]
    assert [Path(r.command[0]).name for r in both] == ["threadping-probe", "threadping-probe-native"]


def test_flags_for_every_jvm_leave_cpp_alone_and_come_once(found: Found) -> None:
    wanted = found.select(["cpp", "java-17", "java-17 -Xint", "java-25 -XX:-A"])
    with_them = with_jvm_flags(wanted, ("-XX:-A",))
    assert labels(with_them) == ["cpp", "java-17 -XX:-A", "java-17 -Xint -XX:-A", "java-25 -XX:-A"]
    assert with_them[2].command[2:5] == ("-Xint", "-XX:-A", "-jar")
    both = found.select(["java-17", "java-17 -XX:-A"])
    assert labels(with_jvm_flags(both, ("-XX:-A",))) == ["java-17 -XX:-A"]
    assert with_jvm_flags(wanted, ()) == wanted


def test_flags_that_the_environment_adds_stand_in_the_label_and_need_not_be_named(system: Path, probes: Path) -> None:
    environment = {"JAVA_TOOL_OPTIONS": "-Xint  '-Ddb.password=hun ter2'", "_JAVA_OPTIONS": "-Xss1m"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        found = find_runtimes(environment, system, probes)
        assert labels(found.defaults()) == ["cpp", "java-17 -Xint -Xss1m", "java-25 -Xint -Xss1m", "rust"]
        assert found.select(["java-17"]) == (found.runtimes[1],)
        (asked,) = found.select(["java-17", "java-17 -Xint -Xss1m"])
        assert (asked.label, asked.command[2:4]) == (found.runtimes[1].label, ("-Xint", "-Xss1m"))
        assert labels(found.select(["java-17 -Xcomp"])) == ["java-17 -Xint -Xcomp -Xss1m"]
        assert labels(found.select(["java-17 -Xss1m"])) == ["java-17 -Xint -Xss1m"]
        assert labels(with_jvm_flags(found.select(["java-17"]), ("-XX:-A",))) == ["java-17 -Xint -XX:-A -Xss1m"]
        at = found.select([str(system / "usr" / "lib" / "jvm" / "b-17")])
        assert labels(at) == ["java-17-adoptium -Xint -Xss1m"]
    assert "hun" not in repr(found)


def test_many_flags_of_the_environment_are_shortened_and_still_told_apart(system: Path, probes: Path) -> None:
    def label(last: str) -> str:
        environment = {"JDK_JAVA_OPTIONS": f"-XX:+UseSerialGC -XX:+AlwaysPreTouch -Xss1m {last}"}
        return find_runtimes(environment, system, probes).runtimes[1].label

    assert label("-Xmx9m") == "java-17 -XX:+UseSerialGC -XX:+AlwaysPreTouch …+2:092d"
    assert label("-Xmx8m") != label("-Xmx9m")


def test_values_of_properties_are_not_shown_and_two_that_differ_in_them_have_two_labels(found: Found) -> None:
    asked = ["java-17 -Dkey=a", "java-17 '-Dkey=b c'", "java-17 -Djdk.virtualThreadScheduler.parallelism=1"]
    assert labels(found.select(asked)) == [
        "java-17 -Dkey=…",
        "java-17-2 -Dkey=…",
        "java-17 -Djdk.virtualThreadScheduler.parallelism=1",
    ]
    assert found.select(asked)[1].command[2] == "-Dkey=b c"


@pytest.mark.parametrize(
    ("wanted", "error", "sentence"),
    [
        ("jave-17", UnknownName, "Did you mean java-17"),
        ("cpp -O3", UsageError, "takes no flags"),
        (
            "rust -O3",
            UsageError,
            r"'rust' takes no flags, but '-O3' was given\. It is a program that is built already\.",
        ),
        ("java-17 'unclosed", UsageError, "cannot be read"),
        ("  ", UsageError, "empty runtime"),
        ("/nowhere/java", UsageError, "No Java virtual machine at '/nowhere/java'"),
    ],
)
def test_a_runtime_that_is_none_is_refused(found: Found, wanted: str, error: type[UsageError], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        found.select([wanted])


def test_without_a_jvm_java_is_named_as_missing_with_the_remedy(tmp_path: Path, probes: Path) -> None:
    found = find_runtimes({}, tmp_path, probes)
    assert labels(found.runtimes) == ["cpp", "rust"]
    assert "apt-get install openjdk" in found.missing[0].reason
    with pytest.raises(UsageError, match="apt-get install openjdk"):
        found.select(["java-17"])


def test_without_the_jar_java_is_named_as_missing_with_the_remedy(system: Path, probes: Path) -> None:
    (probes / "threadping-probe.jar").unlink()
    found = find_runtimes({}, system, probes)
    assert [(item.what, "make setup" in item.reason) for item in found.missing] == [("java", True)]


def test_without_its_probe_rust_is_named_as_missing_with_the_remedy(system: Path, probes: Path) -> None:
    (probes / "threadping-probe-rust").unlink()
    found = find_runtimes({}, system, probes)
    assert "rust" not in labels(found.runtimes)
    remedy = r"'threadping-probe-rust' is missing\. Install Rust with rustup, and build again .*-rust\.log says why"
    with pytest.raises(UsageError, match=rf"Runtime 'rust' is not here: its probe is not built: {remedy}"):
        found.select(["rust"])


def test_a_probe_of_ones_own_is_named_by_its_path_and_labelled_by_its_file(system: Path, probes: Path) -> None:
    own = probes / "my-probe"
    own.write_text("#!/bin/sh\n")
    found = find_runtimes({}, system, probes)
    with pytest.raises(UsageError, match=r"No probe at '.*my-probe': it is not a program that can be run"):
        found.select([f"cpp={own}"])
    own.chmod(0o755)
    (runtime,) = found.select([f"cpp={own}"])
    assert (runtime.label, runtime.probe, runtime.command) == ("my-probe", "cpp", (str(own),))


@pytest.mark.parametrize("name", ["go", "probe", "zig-0.15"])
def test_any_program_is_a_runtime_under_a_name_and_takes_no_flags(name: str, system: Path, probes: Path) -> None:
    own = probes / "my-probe"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    found = find_runtimes({}, system, probes)
    (runtime,) = found.select([f"{name}={own}"])
    assert (runtime.label, runtime.probe, runtime.command) == (name, "probe", (str(own),))
    assert runtime not in found.defaults()
    with pytest.raises(UsageError, match="takes no flags, but '-O2' was given: it is a program of your own"):
        found.select([f"{name}={own} -O2"])
