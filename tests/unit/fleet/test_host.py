"""What a worker says of its host, and how it ends what a fleet measures there."""

import os
import signal
import sys
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("distributed")

from threadping.fleet import host
from threadping.fleet.host import Look, look, stop
from threadping.machine.turn import holder, turn


def seen() -> Look:
    return msgspec.msgpack.decode(look(), type=Look)


def test_containers_of_one_machine_are_hosts_of_one_boot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def at(machine: str, boot: str) -> tuple[str, str]:
        for name, content in {"MACHINE_ID": machine, "BOOT_ID": boot}.items():
            (tmp_path / name).write_text(f"{content}\n")
            monkeypatch.setattr(host, name, tmp_path / name)
        return seen().host.key, seen().host.machine

    one, container, rebooted = at("one", "boot"), at("other", "boot"), at("one", "again")
    assert len({one[0], container[0], rebooted[0]}) == 3
    assert one[1] == container[1] != rebooted[1]
    assert at("one", "boot") == one and "one" not in "".join(one)


def test_who_measures_is_named_by_its_fleet_and_only_that_fleet_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(sys, "argv", ["threadping, fleet 3 of desk:", "signal", "--budget", "9s"])
    monkeypatch.setattr(os, "kill", lambda *what: killed.append(what))
    assert seen().measuring is None
    with turn():
        assert f"process {os.getpid()}, `threadping, fleet 3 of desk: signal`, since " in (seen().measuring or "")
        stop("4 of desk")
        assert not killed
        stop("3 of desk")
    assert killed == [(os.getpid(), signal.SIGTERM)]
    assert holder() is None
    stop("3 of desk")
    assert len(killed) == 1
