"""Hops: over loopback, between fake hosts in rounds, and between real ones in network namespaces."""

import csv
import io
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.end_to_end.conftest import Command
from tests.end_to_end.test_fleet import PORT, cluster, networks, registered, tls, workers_at
from tests.fakes.fleet import look_of

pytest.importorskip("distributed")
from threadping.studies.fleet.cluster import Connection, connected
from threadping.studies.fleet.jobs import HostResult

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, of sockets that are closed late
__all__ = ["cluster", "networks", "tls"]

ENDS: list[tuple[str, frozenset[str]]] = []
"""Which hosts began and ended a hop together, in order."""

QUICK = ("--trial", "60ms", "--budget", "1s", "--runtime", "cpp")


@pytest.mark.parametrize("cluster", [4], indirect=True)
def test_every_two_hosts_are_measured_once_with_both_ends_and_nobody_twice_at_once(
    cluster: Any, threadping: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--mechanism", "udp-loopback,udp-loopback-spin", "--bytes", "100", "--placement", "same-cpu")
    done = threadping("hop", *QUICK, *asked, "--format", "run")
    assert done.returncode == 0, done.stderr
    template = done.stdout.encode()
    ENDS.clear()
    refusing = {"host-2"}

    def listen(key: str, address: str, _limit_s: float, _cpu: int) -> bytes:
        from distributed import get_worker

        name = f"host-{get_worker().name}"
        refused = HostResult(b"", f"the far end, {name}: no port is free")
        return msgspec.msgpack.encode(refused if name in refusing else HostResult(f"{name} 1 2".encode(), ""))

    def measure(words: tuple[str, ...], _fleet: str, _limit_s: float, far_end: bytes | None = None) -> bytes:
        from distributed import get_worker

        opened = msgspec.msgpack.decode(far_end, type=HostResult) if far_end else HostResult(b"", "")
        if opened.said:
            return far_end or b""
        from tests.end_to_end.test_hop import ENDS  # Dask copies what a function refers to

        both = frozenset({f"host-{get_worker().name}", opened.run.decode().split(" ")[0]} - {""})
        assert ("udp,udp-spin" if far_end else "udp-loopback,udp-loopback-spin") in words
        ENDS.append(("begins", both))
        time.sleep(0.1)
        ENDS.append(("ends", both))
        return msgspec.msgpack.encode(HostResult(template, ""))

    @contextmanager
    def connect(address: str) -> Iterator[Connection]:
        with connected(address) as real:
            yield Connection(real.client, look_of({}), measure, listen)

    monkeypatch.setattr("threadping.studies.fleet.cluster.connected", connect)
    done = threadping("fleet", "hop", "--on", cluster.scheduler_address, "--transport", "udp", "--bytes", "100")
    assert done.returncode == 1, done.stderr
    assert "fleet 1: 4 hosts and 6 pairs of inproc://" in done.stderr
    refused = [line for line in done.stderr.splitlines() if "no port is free" in line]
    assert len(refused) == sum(" to host-2: " in line for line in refused) > 0

    refusing.clear()
    again = threadping("fleet", "resume")
    assert f"fleet 1: 0 hosts and {len(refused)} pairs of" in again.stderr
    names = [f"host-{number}" for number in range(4)]
    every = [frozenset({a, b}) for a in names for b in names if a <= b]
    assert Counter(both for what, both in ENDS if what == "begins") == Counter(every)
    busy: Counter[str] = Counter()
    together = 0
    for what, both in ENDS:
        busy.update(both) if what == "begins" else busy.subtract(both)
        assert max(busy.values()) <= 1
        together = max(together, sum(busy.values()))
    assert together == 4  # all are busy in a round

    lines = list(csv.DictReader(io.StringIO(threadping("fleet", "show", "--format", "csv").stdout)))
    assert Counter(line["to"] for line in lines) == {"loopback": 8, "host": 12}
    hops = json.loads(threadping("fleet", "show", "--format", "json").stdout)["hops"]
    row = json.loads(threadping("show", "1", "--format", "json").stdout)["rows"][0]
    of_it = next(one for one in hops if one["mechanism"] == row["mechanism"])
    figures = (row["latency_ns"]["typical"], row["latency_ns"].get("p99"), row["cpu_ns_per_op"])
    far = row["hop"]["far_cpu_ns_per_op"]
    assert far > 0
    assert (of_it["one_way_ns"], of_it["round_trip_p99_ns"], of_it["cpu_ns_per_op"]) == figures
    assert (of_it["far_cpu_ns_per_op"], of_it["lost"]) == (far, 0.0)
    assert "host-0 to host-1" not in again.stdout and "4 hosts, 6 pairs measured" in again.stdout


@pytest.mark.timeout(300)
def test_two_hosts_in_networks_of_their_own(
    networks: list[str], tls: dict[str, str], threadping: Command, tmp_path: Path, environment: dict[str, str]
) -> None:
    port = PORT + 1  # the other test beside this one has its scheduler at the first
    address = f"tls://10.77.1.1:{port}"
    with workers_at(port, tmp_path, {**environment, **tls}) as work:
        work("inside", networks[0], "--host", "tls://10.77.1.2")
        work("outside", None, "--host", "tls://10.77.1.1")
        registered(tmp_path, "inside", "outside")
        done = threadping("fleet", "hop", "--on", address, *QUICK, "--format", "json", env=tls)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)["hops"]
        assert sorted((one["host"], one["to"], one["mechanism"]) for one in found) == [
            ("inside", "host", "tcp"),
            ("inside", "host", "tcp-spin"),
            *((name, "loopback", f"tcp-loopback{spin}") for name in ("inside", "outside") for spin in ("", "-spin")),
        ]
        measured = [
            one["mechanism"] for one in found if one["one_way_ns"]
        ]  # who spins may wait for a whole short trial
        assert {"tcp", "tcp-loopback"} <= {*measured}
        run = next(one["run"] for one in found if one["to"] == "host")
        assert "inside to outside" in threadping("show", str(run)).stdout
        left = subprocess.run(
            ["pgrep", "-f", "threadping-probe serve --host 10.77.1"], capture_output=True, check=False
        )
        assert left.stdout == b""
