"""A fleet: the real command and Dask's own scheduler and workers, in this process, and one in another."""

import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import distributed
import msgspec
import pytest

from tests.end_to_end.conftest import Command
from tests.fakes.fleet import fake_hosts, look_of
from threadping.model.run import Host
from threadping.store.store import open_store
from threadping.studies.fleet.cluster import Connection, HostReport, connected, is_open, measure

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, of sockets that are closed late

SIGNAL = ("signal", "--budget", "1s", "--mechanism", "steady", "--placement", "same-l3")
QUIET = {
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.tick.interval": "10s",
    "distributed.worker.profile.enabled": False,
    "distributed.comm.timeouts.connect": "1s",  # Dask says goodbye to a scheduler that a test has ended
}


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A scheduler and two workers of one host, in this process, or as many as the test asks for; without a network."""
    import dask

    number, protocol = getattr(request, "param", (2, "inproc"))
    with (
        dask.config.set(QUIET),
        distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=number,
            processes=False,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit=0,
            protocol=protocol,
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster


def test_a_host_is_measured_once_and_its_run_is_stored_here(cluster: Any, with_fake: Command) -> None:
    done = with_fake("fleet run --on", cluster.scheduler_address, *SIGNAL).ended()
    name = socket.gethostname()
    assert done.stderr == f"fleet 1: 1 host of {cluster.scheduler_address}\n{name}: run 1 (1 of 1)\n"
    answer = with_fake("show 1 --format json").json
    assert answer["machine"]["hostname"] == name
    assert [row["latency_ns"]["typical"] for row in answer["rows"]] == [100.0]
    again = with_fake("fleet resume 1")
    assert "fleet 1: 0 hosts" in again.stderr and again.stdout == done.stdout


def test_a_scheduler_that_dies_leaves_a_fleet_to_resume(cluster: Any, with_fake: Command, tmp_path: Path) -> None:
    def die() -> None:
        until(lambda: (tmp_path / "lock").exists() and (tmp_path / "lock").read_bytes().startswith(b"["))
        cluster.sync(cluster.scheduler.close)

    killer = threading.Thread(target=die, daemon=True)
    killer.start()
    done = with_fake("fleet run --on", cluster.scheduler_address, "signal", "--budget", "3s")
    killer.join()
    assert done.returncode == 1
    assert done.stderr.endswith(
        "threadping: The scheduler has gone away. The runs of 0 hosts are stored: `threadping fleet resume 1` measures "
        "on the others.\n"
    )


# ---- many hosts, each a worker that answers with a run in which something is planted ----


@pytest.fixture
def template(with_fake: Command) -> bytes:
    """A run of the fake probe, as a host sends it; made once."""
    if not TEMPLATE:
        done = with_fake("run", *SIGNAL, "--format", "run").ended()
        TEMPLATE.append(done.stdout.encode())
    return TEMPLATE[0]


TEMPLATE: list[bytes] = []


@pytest.mark.parametrize("cluster", [(17, "inproc")], indirect=True)
def test_bad_hosts_cost_themselves_only_and_a_planted_one_is_found(
    cluster: Any, with_fake: Command, template: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def host(name: str, *, of: str = "", **changes: Any) -> HostReport:
        usual = {"key": f"key-{of or name}", "machine": of or name, "name": name, "address": "", "engine": "fake"}
        said = {"version": version("threadping"), "measuring": None, "clock": time.time(), **changes}
        return HostReport(Host(**usual, version=said["version"]), said["measuring"], said["clock"])

    looks = {
        "host-1": host("host-1", version="0.0.1"),
        "host-2": host("host-2", measuring="process 7, `threadping, fleet 3 of desk: run`, since 12:00:00"),
        "host-3": host("host-3", clock=time.time() - 86_400),
        "host-4": host("host-4", of="host-3", clock=time.time() - 86_400),
        "host-10": None,
    }
    instead = {
        "host-5": msgspec.msgpack.encode((template.replace(b'"data":"', b'"data":"AAAA'), "")),
        "host-6": msgspec.msgpack.encode((b"", "no probe \x1b[31m is built here")),
        "host-7": b"what is no message at all",
    }
    monkeypatch.setattr("threadping.studies.fleet.cluster.MOST_SENT", 1 << 20)
    instead["host-8"] = bytes(3 << 20)
    patched = fake_hosts(template, {"host-9": 1.9}, instead, looks)
    monkeypatch.setattr("threadping.studies.fleet.cluster.connected", patched)

    done = with_fake("fleet run --on", cluster.scheduler_address, *SIGNAL).ended(1)
    for said in (
        "host-1: it has threadping 0.0.1, and this is ",
        "host-2: another threadping is measuring there: process 7, `threadping, fleet 3 of desk: run`, since 12:00:00",
        "host-5: its run came back damaged: The run cannot be imported: the run in it was changed",
        r"host-6: no probe \x1b[31m is built here",
        "host-7: what it sent cannot be read",
        "host-8: it sent more than any run has",
        ": it has no threadping that knows fleets: pip install 'threadping[fleet]' there",
    ):
        assert said in done.stderr
    (twice,) = re.findall("host-[34]: run .*", done.stderr)  # the first by its address
    assert re.search("; (its clock differs from this one's by 24 h|.* have one machine id)", twice)
    assert "fleet 1: 13 hosts" in done.stderr
    assert re.search(r"^1 of 9 hosts differs from its kind$", done.stdout, re.MULTILINE)
    found = with_fake("fleet show --format json").json
    assert {one["host"] for one in found["outliers"]} == {"key-host-9"}
    assert [one["run"] is None for one in found["hosts"]].count(True) == 6

    monkeypatch.setattr("threadping.studies.fleet.cluster.connected", fake_hosts(template, {"host-9": 1.9}))
    again = with_fake("fleet resume")
    assert again.returncode == 0 and "fleet 1: 8 hosts" in again.stderr  # and host-4, by an id of its own


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_what_came_and_ends_what_still_measures(
    cluster: Any, with_fake: Command, template: bytes, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One host has sent its run; the other measures for a minute."""
    sends = fake_hosts(template)

    @contextmanager
    def connect(address: str) -> Iterator[Connection]:
        with sends(address) as fake:
            of_template = fake._measure

            def measures(*asked: Any) -> bytes:
                done: bytes = (measure if distributed.get_worker().name == 1 else of_template)(*asked)
                return done

            fake._measure = measures
            yield fake

    monkeypatch.setattr("threadping.studies.fleet.cluster.connected", connect)
    probes: list[int] = []

    def press() -> None:
        with open_store(str(store)) as kept:
            until(lambda: any(run.machine.hostname == "host-0" for run, _ in kept.listed()[0]))
        probes.extend(until(lambda: measuring(os.getpid())))
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press, daemon=True)
    presser.start()
    done = with_fake("fleet run --on", cluster.scheduler_address, "signal", "--budget", "60s")
    presser.join()
    assert done.returncode == 130
    assert done.stderr.endswith(
        "threadping: Interrupted. The runs of 1 host are stored: `threadping fleet resume 1` measures on the others.\n"
    )
    until(lambda: not any(Path(f"/proc/{one}").exists() for one in probes))
    assert " · 1 host · " in with_fake("fleet show").stdout


