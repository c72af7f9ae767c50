"""The command: `python -m benchmarks.reproduce [TOOL=PATH ...]` runs every installed tool, alternating with `like`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reproduce.outputs import RUNS, NotPrinted, number_in
from threadping.analysis.percentiles import ratio

ROUNDS = 6  # from six on there is an interval
SECONDS = 15  # of ours in each round: a tool takes two minutes, nine of them twenty
LONGEST_S = 60  # for a tool whose number takes one second

PROGRAMS = {
    "c2clat": "c2clat",
    "core-to-core-latency": "core-to-core-latency",
    "perf-bench-pipe": "perf",
    "perf-bench-messaging": "perf",
    "stress-ng": "stress-ng",
}
"""Name of a tool's program on the search path, if it differs from the tool's."""


def found_programs(given: Sequence[str]) -> dict[str, str]:
    """Return the programs by their tools: those that were given as TOOL=PATH, and those on the search path."""
    named: Mapping[str, str] = dict(one.split("=", 1) for one in given if "=" in one)
    here = {tool: shutil.which(program) for tool, program in PROGRAMS.items()}
    return {tool: path for tool, path in {**here, **named}.items() if path}


def ours(tool: str, store: Path) -> dict[str, Any]:
    """Return each number of a tool by threadping's own cases, as JSON has it, the row of most trials."""
    asked = ("reproduce", tool, "--budget", f"{SECONDS}s", "--format", "json", "--store", str(store))
    done = subprocess.run((sys.executable, "-m", "threadping", *asked), stdout=subprocess.PIPE, check=True)
    numbers = json.loads(done.stdout)["numbers"]
    return {one["number"]: one for one in reversed(numbers) if one["by_their_rules"]}


def theirs(tool: str, number: str, path: str, cpus: Sequence[int]) -> float:
    """Run the tool on these CPUs, all where there are none, and read its number; raises NotPrinted."""
    run, all_cpus = RUNS[tool, number], os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus or all_cpus)
    try:
        done = subprocess.run(
            [path, *run.arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=LONGEST_S,
            errors="replace",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotPrinted(str(error)) from error
    finally:
        os.sched_setaffinity(0, all_cpus)
    if done.returncode:
        raise NotPrinted(f"it ended with exit status {done.returncode}")
    return number_in(done.stdout, run.prints)


def lines_of(tool: str, path: str) -> Iterator[str]:
    """Measure in rounds, ours and then the tool, and give a line of Markdown for each number that the tool prints."""
    pairs: dict[str, list[tuple[float, float]]] = {number: [] for of, number in RUNS if of == tool}
    problems: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
        for _ in range(ROUNDS):
            found = ours(tool, Path(folder) / "runs.sqlite3")
            for number in pairs.keys() & found.keys():
                try:
                    it = theirs(tool, number, path, found[number]["cpus"] or ())
                    pairs[number].append((found[number]["by_their_rules"], it))
                except NotPrinted as error:
                    problems[number] = str(error)
    for number, both in pairs.items():
        if both:
            found_ratio = ratio([one for one, _ in both], [other for _, other in both])
            low, high = found_ratio.ends
            yield f"| {tool} | {number} | {len(both)} | {found_ratio.value:.2f}x ({low:.2f} to {high:.2f}) |"
        else:
            yield f"| {tool} | {number} | 0 | {problems.get(number, 'no case of ours was measured')} |"


def main(given: Sequence[str]) -> int:
    """Compare each tool that is there with ours, and name those that are not."""
    programs = found_programs(given)
    known = list(dict.fromkeys(tool for tool, _ in RUNS))
    if not programs.keys() <= {*known} or any("=" not in one for one in given):
        print(f"Give each tool as TOOL=PATH, of these: {', '.join(known)}.", file=sys.stderr)
        return 2
    print("| tool | number | rounds | ours over its own |\n|---|---|---:|---|")
    for tool, path in programs.items():
        for line in lines_of(tool, path):
            print(line, flush=True)
    print(f"\nNot here: {', '.join(name for name in known if name not in programs) or 'none'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
