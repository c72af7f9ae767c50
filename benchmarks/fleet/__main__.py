"""The command: `python -m benchmarks.fleet`."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import click
import dask
from distributed import LocalCluster

from benchmarks.cli import run
from tests.fakes.fleet import fake_hosts
from threadping.conduct.stored import answered
from threadping.output.run_records import bundle
from threadping.store.store import open_store
from threadping.studies.fleet import command

QUIET = {
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.tick.interval": "10s",
    "distributed.worker.profile.enabled": False,
}
"""Hundreds of workers in one process would do little else than look at themselves."""

PLANTED: Mapping[str, float] = {"host-3": 1.25, "host-7": 0.8, "host-11": 2.1}


@click.option("--hosts", type=click.IntRange(12), default=200, help="How many; 200 by default.")
@click.option("--run", "which", default="last", help="Every host sends this run, its headlines changed a little.")
@click.option("--store", help="Where it is kept; otherwise the user's own store.")
def fleet(hosts: int, which: str, store: str | None) -> None:
    """Gather, judge and report a fleet of fake hosts, three of them planted to differ."""
    with open_store(store, create=False) as kept:
        sent = bundle(answered(kept, which)).encode()
    options: dict[str, Any] = {
        "processes": False,
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "memory_limit": 0,
    }
    with (
        tempfile.TemporaryDirectory(prefix="threadping-") as folder,
        dask.config.set(QUIET),
        LocalCluster(n_workers=hosts, silence_logs=50, **options) as cluster,  # type: ignore[no-untyped-call]
        patch("threadping.studies.fleet.cluster.connected", fake_hosts(sent, PLANTED)),
    ):
        wall, cpu = perf_counter(), process_time()
        location = str(Path(folder) / "runs.sqlite3")
        command.run(("signal",), cluster.scheduler_address, location=location)
        command.show("last", location=location)
        wall, cpu = perf_counter() - wall, process_time() - cpu
        memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024
        print(f"\n{hosts} hosts: {wall:.1f} s, {cpu:.1f} s of CPUs, at most {memory:.0f} MB, {os.cpu_count()} CPUs")


if __name__ == "__main__":
    run("fleet", fleet)
