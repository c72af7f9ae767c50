"""Who cannot come is left out with the remedy, and the others come."""

from pathlib import Path

import pytest

from benchmarks.agreement import bare, peer
from benchmarks.agreement.gathering import gather
from benchmarks.agreement.questions import Group
from benchmarks.records import Unavailable
from threadping.model import Runtime


def unavailable() -> Path:
    raise Unavailable("No registry. Connect.")


def test_a_peer_that_cannot_be_installed_is_missed_and_the_bare_programs_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "install", unavailable)
    monkeypatch.setattr(bare, "compile_cpp", lambda: Path("ping_pong"))
    found = gather([], 0, 1, 1000, [Group.PEERS, Group.BARE])
    assert found.missing == ("No registry. Connect.",)
    assert {one.subject.program for one in found.contenders} == {"bare"}
    assert not found.programs


def test_nothing_is_built_for_questions_that_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "install", unavailable)
    monkeypatch.setattr(bare, "compile_cpp", unavailable)
    found = gather([], 0, 1, 1000, [Group.LANGUAGES])
    assert (found.contenders, found.missing) == ((), ())


def test_a_probe_that_does_not_describe_itself_is_missed() -> None:
    found = gather([Runtime("cpp", "cpp", ("/nowhere/probe",), "")], 0, 1, 1000, [])
    assert found.missing == ("Runtime cpp cannot be started: '/nowhere/probe': No such file or directory.",)


def test_the_peer_pings_from_our_pings_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def answers(command: tuple[str, ...], _remedy: str) -> str:
        asked.append(command)
        return ",\n60.5,\n"

    monkeypatch.setattr(peer, "said_by", answers)
    cas, _ = peer.contenders(Path("core"), 2, 5, 50_000)
    assert cas.measure(0).mean == 60.5
    assert asked == [("core", "1000", "50", "--bench", "1", "--cores", "5,2", "--csv")]
