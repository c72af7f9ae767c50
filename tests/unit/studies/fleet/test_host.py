"""What a worker says of its host, and how it ends what a fleet measures there."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

pytest.importorskip("distributed")

from threadping.model.fleet import Fleet, Host, Member
from threadping.probes.machine_lock import holder, machine_lock
from threadping.probes.process import ProcessEnd
from threadping.studies.fleet import host
from threadping.studies.fleet.host import Look, Sent, children, close, listen, look, scope, stop
from threadping.studies.fleet.jobs import FleetHosts, far_cpu, planned


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


def test_who_measures_is_named_by_its_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["threadping, fleet 3 of desk:", "signal", "--budget", "9s"])
    assert seen().measuring is None
    with machine_lock():
        assert f"process {os.getpid()}, `threadping, fleet 3 of desk: signal`, since " in (seen().measuring or "")
    assert holder() is None


def test_what_measures_is_ended_by_its_own_fleet_only_and_before_it_holds_the_machine() -> None:
    with subprocess.Popen(["threadping, fleet 3 of desk:", "60"], executable=shutil.which("sleep")) as measuring:
        while not Path(f"/proc/{measuring.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        stop("4 of desk")
        stop("3 of des")
        assert measuring.poll() is None
        stop("3 of desk")
        assert measuring.wait() == -signal.SIGTERM


@pytest.mark.parametrize(
    ("systemd", "ends", "is_used"),
    [(True, "exit 0", True), (True, "exit 1", False), (True, "exec sleep 60", False), (False, "exit 0", False)],
)
def test_a_scope_is_used_where_systemd_gives_one(
    systemd: bool, ends: str, is_used: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "systemd-run").write_text(f"#!/bin/sh\n{ends}\n")
    (tmp_path / "systemd-run").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(host, "SCOPE_S", 0.5 if "sleep" in ends else 60.0)
    monkeypatch.setattr(host, "SYSTEMD", tmp_path if systemd else tmp_path / "none")
    assert scope()[:1] == ["systemd-run"] * is_used


@pytest.mark.parametrize(
    ("near", "far", "apart", "together"),
    [
        ((0, 1), (0, 1), 1, 0),
        ((0, 1, 2, 3), (0, 1, 2, 3), 1, 2),
        ((2, 3), (0, 1, 2, 3), 1, 1),
        ((0, 1), (1,), 1, 1),
        ((2,), (0, 2), 2, 0),
        ((4,), (4,), 4, 4),
    ],
)
def test_a_far_end_has_a_cpu_of_its_own_and_on_one_machine_not_that_of_the_near_end(
    near: tuple[int, ...], far: tuple[int, ...], apart: int, together: int
) -> None:
    cpus = {"key-a": near, "key-b": far}
    for machine, chosen in (("b", apart), ("a", together)):
        ends = [Host(f"key-{name}", of, name, "", "1", "fake") for name, of in (("a", "a"), ("b", machine))]
        pair = Member(ends[0], peer=ends[1])
        assert far_cpu(pair, cpus) == chosen
        (_, _, job) = planned(Fleet("", "", (), 1.0, "1", "tcp"), FleetHosts(tuple(ends), {}, (), cpus))
        alone = machine == "a" and {*near} == {chosen}
        assert (job.far_cpu, job.member.note) == (
            chosen,
            "both ends are on CPU 4, the only one that they may use" if alone else None,
        )


def test_a_far_end_is_on_its_cpu_until_it_is_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "threadping-probe").write_text("#!/bin/sh\necho 1 2\nexec sleep 60\n")
    (tmp_path / "threadping-probe").chmod(0o755)
    monkeypatch.setenv("THREADPING_PROBES", str(tmp_path))
    cpu = max(os.sched_getaffinity(0))
    before = {*children(os.getpid())}
    assert listen("pair", "127.0.0.1", 60.0, cpu, anyway=True)
    (far_end,) = {*children(os.getpid())} - before
    assert os.sched_getaffinity(far_end) == {cpu}
    close("pair")
    assert far_end not in children(os.getpid())


def test_a_near_end_is_not_on_the_cpu_of_a_far_end_of_its_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine = os.sched_getaffinity(0)
    cpu = min(mine)
    seen: list[set[int]] = []
    given: list[tuple[bool, dict[str, str]]] = []

    def run_bounded(command: list[str], variables: dict[str, str], **_: object) -> ProcessEnd:
        seen.append(os.sched_getaffinity(0))
        given.append((any("4711" in word for word in command), variables))
        return ProcessEnd(0, "", 1)

    monkeypatch.setattr(host, "get_worker", lambda: SimpleNamespace(local_directory=str(tmp_path)))
    monkeypatch.setattr(host, "run_bounded", run_bounded)
    for not_on in (None, cpu):
        host.measure(("hop",), "1", 60.0, msgspec.msgpack.encode(Sent(b"::1 80 4711", "")), not_on)
    assert seen == [mine, mine - {cpu} or mine]
    assert os.sched_getaffinity(0) == mine
    assert given == [(False, {"THREADPING_PEER": "::1 80 4711"})] * 2  # its number is in no argument
