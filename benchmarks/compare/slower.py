"""A build of the C++ probe that is slower by a little: `python -m benchmarks.compare.slower STEPS` prints its path."""

import shutil
import sys
from pathlib import Path

from benchmarks.command import BUILD, build
from benchmarks.records import Unavailable

FOLDER = BUILD / "slower"
SOURCES = ("CMakeLists.txt", "pyproject.toml", "contract", "probes/cpp", "tools")
PLAYERS = Path("probes/cpp/src/experiments/signal/players.hpp")
TELLS = "  pair.template publish<S>(cell, expected);\n"
TELLS_LATER = """  std::uint64_t late = expected;
  for (int step = 0; step < {}; ++step) {{
    late ^= 1;
    asm volatile("" : "+r"(late));
  }}
  pair.template publish<S>(cell, late);
"""
"""Each step waits for the one before, and the published number for the last. An even number of steps cancels out."""


def slower(steps: int) -> Path:
    """Build a probe whose sides take extra dependent steps, a CPU cycle each, between seeing a handoff and signalling.

    Only a copy of the sources changes. A swap reads and publishes at once, so `cas-one-line` does not get slower.

    Raises:
        Unavailable: it cannot be built.
    """
    root = BUILD.parent
    before, tells, after = (root / PLAYERS).read_text().partition(TELLS)
    if not tells or steps % 2:
        raise Unavailable("The slower probe: steps are even, and players.hpp tells in one line.")
    for name in SOURCES:
        copied = FOLDER / name
        if (root / name).is_dir():
            shutil.copytree(root / name, copied, dirs_exist_ok=True, copy_function=_copied)
        else:
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copied)
    players, changed = FOLDER / PLAYERS, before + TELLS_LATER.format(steps) + after
    if not players.exists() or players.read_text() != changed:
        players.write_text(changed)
    made = FOLDER / "build"
    remedy = "Run `make setup`, which names the packages that building needs."
    for words in (
        ("-S", FOLDER, "-B", made, "-DTHREADPING_JAR=OFF"),
        ("--build", made, "--target", "threadping-probe"),
    ):
        build("The slower probe", ("cmake", *map(str, words)), remedy)
    return made / "threadping-probe"


def _copied(source: str, to: str) -> None:
    """Everything but what is changed there, so that only what did change is compiled again."""
    if not to.endswith(str(PLAYERS)):
        shutil.copy2(source, to)


if __name__ == "__main__":
    print(slower(int(sys.argv[1])))