def test_a_scheduler_that_does_not_answer_is_a_sentence(with_fake: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.studies.fleet.cluster.CONNECT_S", 0.5)
    for address in ("tcp://127.0.0.1:1", "tls://127.0.0.1:1"):
        with_fake("fleet run --on", address).refuses(f"{address} cannot be reached: ", 1)


@pytest.mark.parametrize("cluster", [(0, "inproc")], indirect=True)
def test_a_scheduler_without_workers_and_a_fleet_that_is_not_there(cluster: Any, with_fake: Command) -> None:
    done = with_fake("fleet run --on", cluster.scheduler_address)
    assert (done.returncode, done.stderr) == (
        1,
        "threadping: The scheduler has no workers. Start one on each host: dask worker ADDRESS --nthreads 1.\n",
    )
    assert "holds no fleet" in with_fake("fleet show").stderr


def test_a_scheduler_that_anybody_may_join_is_warned_of() -> None:
    for address, warned in [
        ("tcp://127.0.0.1:8786", False),
        ("tcp://localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://10.0.0.1:8786", False),
        ("tcp://10.0.0.1:8786", True),
        ("tcp://build7:8786", True),
    ]:
        assert is_open(address) is warned


# ---- a worker in a process of its own, which is killed ----

DASK = str(Path(sys.executable).with_name("dask"))
PR_SET_CHILD_SUBREAPER = 36


def measuring(worker: int) -> list[int]:
    """The processes that measure for a worker."""
    listed = ("pgrep", "--parent", str(worker), "--full", "threadping, fleet")
    return [*map(int, subprocess.run(listed, capture_output=True, check=False).stdout.split())]


@pytest.fixture
def orphans_are_ours() -> Iterator[None]:
    """This process becomes the parent of orphans, so it learns how each ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    yield
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)


def until(happens: Callable[[], Any]) -> Any:
    """Wait for it; a thread that waits in vain ends, as the test's own timeout ends the test alone."""
    for _ in range(5_000):
        if found := happens():
            return found
        time.sleep(0.02)
    raise TimeoutError("it never happened")


@pytest.mark.parametrize("cluster", [(1, "tcp")], indirect=True)
def test_of_two_hosts_one_is_killed_meanwhile(
    cluster: Any,
    orphans_are_ours: None,
    with_fake: Command,
    environment: dict[str, str],
    fake_probes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Worker 1 is a process, worker 0 a thread of this one; each says that it is a host of its own."""

    @contextmanager
    def connect(address: str) -> Iterator[Connection]:
        with connected(address) as real:
            yield Connection(real.client, look_of({}))

    monkeypatch.setattr("threadping.studies.fleet.cluster.connected", connect)
    (lock := tmp_path / "host-1.lock").touch()
    fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady", "THREADPING_LOCK": str(lock)}
    path = os.pathsep.join(sys.path)
    options = ("--name", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
    killed = subprocess.Popen(
        [DASK, "worker", cluster.scheduler_address, *options],
        env={**environment, **fake, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ended: list[int] = []

    def kill() -> None:
        until(lambda: lock.read_bytes().startswith(b"["))
        (orphan,) = measuring(killed.pid)
        killed.kill()
        killed.wait()
        ended.append(os.waitpid(orphan, 0)[1])

    killer = threading.Thread(target=kill, daemon=True)
    try:
        until(lambda: len(cluster.scheduler.workers) == 2)
        killer.start()
        done = with_fake("fleet run --on", cluster.scheduler_address, *SIGNAL).ended(1)
        killer.join()
    finally:
        killed.kill()
    assert "host-1: its worker was lost" in done.stderr and "host-0: run 1" in done.stderr
    assert ended == [signal.SIGKILL]
    assert [one["id"] for one in with_fake("runs list --format json").parsed()["runs"]] == [1]
