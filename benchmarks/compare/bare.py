"""Blocks of a hand-written baseline: how steady this host is for any program in the same minutes."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import bare, command
from benchmarks.command import said_by, the_only_figure
from threadping.studies.compare.blocks import SideTrial, TrialBlock, order

SOURCE = Path(__file__).parent / "bare" / "lines.cpp"
TRIAL_US, PING_US = 35_000, 5_000
"""As long as a trial of a spinning C++ mechanism in a comparison, and a reference ping."""


def program() -> Path:
    """Compile it."""
    return bare.compile_cpp(SOURCE, command.BUILD / "compare")


def measure(loop: Path, cpus: Sequence[int], blocks: int, seed: int) -> list[TrialBlock]:
    """Measure blocks: a fresh process for each trial and for each ping in between; chance decides which trial is B."""

    def once(microseconds: int) -> float:
        words = (str(loop), *map(str, cpus), str(microseconds))
        return the_only_figure(bare.FIGURE, said_by(words, "Try again."))

    found = []
    before = once(PING_US)
    for block in range(blocks):
        trials = []
        for side in order(seed, 0, block):
            value, after = once(TRIAL_US), once(PING_US)
            trials.append(SideTrial(side, value, before, after))
            before = after
        found.append(TrialBlock(tuple(trials)))
    return found


def keep(record: Path, blocks: Sequence[TrialBlock], seconds: float) -> None:
    """Append a comparison to the file next to the record, one per line."""
    with record_of(record).open("ab") as file:
        file.write(msgspec.json.encode((blocks, seconds)) + b"\n")


def kept(record: Path) -> list[tuple[list[TrialBlock], float]]:
    """Return the comparisons in the file next to the record; none if there is no such file."""
    if not record_of(record).exists():
        return []
    return [msgspec.json.decode(line, type=tuple[list[TrialBlock], float]) for line in record_of(record).open("rb")]


def record_of(record: Path) -> Path:
    """Return the baseline's file of a record."""
    return record.with_suffix(".bare.jsonl")
