"""The command: `python -m benchmarks.advise --rate 1k --p99 100us`."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec

from benchmarks.advise.confirming import Confirmed, arguments, fails, way_of
from benchmarks.cli import PATH, run
from benchmarks.command import BUILD
from benchmarks.records import Unmeasured
from threadping.cli.syntax import LATENCY, RATE, SHARE, TIME

RECORD = BUILD / "advise" / "confirmed.json"
THREADPING = (sys.executable, "-c", "from threadping.cli.app import main; main()")


@click.option("--repeats", type=click.IntRange(1), default=100, help="How many advices.")
@click.option("--rate", type=RATE, required=True, help="As `threadping advise` takes it.")
@click.option("--p99", type=LATENCY, required=True, help="The same.")
@click.option("--cpu", type=SHARE, help="The same.")
@click.option("--busy", type=click.IntRange(0), default=0, help="The same.")
@click.option("--budget", type=TIME, default="60s", help="Of each advice.")
@click.option("--confirm", type=TIME, default="15s", help="Of the run that confirms it.")
@click.option("--record", type=PATH, default=RECORD, help="Where to keep them; written after each.")
@click.option("--from", "again", type=PATH, help="Measure nothing: report this record.")
def advise(
    repeats: int,
    rate: int,
    p99: float,
    cpu: float | None,
    busy: int,
    budget: float,
    confirm: float,
    record: Path,
    again: Path | None,
) -> None:
    """Ask for the same advice again and again, and measure what it names in a run of its own."""
    done: list[Confirmed] = []
    if again is not None:
        done = msgspec.json.decode(again.read_bytes(), type=list[Confirmed])
    else:
        record.parent.mkdir(parents=True, exist_ok=True)
        asked = ["advise", "--rate", str(rate), "--p99", f"{p99}ns", "--busy", str(busy), "--budget", f"{budget}s"]
        asked += ["--cpu", f"{100 * cpu}%"] if cpu else []
        for number in range(repeats):
            done.append(_confirmed(asked, p99, cpu and 100 * cpu, confirm))
            record.write_bytes(msgspec.json.encode(done))
            one = done[-1]
            said = f"fails {', '.join(one.fails)}" if one.fails else "confirmed" if one.way else "none"
            print(f"{number + 1} of {repeats}: {one.way}: {said}", file=sys.stderr)
    print(_report(done))


def _confirmed(asked: list[str], p99_ns: float, cpu_percent: float | None, confirm_s: float) -> Confirmed:
    begun = time.monotonic()
    answer = _answer(asked)
    took_s = time.monotonic() - begun
    if answer["advice"] is None:
        return Confirmed("", False, (), took_s)
    rows = _answer([*arguments(answer["advice"]), "--budget", f"{confirm_s}s"])["rows"]
    return Confirmed(way_of(answer["advice"]), answer["sure"], fails(rows, p99_ns, cpu_percent), took_s)


def _answer(words: list[str]) -> dict[str, Any]:
    store = BUILD / "advise" / "runs.sqlite3"
    command = (*THREADPING, *words, "--format", "json", "--store", str(store))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Unmeasured(f"threadping failed: {done.stderr.strip()[-300:]}")
    answer: dict[str, Any] = msgspec.json.decode(done.stdout)
    return answer


def _report(done: list[Confirmed]) -> str:
    advised = [one for one in done if one.way]
    sure = [one for one in advised if one.sure]
    met = [one for one in advised if not one.fails]
    named, failed = Counter(one.way or "nothing" for one in done), Counter(what for one in done for what in one.fails)
    lines = [
        f"{len(done)} advices, {max(one.seconds for one in done):.0f} s the longest; {len(advised)} named a way",
        f"confirmed: {len(met)} of {len(advised)}",
        f"of those that were sure: {sum(not one.fails for one in sure)} of {len(sure)}",
        *(f"{times} x {way}" for way, times in named.most_common()),
        *(f"{times} failed {what}" for what, times in failed.most_common()),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    run("advise", advise)
