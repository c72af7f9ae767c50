"""A fleet: the real command, Dask's scheduler and workers in this process, the fake probe on every host."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.end_to_end.conftest import Command

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, of sockets that are closed late

SIGNAL = ("signal", "--budget", "1s", "--mechanism", "steady", "--placement", "same-l3")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A scheduler and two workers of one host, in this process."""
    with distributed.LocalCluster(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
    ) as cluster:
        yield cluster


def test_a_host_is_measured_once_and_its_run_is_stored_here(cluster: Any, with_fake: Command) -> None:
    done = with_fake("fleet", "run", "--on", cluster.scheduler_address, *SIGNAL)
    assert done.returncode == 0, done.stderr
    name = socket.gethostname()
    assert done.stderr == f"fleet 1: 1 host of {cluster.scheduler_address}\n{name}: run 1 (1 of 1)\n"
    answer = json.loads(with_fake("show", "1", "--format", "json").stdout)
    assert answer["machine"]["hostname"] == name
    assert [row["latency_ns"]["typical"] for row in answer["rows"]] == [100.0]
    again = with_fake("fleet", "resume", "1")
    assert "fleet 1: 0 hosts" in again.stderr and again.stdout == done.stdout
