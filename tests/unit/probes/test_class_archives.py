"""With a virtual machine that is a shell script: it lists classes and dumps an archive, as its flags say."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from threadping.model.cases import Runtime
from threadping.probes import java as class_archives
from threadping.probes.java import with_class_archive

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


def test_an_archive_is_made_once_with_the_runtimes_flags_and_stands_before_the_jar(java: Runtime, cache: Path) -> None:
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


def test_other_flags_have_an_archive_beside(java: Runtime, cache: Path) -> None:
    with_class_archive(java, cache)
    with_class_archive(Runtime("java-17", "java", (java.command[0], *java.command[2:]), ""), cache)
    assert len(list(cache.iterdir())) == 2


def use(java: Runtime, cache: Path, number: int) -> Path:
    flagged = Runtime("java-17", "java", (java.command[0], f"-Xmn{number}m", *java.command[2:]), "")
    return Path(with_class_archive(flagged, cache).command[2].removeprefix("-XX:SharedArchiveFile="))


def test_of_many_archives_the_one_goes_that_was_used_longest_ago(
    java: Runtime, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_archives, "MOST_ARCHIVES", 4)
    archives = first, _, third, fourth = [use(java, cache, number) for number in range(1, 5)]
    class_archives._used_here.clear()  # another process does what follows
    for seconds, archive in enumerate(archives, start=1_000_000_000):
        os.utime(archive, (seconds, seconds))
    assert use(java, cache, 1) == first  # made before all others, and used after them
    fifth = use(java, cache, 5)
    assert set(cache.iterdir()) == {first, third, fourth, fifth}


def test_no_archive_goes_that_this_process_uses_and_each_is_made_once(
    java: Runtime, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_archives, "MOST_ARCHIVES", 2)
    archives = [use(java, cache, number) for number in range(5)]
    for seconds, archive in enumerate(archives, start=1_000_000_000):
        os.utime(archive, (seconds, seconds))
    assert [use(java, cache, number) for number in range(5)] == archives
    assert set(cache.iterdir()) == set(archives)
    assert len((cache.parent.parent / "calls").read_text().splitlines()) == 5 * 2


def test_flags_of_the_environment_have_an_archive_of_their_own(java: Runtime, cache: Path) -> None:
    with_class_archive(java, cache)
    with_class_archive(replace(java, label="java-17 -Xint"), cache)
    assert len(list(cache.iterdir())) == 2


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


def test_without_a_cache_to_write_to_or_a_launcher_it_is_left_as_it_is(java: Runtime, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert with_class_archive(java, tmp_path / "file" / "classes") == java
    Path(java.command[0]).unlink()  # which is noticed when it is asked to describe itself
    assert with_class_archive(java, tmp_path / "classes") == java
