"""The command: `python -m benchmarks.compare`."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click
import msgspec

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import CPUS, PATH, run
from benchmarks.command import BUILD
from benchmarks.compare import bare
from benchmarks.compare.planted import MARGINS, SHIFTS, Comparison, Line, judged, line, ratio_of
from benchmarks.compare.slower import slower
from benchmarks.records import Unmeasured
from benchmarks.session import look_around
from threadping.conduct.stored import answered
from threadping.model.run import Comparing
from threadping.options.syntax import TIME
from threadping.store.store import open_store
from threadping.studies.compare.verdict import measured_pairs

RECORD = BUILD / "compare" / "runs.sqlite3"
HEADS = (
    "B is slower by",
    "margin",
    "comparisons",
    "said slower",
    "said what is not so",
    "cannot tell",
    "time to decision",
)
THREADPING = (sys.executable, "-c", "from threadping.cli.app import main; main()")
SLOWER = 3
"""The exit code where B is slower, as a slower build is."""

BUSY = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"


@click.option("--comparisons", type=click.IntRange(1), default=200, help="How many of a thing with itself.")
@click.option("--budget", type=TIME, default="8s", help="Of each comparison.")
@click.option("--runtime", default="cpp", help="As threadping's --runtime takes it.")
@click.option("--subject", default="signal", help="What is measured.")
@click.option("--mechanism", default="cas-one-line", help="Of the subject; with --steps a signal that does not swap.")
@click.option("--steps", type=int, help="B is a build of the probe that takes this even number of extra steps.")
@CPUS
@click.option(
    "--bare", "with_bare", is_flag=True, help="After each, a hand-written baseline in as many blocks, judged alike."
)
@click.option("--load", is_flag=True, help="Keep the first CPU busy for the second half of each comparison.")
@click.option("--record", type=PATH, default=RECORD, help="The store of their runs, made anew.")
@click.option("--from", "again", type=PATH, help="Measure nothing: report the comparisons of this record.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to write it.")
@click.argument("more", nargs=-1)
def compare(
    comparisons: int,
    budget: float,
    runtime: str,
    subject: str,
    mechanism: str,
    steps: int | None,
    cpus: str | None,
    with_bare: bool,
    load: bool,
    record: Path,
    again: Path | None,
    form: str,
    more: Sequence[str],
) -> None:
    """Compare a thing with itself again and again, then plant shifts in what was measured; or with a slower build.

    MORE options of `threadping compare` follow a `--`.

    A shift is planted in the logarithms of B's figures, after measuring, so that it is known to the last digit. By how
    much a build is slower is known only as well as it can be measured: from all comparisons together.
    """
    built = None if steps is None else slower(steps)
    sides = ("--self", "--runtime", runtime) if built is None else ("--runtime", "cpp", "--runtime", f"cpp={built}")
    pair = two_cpus(look_around(None)[1], cpus)
    asked = ("compare", subject, *sides, "--mechanism", mechanism, "--cpus", ",".join(map(str, pair)), *more)
    if again is None:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.unlink(missing_ok=True)
        bare.record_of(record).unlink(missing_ok=True)
        loop = bare.program() if with_bare else None
        for number in range(comparisons):
            with _busy(budget / 2) if load else nullcontext():
                _measure(asked, budget, record)
            blocks, seconds = stored(record)[-1]
            said = f"{len(blocks)} blocks of {seconds:.2f} s"
            print(f"{number + 1} of {comparisons}: {said}", file=sys.stderr, flush=True)
            if loop:
                begun = time.monotonic()
                same = bare.measure(loop, pair, len(blocks), number)
                bare.keep(record, same, (time.monotonic() - begun) / len(same))
    made = stored(again or record)
    if built is None:
        lines = {"threadping": [line(shift, made) for shift in SHIFTS]}
        if bares := bare.kept(again or record):
            lines["hand-written baseline"] = [line(shift, bares) for shift in SHIFTS]
    else:
        lines = {"threadping": [judged(ratio_of(made) - 1, margin, made) for margin in MARGINS]}
    if form == "json":
        print(msgspec.json.format(msgspec.json.encode(lines)).decode())
    else:
        print("\n\n".join(f"{name}\n\n{table(of)}" for name, of in lines.items()))


def stored(record: Path) -> list[Comparison]:
    """The comparisons of a record, in the order in which they were made."""
    found: list[Comparison] = []
    with open_store(str(record), create=False) as store:
        for which, _ in reversed(store.listed()[0]):
            answer = answered(store, str(which.id))
            if isinstance(of := answer.run.study, Comparing):
                (pair,) = measured_pairs(answer, of)
                found.append((pair.blocks, pair.seconds_per_block))
    return found


def table(lines: Sequence[Line]) -> str:
    """Write them as a Markdown table."""
    rows = [f"| {' | '.join(HEADS)} |", f"|{'---:|' * len(HEADS)}"]
    for one in lines:
        seconds = "-" if one.seconds is None else f"{one.seconds:.1f} s"
        counts = (f"{count}" for count in (one.comparisons, one.slower, one.wrong, one.cannot_tell))
        rows.append(f"| {' | '.join((f'{100 * one.shift:.3g}%', f'{100 * one.margin:g}%', *counts, seconds))} |")
    return "\n".join(rows)


def _measure(asked: Sequence[str], budget_s: float, record: Path) -> None:
    where = ("--budget", f"{budget_s}s", "--store", str(record), "--anyway", "--format", "json")
    command = (*THREADPING, *asked, *where)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, SLOWER):
        raise Unmeasured(done.stderr.strip().splitlines()[-1])


@contextmanager
def _busy(after_s: float) -> Iterator[None]:
    """Spin another program on the first CPU, after a delay in seconds until the end."""
    with subprocess.Popen((sys.executable, "-c", f"import time\ntime.sleep({after_s})\n{BUSY}")) as one:
        try:
            yield
        finally:
            one.kill()


if __name__ == "__main__":
    run("compare", compare)
