"""The command: `python -m benchmarks.like [TOOL=PATH ...]` runs every tool that is there, in turn with our cases."""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from threadping.studies.like.tools import tools

SECONDS = 90
"""Of each tool: nine of them take a quarter of an hour."""

PROGRAMS = {
    "c2clat": "c2clat",
    "core-to-core-latency": "core-to-core-latency",
    "perf-bench-pipe": "perf",
    "perf-bench-messaging": "perf",
    "stress-ng": "stress-ng",
}
"""What a tool's program is called on the search path, where it has one of its own."""


def found_programs(given: Sequence[str]) -> dict[str, str]:
    """The programs by their tools: those that were given as TOOL=PATH, and those on the search path."""
    named: Mapping[str, str] = dict(one.split("=", 1) for one in given if "=" in one)
    here = {tool: shutil.which(program) for tool, program in PROGRAMS.items()}
    return {tool: path for tool, path in {**here, **named}.items() if path}


def main(given: Sequence[str]) -> int:
    """Run each tool that is there in turn with ours, and name those that are not; gives the worst exit status."""
    programs = found_programs(given)
    known = [name for name, tool in tools().items() if tool.runs]
    if not programs.keys() <= {*known} or any("=" not in one for one in given):
        print(f"Give each tool as TOOL=PATH, of these: {', '.join(known)}.", file=sys.stderr)
        return 2
    worst = 0
    for tool, path in programs.items():
        asked = ("like", tool, "--run", path, "--budget", f"{SECONDS}s", "--format", "markdown")
        worst = max(worst, subprocess.run((sys.executable, "-m", "threadping", *asked), check=False).returncode)
    missing = [name for name in known if name not in programs]
    print(f"\nNot here: {', '.join(missing) or 'none'}.")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
