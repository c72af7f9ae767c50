"""Runtimes with the mechanisms of the user's own: who measures which, and what is checked once."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from threadping.conduct import custom as module
from threadping.conduct.custom import Building, Built, resolve
from threadping.model.cases import LoopPairs, OwnMechanism, Runtime
from threadping.model.errors import UsageError
from threadping.probes.custom.sources import OwnSource
from threadping.probes.java import flagged
from threadping.probes.language import probes_folder

HEADER = OwnSource("./q.hpp", "cpp", "/q.hpp", "", "q")
CRATE = OwnSource("./q", "rust", "/q", "", "q")
CLASS = OwnSource("classes:Q", "java", "classes", "Q", "Q")
JAVA = Runtime("java-17", "java", ("/java", "-jar", "/probe.jar"), "OpenJDK 17")


@pytest.fixture
def cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    def build(runtime: Runtime, source: OwnSource, _building: Building, _telling: Any) -> Built:
        return OwnMechanism(source.name, source.given, (runtime.label,), "", ""), tmp_path

    monkeypatch.setitem(module.BUILDERS, "cpp", build)
    monkeypatch.setattr(module, "probes_folder", lambda: tmp_path)
    monkeypatch.setattr(module, "_cache", lambda: tmp_path / "cache")
    return Runtime("cpp", "cpp", (str(tmp_path / "threadping-probe"),), "")


def names(runtimes: list[Runtime]) -> list[tuple[str, ...]]:
    return [tuple(own.name for own in runtime.own) for runtime in runtimes]


def test_a_header_is_measured_by_every_build_of_ours_and_by_no_other_probe(cpp: Runtime) -> None:
    other = Runtime("mine", "cpp", ("/mine",), "")
    native = replace(cpp, label="cpp -march=native")
    found = resolve([HEADER], [cpp, native, other, JAVA], Building(), lambda _: None)
    assert names(found) == [("q",), ("q",), (), ()]
    assert found[1].command_of("q") == ("cpp -march=native",) and found[1].command_of("mutex") == native.command


def test_two_cpus_are_asked_for_and_with_fewer_there_is_no_loop(cpp: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = LoopPairs("ring", (4, 5), (2.0,), (1.0,))

    def with_loop(own: OwnMechanism, language: str, cpus: Any, kept: Path, _telling: Any) -> OwnMechanism:
        assert (language, cpus, kept.is_dir()) == ("cpp", (4, 5), True)
        return replace(own, loop=loop)

    monkeypatch.setattr(module, "with_loop", with_loop)
    for cpus, expected in (((4, 5), loop), ((4,), None), ((), None)):
        (found,) = resolve([HEADER], [cpp], Building(pair=lambda cpus=cpus: cpus), lambda _: None)  # type: ignore[misc]
        assert found.own[0].loop == expected


def test_a_runtime_that_measures_it_must_be_selected(cpp: Runtime) -> None:
    with pytest.raises(UsageError, match=r"no C\+\+ runtime is selected: leave --runtime out, or add one"):
        resolve([HEADER], [JAVA], Building(), lambda _: None)
    with pytest.raises(UsageError, match="no Java runtime is selected"):
        resolve([CLASS], [cpp], Building(), lambda _: None)
    with pytest.raises(UsageError, match=r"no Rust runtime is selected: .* \(--runtime rust\)"):
        resolve([CRATE], [cpp, Runtime("mine", "rust", ("/mine",), "")], Building(), lambda _: None)


def test_a_class_is_tried_once_and_another_of_its_folder_too(cpp: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setattr(module, "check", lambda own: tried.append(own.command[-3]))
    monkeypatch.setattr(module, "build_of", lambda _: "b" * 16)
    for _ in range(2):
        for name in ("Q", "R"):
            resolve([replace(CLASS, chosen=name, name=name)], [JAVA], Building(), lambda _: None)
    assert [where.rpartition(":")[2] for where in tried] == ["Q", "R"]


def test_flags_of_its_virtual_machine_are_its_too(cpp: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "check", lambda _: None)
    (found,) = resolve([CLASS], [JAVA], Building(), lambda _: None)
    started = flagged(found, "-Xint")
    assert started.command_of("Q")[:4] == ("/java", "-Xint", "-jar", "/probe.jar")
    assert started.command == ("/java", "-Xint", "-jar", "/probe.jar")


def test_a_header_without_a_mechanism_is_refused_with_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_own: OwnMechanism) -> None:
        raise UsageError("No class of 'q.hpp' is a queue (push, pop).")

    header = tmp_path / "q.hpp"
    header.write_text("class Q { bool try_push(int); bool try_pop(int&); };")
    own = OwnMechanism("q", "./q.hpp", (str(tmp_path / "probe"),), "digest", "")
    monkeypatch.setattr(module, "_cache", lambda: tmp_path)
    monkeypatch.setattr(module, "compiled", lambda *_: own)
    monkeypatch.setattr(module, "find_compiler", lambda *_: None)
    monkeypatch.setattr(module, "check", refuse)
    cpp = Runtime("cpp", "cpp", (str(probes_folder() / "threadping-probe"),), "")
    with pytest.raises(UsageError, match=r"push, pop\)\. What it has: class Q with try_push, try_pop\.$"):
        resolve([replace(HEADER, file=str(header))], [cpp], Building(), lambda _: None)
