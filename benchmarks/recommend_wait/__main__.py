"""The command: `python -m benchmarks.recommend_wait --rate 1k --p99 100us`."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from benchmarks import bare as loops
from benchmarks.cli import PATH, run
from benchmarks.command import BUILD, said_by, the_only_figure
from benchmarks.recommend_wait.confirming import Confirmed, arguments, fails, share, way_of, worst_p99
from benchmarks.records import Unmeasured
from threadping.options.syntax import LATENCY, RATE, SHARE, TIME

BLOCKED_THREAD = Path(__file__).parent / "bare" / "blocked.cpp"
RECORD, STORE = BUILD / "recommend-wait" / "confirmed.json", BUILD / "recommend-wait" / "runs.sqlite3"
THREADPING = (sys.executable, "-c", "from threadping.cli.app import main; main()")


@click.option("--repeats", type=click.IntRange(1), default=100, help="How many advices.")
@click.option("--rate", type=RATE, required=True, help="As `threadping recommend wait` takes it.")
@click.option("--p99", type=LATENCY, required=True, help="The same.")
@click.option("--cpu", type=SHARE, help="The same.")
@click.option("--busy", type=click.IntRange(0), default=0, help="The same.")
@click.option("--budget", type=TIME, default="60s", help="Of each advice.")
@click.option("--confirm", type=TIME, default="15s", help="Of the run that confirms it.")
@click.option("--bare", is_flag=True, help="After each, a blocking hand-written baseline at the same rate.")
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
    bare: bool,
    record: Path,
    again: Path | None,
) -> None:
    """Ask for the same advice again and again, and measure what it names in a run of its own."""
    done: list[Confirmed] = []
    if again is not None:
        done = msgspec.json.decode(again.read_bytes(), type=list[Confirmed])
    else:
        for file in (record, STORE):
            file.parent.mkdir(parents=True, exist_ok=True)
        asked = [
            "recommend",
            "wait",
            "--rate",
            str(rate),
            "--latency",
            f"p99={p99}ns",
            "--busy",
            str(busy),
            "--budget",
            f"{budget}s",
        ]
        asked += ["--max-cpu", f"{100 * cpu}%"] if cpu else []
        baseline = loops.compile_cpp(BLOCKED_THREAD, BUILD / "recommend-wait") if bare else None
        for number in range(repeats):
            one = _confirmed(asked, p99, cpu and 100 * cpu, confirm)
            done.append(replace(one, bare_p99_ns=_alone(baseline, confirm, rate)) if baseline else one)
            record.write_bytes(msgspec.json.encode(done))
            said = f"fails {', '.join(one.fails)}" if one.fails else "confirmed" if one.way else "none"
            print(f"{number + 1} of {repeats}: {one.way}: {said}", file=sys.stderr)
    print(_report(done))


def _alone(baseline: Path, seconds: float, rate: int) -> float:
    """Return the p99 of a blocked thread and its waker on the first two CPUs, without threadping."""
    cpus = map(str, sorted(os.sched_getaffinity(0))[:2])
    words = (str(baseline), str(seconds), str(rate), *cpus)
    return the_only_figure(r"^p99 ns: (\d+\.\d+)$", said_by(words, "Try a shorter --confirm."))


def _confirmed(asked: list[str], p99_ns: float, cpu_percent: float | None, confirm_s: float) -> Confirmed:
    load, begun = os.getloadavg()[0], time.monotonic()
    answer = _answer(asked)
    took_s = time.monotonic() - begun
    advice = next((one for one in answer["ways"] if one["chosen"]), None)
    if advice is None:
        return Confirmed("", False, (), took_s, load=load)
    found = _answer([*arguments(advice), "--budget", f"{confirm_s}s"])
    rows, machine = found["rows"], found["machine"]
    kind = (machine[name] for name in ("cpu_model", "hypervisor", "kernel", "governor"))
    return Confirmed(
        way=way_of(advice),
        sure=answer["sure"],
        fails=fails(rows, p99_ns, cpu_percent),
        seconds=took_s,
        p99_ns=worst_p99(rows),
        core_to_core_ns=tuple(one["core_to_core_ns"] for one in found["states"]),
        load=load,
        machine=", ".join(filter(None, kind)),
    )


def _answer(words: list[str]) -> dict[str, Any]:
    command = (*THREADPING, *words, "--format", "json", "--store", str(STORE))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3) or not done.stdout:
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
        f"confirmed: {share(len(met), len(advised))}",
        f"of those that were sure: {share(sum(not one.fails for one in sure), len(sure))}",
        *(f"{times} x {way}" for way, times in named.most_common()),
        *(f"{times} failed {what}" for what, times in failed.most_common()),
        *_of_the_machine(done),
    ]
    return "\n".join(lines)


def _of_the_machine(done: list[Confirmed]) -> Iterator[str]:
    """Describe the machine: its load, its states, and the worst p99 of each confirming run."""
    yield from dict.fromkeys(one.machine for one in done if one.machine)
    spread = {
        "load {:.1f} to {:.1f}": [one.load for one in done],
        "core to core {:.0f} to {:.0f} ns": [ns for one in done for ns in one.core_to_core_ns],
        "p99 in runs of their own {:,.0f} to {:,.0f} ns": [one.p99_ns for one in done if one.p99_ns is not None],
        "p99 of the baseline {:,.0f} to {:,.0f} ns": [one.bare_p99_ns for one in done if one.bare_p99_ns is not None],
    }
    yield from (said.format(min(values), max(values)) for said, values in spread.items() if values)


if __name__ == "__main__":
    run("recommend-wait", advise)
