"""Java homes as installers leave them, and files that are none: a launcher is a shell script, or is never started."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from threadping.probes import java
from threadping.probes.java import find_jvms, read_jvm

RELEASE = 'IMPLEMENTOR="{}"\nJAVA_VERSION="{}"\n'


def make_home(home: Path, version: str = "21.0.2", vendor: str = "Zulu", says: str = "exit 7") -> Path:
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\n{says}\n")
    launcher.chmod(0o755)
    (home / "release").write_text(RELEASE.format(vendor, version))
    return home


def make_shim(folder: Path, says: str) -> Path:
    folder.mkdir(parents=True)
    shim = folder / "java"
    shim.write_text(f"#!/bin/sh\n[ $1$2 = -XshowSettings:properties-version ] || exit 7\n{says}\n")
    shim.chmod(0o755)
    return folder


def found(environment: Mapping[str, str], root: Path) -> list[str]:
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
    assert found({}, tmp_path) == [place]


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
    assert found({variable: str(tmp_path / "there")}, tmp_path) == [str(Path("there", place))]


def test_a_shim_is_asked_for_the_home_of_what_it_starts(tmp_path: Path) -> None:
    home = make_home(tmp_path / "hidden" / "jdk")
    shims = make_shim(tmp_path / "shims", f"echo '    java.home = {home}' >&2; echo '    java.version = 21' >&2")
    assert found({"PATH": str(shims)}, tmp_path) == ["hidden/jdk"]
    make_shim(tmp_path / "usr-like" / "bin", f"echo '    java.home = {home}'")
    assert found({"JAVA_HOME": str(tmp_path / "usr-like"), "PATH": str(shims)}, tmp_path) == ["hidden/jdk"]


@pytest.mark.parametrize("says", ["echo No version is set for command java; exit 126", "echo '  java.home = /none'"])
def test_a_shim_that_does_not_say_and_a_wrong_java_home_are_told(tmp_path: Path, says: str) -> None:
    shims = make_shim(tmp_path / "shims", says)
    make_home(tmp_path / "opt" / "jdk")
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(shims)}
    assert found(environment, tmp_path) == ["opt/jdk"]
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
    assert found({**environment, "PATH": path}, tmp_path) == ["usr/lib/jvm/java-21", "env/lib/jvm"]


def test_a_home_that_tells_nothing_is_asked_and_one_that_tells_is_not(tmp_path: Path) -> None:
    properties = "    java.version = 1.8.0_402\n    java.vendor = Azul Systems, Inc."
    home = make_home(tmp_path / "jdk", says=f"echo '{properties}'")
    assert (read_jvm(home).major, read_jvm(home).vendor) == (21, "zulu")
    (home / "release").write_text("")
    assert (read_jvm(home).major, read_jvm(home).vendor) == (8, "azul")


@pytest.mark.parametrize("version", ["9" * 5000, "\N{ARABIC-INDIC DIGIT ONE}7", "", "-17"])
def test_a_version_that_is_none_is_unknown(tmp_path: Path, version: str) -> None:
    assert read_jvm(make_home(tmp_path / "jdk", version)).major == 0


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


def test_a_release_file_that_is_none_is_not_read(tmp_path: Path) -> None:
    pipe, huge = make_home(tmp_path / "pipe"), make_home(tmp_path / "huge")
    (pipe / "release").unlink()
    os.mkfifo(pipe / "release")
    with (huge / "release").open("ab") as file:
        file.truncate(1 << 40)
    assert (read_jvm(pipe).major, read_jvm(huge).major) == (0, 21)


def test_launchers_that_hang_are_asked_at_the_same_time_and_not_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "ASKED_SECONDS", 0.5)
    for number in range(20):  # one after the other they would outlast the test
        make_home(tmp_path / "opt" / f"jdk-{number}", version="", says="sleep 1000")
    assert {jvm.major for jvm in find_jvms({}, tmp_path)[0]} == {0}
