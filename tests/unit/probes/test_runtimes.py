"""Runtimes: which are here, under which names, from which builds and JVMs."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import ProbeUnusable, UnknownName, UsageError
from threadping.probes import java
from threadping.probes.builds import loops_of
from threadping.probes.java import find_jvms, own_flags, read_jvm
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags


def make_home(home: Path, version: str = "21.0.2", vendor: str = "Zulu", says: str = "exit 7") -> Path:
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\n{says}\n")
    launcher.chmod(0o755)
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
    make_home(jvms / "a-17", "17.0.15", "Debian")
    make_home(jvms / "b-17", "17.0.1", "Eclipse Adoptium")
    make_home(jvms / "c-8", "1.8.0_402", "Debian")
    make_home(jvms / "d-25", "25.0.3", "Eclipse Adoptium")
    (jvms / "default").symlink_to(jvms / "a-17")
    (jvms / "broken").mkdir()
    return tmp_path / "root"


@pytest.fixture
def found(system: Path, probes: Path) -> Found:
    return find_runtimes({}, system, probes)


def labels(runtimes: Iterable[Runtime]) -> list[str]:
    return [runtime.label for runtime in runtimes]


def test_java_home_comes_first_then_path_and_sdkman_is_looked_into(system: Path, tmp_path: Path) -> None:
    mine = make_home(tmp_path / "mine", "21.0.2", "Me")
    on_path = make_home(tmp_path / "on-path", "11.0.2", "Other")
    make_home(tmp_path / ".sdkman" / "candidates" / "java" / "23.0.1-tem", "23.0.1", "Eclipse Adoptium")
    environment = {"JAVA_HOME": str(mine), "PATH": str(on_path / "bin"), "HOME": str(tmp_path)}
    assert [jvm.major for jvm in find_jvms(environment, system)[0]] == [21, 11, 17, 17, 8, 25, 23]


def test_labels_tell_two_jvms_of_one_version_apart(found: Found) -> None:
    assert labels(found.runtimes) == ["cpp", "java-17", "java-17-adoptium", "java-25", "rust"]
    assert labels(found.defaults()) == ["cpp", "java-17", "java-25", "rust"]
    assert [item.reason for item in found.missing] == ["Java 8 is too old: install 17 or later"]


def test_java_means_every_jvm_and_nothing_is_named_twice(found: Found) -> None:
    assert labels(found.select(["java", "java-25", "cpp"])) == ["java-17", "java-17-adoptium", "java-25", "cpp"]


def test_a_jvm_may_be_named_by_its_path(found: Found, system: Path, tmp_path: Path) -> None:
    home = make_home(tmp_path / "elsewhere", "21.0.1", "Zulu")
    for path in (home, home / "bin" / "java"):
        assert labels(found.select([str(path)])) == ["java-21-zulu"]
    assert labels(found.select([str(system / "usr" / "lib" / "jvm" / "default"), "java-17"])) == ["java-17"]


def test_two_jvms_of_one_version_and_vendor_are_distinguished(found: Found, tmp_path: Path) -> None:
    homes = [str(make_home(tmp_path / name, "21.0.1", "Zulu")) for name in ("one", "two")]
    selected = found.select([*homes, f"{homes[1]} -Xint", f"{homes[0]} -Xint", homes[1]])
    assert labels(selected) == ["java-21-zulu", "java-21-zulu-2", "java-21-zulu -Xint", "java-21-zulu-2 -Xint"]
    assert [runtime.command[0].split("/")[-3] for runtime in selected] == ["one", "two", "two", "one"]


def test_the_native_build_is_a_runtime_of_its_own_where_it_is_there(found: Found, system: Path, probes: Path) -> None:
    with pytest.raises(UsageError, match=r"'cpp -march=native' cannot be used: .* Run `make native`"):
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
    assert own_flags(with_them[2]) == ("-Xint", "-XX:-A")
    both = found.select(["java-17", "java-17 -XX:-A"])
    assert labels(with_jvm_flags(both, ("-XX:-A",))) == ["java-17 -XX:-A"]
    assert with_jvm_flags(wanted, ()) == wanted


@pytest.mark.parametrize(("cpus", "has_two_of_c2"), [({0, 1, 2}, True), ({0, 1, 2, 3}, False)])
def test_flags_of_every_jvm_are_in_no_label(
    cpus: set[int], has_two_of_c2: bool, system: Path, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: cpus)
    (asked,) = find_runtimes({}, system, probes).select(["java-17 -Xint"])
    assert (asked.label, own_flags(asked)) == ("java-17 -Xint", ("-Xint",))
    assert set(java.NOT_INLINED) < set(asked.command)
    assert (java.TWO_OF_C2 in asked.command) is has_two_of_c2


def test_flags_that_the_environment_adds_are_in_the_label_and_need_not_be_named(system: Path, probes: Path) -> None:
    environment = {"JAVA_TOOL_OPTIONS": "-Xint  '-Ddb.password=hun ter2'", "_JAVA_OPTIONS": "-Xss1m"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        found = find_runtimes(environment, system, probes)
        assert labels(found.defaults()) == ["cpp", "java-17 -Xint -Xss1m", "java-25 -Xint -Xss1m", "rust"]
        assert found.select(["java-17"]) == (found.runtimes[1],)
        (asked,) = found.select(["java-17", "java-17 -Xint -Xss1m"])
        assert (asked.label, own_flags(asked)) == (found.runtimes[1].label, ("-Xint", "-Xss1m"))
        assert labels(found.select(["java-17 -Xcomp"])) == ["java-17 -Xint -Xcomp -Xss1m"]
        assert labels(found.select(["java-17 -Xss1m"])) == ["java-17 -Xint -Xss1m"]
        assert labels(with_jvm_flags(found.select(["java-17"]), ("-XX:-A",))) == ["java-17 -Xint -XX:-A -Xss1m"]
        at = found.select([str(system / "usr" / "lib" / "jvm" / "b-17")])
        assert labels(at) == ["java-17-adoptium -Xint -Xss1m"]
    assert "hun" not in repr(found)


def test_many_flags_of_the_environment_are_shortened_and_still_distinguished(system: Path, probes: Path) -> None:
    def label(last: str) -> str:
        environment = {"JDK_JAVA_OPTIONS": f"-XX:+UseSerialGC -XX:+AlwaysPreTouch -Xss1m {last}"}
        return find_runtimes(environment, system, probes).runtimes[1].label

    assert label("-Xmx9m") == "java-17 -XX:+UseSerialGC -XX:+AlwaysPreTouch …+2:092d"
    assert label("-Xmx8m") != label("-Xmx9m")


def test_values_of_properties_are_not_shown_and_two_that_differ_in_them_have_two_labels(found: Found) -> None:
    asked = ["java-17 -Dkey=a", "java-17 '-Dkey=b c'", "java-17 -Djdk.virtualThreadScheduler.parallelism=1"]
    assert labels(found.select(asked)) == ["java-17 -Dkey=…", "java-17-2 -Dkey=…", asked[2]]
    assert own_flags(found.select(asked)[1]) == ("-Dkey=b c",)


@pytest.mark.parametrize(
    ("wanted", "error", "sentence"),
    [
        ("jave-17", UnknownName, "Did you mean java-17"),
        ("cpp -O3", UsageError, "takes no flags"),
        ("rust -O3", UsageError, r"'rust' takes no flags, but '-O3' was given\. It is a program that is built already"),
        ("java-17 'unclosed", UsageError, "cannot be read"),
        ("  ", UsageError, "must not be empty"),
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
    with pytest.raises(ProbeUnusable, match="apt-get install openjdk"):
        found.select(["java-17"])


def test_what_was_not_built_is_named_as_missing_with_the_remedy(system: Path, probes: Path) -> None:
    for name in ("threadping-probe.jar", "threadping-probe-rust"):
        (probes / name).unlink()
    found = find_runtimes({}, system, probes)
    assert [(item.what, "make setup" in item.reason) for item in found.missing][:1] == [("java", True)]
    assert "rust" not in labels(found.runtimes)
    remedy = r"'threadping-probe-rust' is missing\. Install Rust with rustup, and build again .*-rust\.log says why"
    with pytest.raises(ProbeUnusable, match=rf"Runtime 'rust' cannot be used: its probe is not built: {remedy}"):
        found.select(["rust"])


def test_a_probe_of_ones_own_is_named_by_its_path_and_labelled_by_its_file(system: Path, probes: Path) -> None:
    own = probes / "my-probe"
    own.write_text("#!/bin/sh\n")
    found = find_runtimes({}, system, probes)
    with pytest.raises(UsageError, match=r"No probe at '.*my-probe': name a program that can be run"):
        found.select([f"cpp={own}"])
    own.chmod(0o755)
    (runtime,) = found.select([f"cpp={own}"])
    assert (runtime.label, runtime.probe, runtime.command) == ("my-probe", "cpp", (str(own),))


@pytest.mark.parametrize("name", ["go", "probe", "zig-0.15"])
def test_any_program_is_a_runtime_under_a_name_and_takes_no_flags(name: str, system: Path, probes: Path) -> None:
    own = make_shim(probes / "bin", "") / "java"
    found = find_runtimes({}, system, probes)
    (runtime,) = found.select([f"{name}={own}"])
    assert (runtime.label, runtime.probe, runtime.command) == (name, "probe", (str(own),))
    assert runtime not in found.defaults()
    with pytest.raises(UsageError, match="takes no flags, but '-O2' was given: it is a program of your own"):
        found.select([f"{name}={own} -O2"])


def make_shim(folder: Path, says: str) -> Path:
    folder.mkdir(parents=True)
    shim = folder / "java"
    shim.write_text(f"#!/bin/sh\n[ $1$2 = -XshowSettings:properties-version ] || exit 7\n{says}\n")
    shim.chmod(0o755)
    return folder


def jvm_homes(environment: Mapping[str, str], root: Path) -> list[str]:
    return [str(jvm.home.relative_to(root)) for jvm in find_jvms({"HOME": str(root / "home"), **environment}, root)[0]]


@pytest.mark.parametrize(
    "place",
    [
        "home/.asdf/installs/java/temurin-21",
        "home/.local/share/mise/installs/java/21",
        "home/.jenv/versions/21",
        "home/.sdkman/candidates/java/21-tem",
        "home/.jdks/corretto-21",
        "home/.gradle/jdks/eclipse_adoptium-21-amd64-linux.2",
        "home/.gradle/jdks/eclipse_adoptium-21-amd64-linux/jdk-21.0.2+13",
        "home/.jdks/openjdk-21/Contents/Home",
        "home/.jbang/cache/jdks/21",
        "opt/jdk",
        "opt/jdk/21",
        "opt/graalvm-21",
        "opt/java/openjdk",
        "opt/ibm/java-21",
        "usr/java/latest",
        "usr/local/openjdk-21",
        "usr/lib/jvm/java-21",
    ],
)
def test_what_an_installer_leaves_is_found(tmp_path: Path, place: str) -> None:
    make_home(tmp_path / place)
    assert jvm_homes({}, tmp_path) == [place]


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("CONDA_PREFIX", "lib/jvm"),
        ("GRAALVM_HOME", ""),
        ("ASDF_DATA_DIR", "installs/java/21"),
        ("MISE_DATA_DIR", "installs/java/21"),
        ("JENV_ROOT", "versions/21"),
        ("SDKMAN_DIR", "candidates/java/21"),
        ("GRADLE_USER_HOME", "jdks/21"),
    ],
)
def test_what_a_variable_says_is_found(tmp_path: Path, variable: str, place: str) -> None:
    make_home(tmp_path / "there" / place)
    assert jvm_homes({variable: str(tmp_path / "there")}, tmp_path) == [str(Path("there", place))]


def test_a_shim_is_asked_for_the_home_of_what_it_starts(tmp_path: Path) -> None:
    home = make_home(tmp_path / "hidden" / "jdk")
    shims = make_shim(tmp_path / "shims", f"echo '    java.home = {home}' >&2; echo '    java.version = 21' >&2")
    assert jvm_homes({"PATH": str(shims)}, tmp_path) == ["hidden/jdk"]
    make_shim(tmp_path / "usr-like" / "bin", f"echo '    java.home = {home}'")
    assert jvm_homes({"JAVA_HOME": str(tmp_path / "usr-like"), "PATH": str(shims)}, tmp_path) == ["hidden/jdk"]


@pytest.mark.parametrize("says", ["echo No version is set for command java; exit 126", "echo '  java.home = /none'"])
def test_a_silent_shim_and_a_wrong_java_home_are_reported(tmp_path: Path, says: str) -> None:
    shims = make_shim(tmp_path / "shims", says)
    make_home(tmp_path / "opt" / "jdk")
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(shims)}
    assert jvm_homes(environment, tmp_path) == ["opt/jdk"]
    _, silent = find_jvms(environment, tmp_path)
    assert [(one.what, one.reason.split(".")[0]) for one in silent] == [
        ("JAVA_HOME", f"there is no Java at '{tmp_path}/gone'"),
        ("java", f"'{shims}/java', the first on PATH, does not say which Java it starts"),
    ]


def test_a_jvm_is_one_whatever_names_it_has(tmp_path: Path) -> None:
    home = make_home(tmp_path / "usr" / "lib" / "jvm" / "java-21")
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt" / "jdk").symlink_to(home)
    conda = make_home(tmp_path / "env" / "lib" / "jvm")
    (tmp_path / "env" / "bin").mkdir()
    (tmp_path / "env" / "bin" / "java").symlink_to(conda / "bin" / "java")
    environment = {"JAVA_HOME": str(tmp_path / "opt" / "jdk"), "CONDA_PREFIX": str(tmp_path / "env")}
    path = os.pathsep.join([str(tmp_path / "env" / "bin"), str(home / "bin")])
    assert jvm_homes({**environment, "PATH": path}, tmp_path) == ["usr/lib/jvm/java-21", "env/lib/jvm"]


def test_a_home_that_tells_nothing_is_asked_and_one_that_tells_is_not(tmp_path: Path) -> None:
    properties = "    java.version = 1.8.0_402\n    java.vendor = Azul Systems, Inc."
    home = make_home(tmp_path / "jdk", says=f"echo '{properties}'")
    assert (read_jvm(home).major, read_jvm(home).vendor) == (21, "zulu")
    (home / "release").write_text("")
    assert (read_jvm(home).major, read_jvm(home).vendor) == (8, "azul")


@pytest.mark.parametrize(
    ("vendor", "name"),
    [
        ("evil\x1b[31m", "evil31m"),
        ("\u202elive", "live"),
        ("\N{CYRILLIC SMALL LETTER A}", "unknown"),
        ("x" * 10_000, "x" * 24),
        ("Oracle Corporation", "oracle"),
        ("Eclipse Adoptium", "adoptium"),
        ("", "unknown"),
    ],
)
def test_a_vendor_is_a_short_plain_word(tmp_path: Path, vendor: str, name: str) -> None:
    assert read_jvm(make_home(tmp_path / "jdk", vendor=vendor)).vendor == name


def test_a_version_that_is_none_is_unknown(tmp_path: Path) -> None:
    for place, version in enumerate(("9" * 5000, "\N{ARABIC-INDIC DIGIT ONE}7", "", "-17")):
        assert read_jvm(make_home(tmp_path / str(place), version)).major == 0


def test_a_release_file_that_is_none_is_not_read(tmp_path: Path) -> None:
    pipe, huge = make_home(tmp_path / "pipe"), make_home(tmp_path / "huge")
    (pipe / "release").unlink()
    os.mkfifo(pipe / "release")
    with (huge / "release").open("ab") as file:
        file.truncate(1 << 40)
    assert (read_jvm(pipe).major, read_jvm(huge).major) == (0, 21)


def test_launchers_that_hang_are_asked_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "ASKED_SECONDS", 0.5)
    for number in range(20):  # one after the other they would outlast the test
        make_home(tmp_path / "opt" / f"jdk-{number}", version="", says="sleep 1000")
    assert {jvm.major for jvm in find_jvms({}, tmp_path)[0]} == {0}


def runtime(folder: Path, *command: str) -> Runtime:
    own = OwnMechanism("mine", "mine.hpp", ("mine",), "d" * 16, "g++")
    return Runtime("cpp", "cpp", (*command, str(folder / "probe")), "fake 1", own=(own,))


def test_a_digest_is_a_mechanisms_or_that_of_its_experiment_and_none_of_a_users_own(tmp_path: Path) -> None:
    (tmp_path / "probe.loops.json").write_text('{"signal steady": "aa", "lock": "bb"}')
    for one in (runtime(tmp_path), runtime(tmp_path, "java", "-jar")):
        loops = loops_of(one)
        assert [loops.of("signal", name) for name in ("steady", "slow", "mine")] == ["aa", "", ""]
        assert [loops.of("lock", name) for name in ("steady", "slow", "mine")] == ["bb", "bb", ""]
        assert loops.of("queue", "steady") == ""
    digests = '{"lock --writers": "dd", "lock": "cc", "signal a": "aa", "signal a --writers": "bb", "signal a-b": "x"}'
    (tmp_path / "probe.loops.json").write_text(digests)  # what an option brings is behind the others
    loops = loops_of(runtime(tmp_path))
    assert (loops.of("signal", "a"), loops.of("lock", "a"), loops.of("signal", "b")) == ("aa bb", "cc dd", "")


@pytest.mark.parametrize("content", [None, b"", b"[]", b'{"signal steady": 7}', b"\xff", b"{" * 100_000])
def test_nothing_is_known_without_a_readable_file_next_to_it(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "probe.loops.json").write_bytes(content)
    assert loops_of(runtime(tmp_path)).of("signal", "steady") == ""


@pytest.mark.parametrize(
    ("asked", "java"),
    [((), True), (("cpp",), False), (("cpp -march=native", "rust"), False), (("cpp", "java"), True), (("/jdk",), True)],
)
def test_java_is_found_only_if_asked_for(asked: tuple[str, ...], java: bool, system: Path, probes: Path) -> None:
    found = find_runtimes({}, system, probes, asked)
    assert any(one.probe == "java" for one in found.runtimes) == java
