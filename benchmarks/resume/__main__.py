"""The command: `python -m benchmarks.resume --pairs 100`."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp
from pathlib import Path
from statistics import fmean

import click
import msgspec

from benchmarks.cli import PATH, run
from benchmarks.command import BUILD
from benchmarks.records import Unmeasured
from benchmarks.resume.killed import (
    Killed,
    chance,
    headlines,
    in_same_order,
    log_ratios,
    lost,
    measured_twice,
    missing,
    overlaps,
)
from threadping.conduct.stored import answered
from threadping.model.run import Trial
from threadping.options.syntax import TIME
from threadping.store.store import open_store

RECORD, STORE = BUILD / "resume" / "killed.json", BUILD / "resume" / "runs.sqlite3"
THREADPING = (sys.executable, "-m", "threadping")
WORDS = ("run", "signal", "--runtime", "cpp", "--mechanism", "cas-one-line,condition")


@click.option("--pairs", type=click.IntRange(1), default=100, help="Killed runs, each with an uninterrupted twin.")
@click.option("--kills", type=click.IntRange(1), default=1, help="How often each is killed before it may end.")
@click.option("--budget", type=TIME, default="6s", help="Of each run.")
@click.option("--seed", type=click.IntRange(0), default=1, help="Of when they are killed, and of their orders.")
@click.option("--record", type=PATH, default=RECORD, help="Where to keep them; written after each.")
@click.option("--from", "again", type=PATH, help="Measure nothing: report this record.")
@click.argument("words", nargs=-1)
def resume(
    pairs: int, kills: int, budget: float, seed: int, record: Path, again: Path | None, words: Sequence[str]
) -> None:
    """Measure WORDS (by default a short `signal`) whole, and killed by kill -9 at a random moment, then resumed."""
    done: list[Killed] = []
    if again is not None:
        done = msgspec.json.decode(again.read_bytes(), type=list[Killed])
    else:
        for file in (record, STORE):
            file.parent.mkdir(parents=True, exist_ok=True)
        for number in range(pairs):
            draw = random.Random(f"{seed}/{number}")
            asked = [*(words or WORDS), "--budget", f"{budget}s", "--seed", str(draw.randrange(2**40))]
            done.append(_pair(asked, kills, budget, draw))
            record.write_bytes(msgspec.json.encode(done))
            one = done[-1]
            said = f"killed with {', '.join(map(str, one.stored))} trials, {one.trials} at the end"
            print(f"{number + 1} of {pairs}: {said}; {one.lost} lost, {one.twice} twice", file=sys.stderr)
    print("\n".join(_report(done)))


def _pair(asked: Sequence[str], kills: int, budget_s: float, draw: random.Random) -> Killed:
    """A run that is killed and resumed, and a whole one, in random order."""
    whole = _whole(asked) if draw.random() < 0.5 else None
    number, at, held = _begin_and_kill(asked, kills, budget_s, draw)
    return _outcome(number, at, held, _whole(asked) if whole is None else whole)


def _begin_and_kill(
    asked: Sequence[str], kills: int, budget_s: float, draw: random.Random
) -> tuple[int, list[float], list[list[Trial]]]:
    """Begin a run, kill it so often, and resume it to its end: its number, when, and the trials it held each time."""
    at: list[float] = []
    held: list[list[Trial]] = []
    words, number = [*asked], 0
    while len(held) < kills:
        after_s, last = draw.uniform(0.3, budget_s), _last()
        process = subprocess.Popen(
            (*THREADPING, *words, *_store()), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(after_s)
        os.kill(process.pid, signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            break  # it had ended before
        if not number and _last() == last:
            continue  # it had not begun
        number = number or _last()
        at.append(after_s)
        held.append(_trials(number))
        words = ["runs", "resume", str(number)]
    number = number or _last()
    if _status(number) != "complete":
        _carry_out(["runs", "resume", str(number)])
    return number, at, held


def _outcome(number: int, at: Sequence[float], held: Sequence[Sequence[Trial]], whole: int) -> Killed:
    trials = _trials(number)
    with open_store(str(STORE), create=False) as store:
        of_both = [headlines(answered(store, str(one))) for one in (whole, number)]
    return Killed(
        at_s=tuple(at),
        stored=tuple(map(len, held)),
        trials=len(trials),
        lost=sum(lost(one, trials) for one in held),
        twice=measured_twice(trials),
        missing=missing(trials),
        status=_status(number),
        same_order=in_same_order(trials, _trials(whole)),
        whole=of_both[0],
        resumed=of_both[1],
    )


def _whole(asked: Sequence[str]) -> int:
    _carry_out(asked)
    return _last()


def _carry_out(words: Sequence[str]) -> None:
    done = subprocess.run((*THREADPING, *words, *_store()), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3) or "Traceback" in done.stderr:
        raise Unmeasured(f"threadping failed: {done.stderr.strip()[-300:]}")


def _store() -> tuple[str, str]:
    return ("--store", str(STORE))


def _last() -> int:
    """The number of the newest run; 0 where there is none."""
    with open_store(str(STORE)) as store:
        return next((run.id for run, _ in store.listed(1)[0]), 0)


def _trials(number: int) -> list[Trial]:
    with open_store(str(STORE), create=False) as store:
        return store.trials(store.run(str(number)))


def _status(number: int) -> str:
    with open_store(str(STORE), create=False) as store:
        return store.run(str(number)).status


def _report(done: Sequence[Killed]) -> Iterator[str]:
    killed = [one for one in done if one.stored]
    kills = sum(len(one.stored) for one in killed)
    yield f"{len(killed)} runs, killed {kills} times at random moments; {len(done) - len(killed)} had ended before"
    yield f"stored trials lost: {sum(one.lost for one in killed)}; measured twice: {sum(one.twice for one in killed)}"
    yield f"jitter between trials: {sum(one.missing for one in killed)}"
    yield f"complete at their end: {sum(one.status == 'complete' for one in killed)} of {len(killed)}"
    yield f"in the order of the whole run: {sum(one.same_order for one in killed)} of {len(killed)}"
    wholes = [one.whole for one in done]
    of_pairs = overlaps((one.whole, one.resumed) for one in killed)
    yield f"intervals that overlap those of the whole run: {_share(of_pairs)}"
    yield f"those of a whole run and the next whole one, which nobody killed: {_share(overlaps(pairwise(wholes)))}"
    for name, logs in log_ratios(killed).items():
        yield f"{name}: resumed / whole {exp(fmean(logs)):.4f} over {len(logs)} pairs, p = {chance(logs):.3f}"


def _share(of: tuple[int, int]) -> str:
    found, number = of
    return f"{found} of {number}" + (f" ({found / number:.1%})" if number else "")


if __name__ == "__main__":
    run("resume", resume)
