"""The command: `python -m benchmarks.page`."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

import click
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.cli import run
from benchmarks.compare.__main__ import THREADPING
from benchmarks.records import Unmeasured
from tests.unit.output.page.browser import CHROMIUM, browser
from threadping.model.run import Observation, ReferencePing, Stored
from threadping.store.store import Store, open_store

HEADS = ("runs", "trials", "page", "written in", "CPU", "memory", "imported in", "CPU", "memory", "first paint")
PAINTED = "performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint')?.startTime ?? 0"


class Spent(Struct, frozen=True):
    """Resources that a process used: seconds, CPU seconds, and its largest memory in MB.

    Linux counts what its parent had before, which here is less than what a page needs.
    """

    wall_s: float
    cpu_s: float
    memory_mb: float


@click.argument("runs", nargs=-1)
@click.option("--store", help="Where they are kept; otherwise the user's own store.")
@click.option("--together", is_flag=True, help="Put them together, as if they had been one run of all their trials.")
@click.option("--times", type=click.IntRange(1), default=5, help="How often each is done; medians are printed.")
def page(runs: Sequence[str], store: str | None, together: bool, times: int) -> None:
    """Write a page of each of these runs (otherwise the last), import it and open it in headless Chromium."""
    print(f"| {' | '.join(HEADS)} |\n|---|{'---:|' * (len(HEADS) - 1)}")
    with tempfile.TemporaryDirectory(prefix="threadping-") as name, ExitStack() as stack:
        folder, wanted = Path(name), list(runs or ("last",))
        kept = stack.enter_context(open_store(store, create=False))
        location, titles = store, {one: one for one in wanted}
        if together:
            location, titles = str(folder / "together.sqlite3"), {"1": " + ".join(wanted)}
            with open_store(location) as made:
                put_together(kept, wanted, made)
            kept = stack.enter_context(open_store(location))
        for which, title in titles.items():
            trials = len(kept.observations(kept.run(which)))
            print(f"| {title} | {trials:,} | {' | '.join(_cells(which, location, folder, times))} |", flush=True)


def put_together(store: Store, runs: Sequence[str], into: Store) -> None:
    """Store one run that has the cases, trials and reference pings of all of these, one after the other."""
    found = [store.run(which) for which in runs]
    trials, pings = list[Observation](), list[ReferencePing]()
    for one in found:
        taken = store.pings(one)
        later = pings[-1].at + 1 - taken[0].at if pings and taken else 0.0
        pings += [replace(ping, trials=ping.trials + len(trials), at=ping.at + later) for ping in taken]
        trials += store.observations(one)
    cases = tuple(dict.fromkeys(case for one in found for case in one.cases))
    into.take(Stored(replace(found[0], cases=cases), tuple(trials), tuple(pings)))


def _cells(which: str, location: str | None, folder: Path, times: int) -> Iterator[str]:
    made, kept = folder / "page.html", ("--store", location) if location else ()
    written = [spent((*THREADPING, "report", which, *kept, "-o", str(made))) for _ in range(times)]
    yield f"{made.stat().st_size / 1e6:.2f} MB"
    yield from _of(written)
    fresh = [str(folder / f"{which}-{number}.sqlite3") for number in range(times)]
    yield from _of([spent((*THREADPING, "runs", "import", str(made), "--store", one)) for one in fresh])
    yield f"{median(_painted(made, folder, times)):.0f} ms" if CHROMIUM else "-"


def _of(all_of_it: Sequence[Spent]) -> Iterator[str]:
    yield f"{median(one.wall_s for one in all_of_it):.2f} s"
    yield f"{median(one.cpu_s for one in all_of_it):.2f} s"
    yield f"{max(one.memory_mb for one in all_of_it):.0f} MB"


def spent(command: Sequence[str]) -> Spent:
    """Run a command to its end; raises Unmeasured if it fails."""
    began = perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise Unmeasured(said.read().decode(errors="replace").strip())
    return Spent(perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3)


def _painted(made: Path, folder: Path, times: int) -> Iterator[float]:
    """When something of the page was first seen, in ms after it was asked for: each time in a new process."""
    for number in range(times):
        with browser(folder / f"profile-{number}") as opened:
            opened.open(made)
            yield float(opened.run(f"new Promise((see) => setTimeout(() => see({PAINTED}), 500))"))


if __name__ == "__main__":
    run("page", page)
