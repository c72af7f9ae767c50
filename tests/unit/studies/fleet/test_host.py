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
import psutil
import pytest

pytest.importorskip("distributed")

from threadping.model.fleet import Fleet, Host
from threadping.probes.machine_lock import holder, machine_lock
from threadping.probes.process import ProcessEnd
from threadping.studies.fleet import host
from threadping.studies.fleet.host import close, listen, look, stop
from threadping.studies.fleet.jobs import HostReport, HostResult, planned


def seen() -> HostReport:
    return msgspec.msgpack.decode(look(), type=HostReport)


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


def report(name: str, machine: str, cpus: tuple[int, ...]) -> HostReport:
    return HostReport(Host(f"key-{name}", machine, name, "", "1", "fake"), None, 0.0, cpus)


@pytest.mark.parametrize(("cpus", "chosen"), [((0, 1), 1), ((0, 1, 2, 3), 1), ((0,), 0), ((2, 4), 2)])
def test_a_far_end_is_on_a_cpu_that_takes_few_interrupts(cpus: tuple[int, ...], chosen: int) -> None:
    (_, _, job) = planned(Fleet("", "", (), 1.0, "1", "tcp"), [report("a", "a", (0, 1)), report("b", "b", cpus)])
    assert (job.member.name, job.far_cpu, job.words) == ("a to b", chosen, ("--mechanism", "tcp,tcp-spin"))


def test_two_containers_of_one_machine_are_no_pair() -> None:
    reports = [report(name, machine, (0, 1)) for name, machine in (("a", "one"), ("b", "one"), ("c", "other"))]
    jobs = planned(Fleet("", "", (), 1.0, "1", "udp"), reports)
    assert sorted(job.member.name for job in jobs) == ["a", "a to c", "b", "b to c", "c"]


def children() -> set[int]:
    return {one.pid for one in psutil.Process().children(recursive=True)}


def test_a_far_end_is_on_its_cpu_until_it_is_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "threadping-probe").write_text("#!/bin/sh\necho 1 2\nexec sleep 60\n")
    (tmp_path / "threadping-probe").chmod(0o755)
    monkeypatch.setenv("THREADPING_PROBES", str(tmp_path))
    cpu = max(os.sched_getaffinity(0))
    before = children()
    assert listen("pair", "127.0.0.1", 60.0, cpu)
    (far_end,) = children() - before
    assert os.sched_getaffinity(far_end) == {cpu}
    close("pair")
    assert far_end not in children()


def test_the_number_of_a_far_end_is_in_no_argument(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: list[tuple[bool, dict[str, str]]] = []

    def run_bounded(command: list[str], variables: dict[str, str], **_: object) -> ProcessEnd:
        given.append((any("4711" in word for word in command), variables))
        return ProcessEnd(0, "", 1)

    monkeypatch.setattr(host, "get_worker", lambda: SimpleNamespace(local_directory=str(tmp_path)))
    monkeypatch.setattr(host, "run_bounded", run_bounded)
    host.measure(("hop",), "1", 60.0, msgspec.msgpack.encode(HostResult(b"::1 80 4711", "")))
    assert given == [(False, {"THREADPING_PEER": "::1 80 4711"})]
