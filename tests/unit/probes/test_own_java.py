"""With a virtual machine that is a shell script: it ends, and says, as its test wants."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from threadping.model.cases import OwnMechanism, Runtime
from threadping.probes.builds import JavaClass, build_of, files_of_own, own_java, read_java_class


def probe(folder: Path, says: str) -> Runtime:
    """Of a class of ours, by a launcher that is this script."""
    launcher = folder / "java"
    launcher.write_text(f"#!/bin/sh\n{says}\n")
    launcher.chmod(0o755)
    runtime = Runtime("java-17", "java", (str(launcher), "-jar", "probe.jar"), "")
    return own_java(JavaClass(str(folder), "acme.Mine"), runtime)


@pytest.mark.parametrize(
    ("class_path", "name"),
    [
        ("my.jar", "com.acme.MyQueue"),
        ("a.jar:b.jar", "MyQueue"),
        ("target/classes", "acme.Outer$Inner"),
        ("~/my.jar", "Mine"),
    ],
)
def test_what_names_a_class(class_path: str, name: str) -> None:
    assert read_java_class(f"{class_path}:{name}") == JavaClass(class_path, name)


@pytest.mark.parametrize("text", ["", "Mine", ":Mine", "my.jar:", "my.jar", "./my.hpp:Mine+", "cas-one-line", "a:b"])
def test_what_names_none(text: str) -> None:
    assert read_java_class(text) is None


def test_a_folder_of_classes_needs_no_slash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "classes").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_java_class("classes:Mine") == JavaClass("classes", "Mine")


def test_its_class_path_holds_wherever_the_probe_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    plain = Runtime("java-17", "java", ("java", "-jar", "probe.jar"), "")
    own = JavaClass("a.jar:~/b.jar", "acme.Mine")
    assert own_java(own, plain).command == (*plain.command, "--own", f"{tmp_path}/a.jar:/home/me/b.jar:acme.Mine")
    assert own_java(own, plain, "head/Mine").command[-2:] == ("--name", "head/Mine")


def test_another_class_is_another_build(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "Mine.class").write_text("one")
    own = probe(tmp_path, "")
    (tmp_path / "probe.jar").write_text("probe")
    own = Runtime("java-17", "java", (own.command[0], "-jar", str(tmp_path / "probe.jar"), *own.command[3:]), "")
    assert [file.name for file in files_of_own(own.command)] == ["Mine.class"]
    beside = replace(own, command=own.command[:3], own=(OwnMechanism("Mine", "", own.command, "one", ""),))
    before = [build_of(one) for one in (own, beside)]
    (tmp_path / "acme" / "Mine.class").write_text("two")
    assert not {*before} & {build_of(own), build_of(beside)}
