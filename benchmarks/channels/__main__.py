"""The command: `python -m benchmarks.channels`."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import BUILD
from benchmarks.libraries.table import published, table_of

PUBLISHED = Path(__file__).parent / "published.toml"
PRODUCERS = (1, 4)
"""`spsc`, and `mpsc` with as many threads as there."""

BOUNDED = ("std-sync-channel", "crossbeam-bounded", "flume", "kanal")
UNBOUNDED = ("std-channel", "crossbeam-unbounded", "flume-unbounded")
RUNS: tuple[tuple[tuple[str, ...], tuple[int | None, ...], int], ...] = (
    (BOUNDED, (0, 1, 1_048_576), 150),
    (UNBOUNDED, (None,), 45),
)
"""Mechanisms, their queue sizes, and the seconds to measure them."""


def main(files: Sequence[str]) -> int:
    """Measure it, unless files of JSON are given, and print the table."""
    measured: Sequence[str | Path] = files
    if not files:
        measured = (BUILD / "channels" / "bounded.json", BUILD / "channels" / "unbounded.json")
        measured[0].parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
            for file, (mechanisms, sizes, seconds) in zip(measured, RUNS, strict=True):
                status = _measure(file, Path(folder) / "runs.sqlite3", mechanisms, sizes, seconds)
                if status != 0:
                    return status
    print(table_of(measured, published(PUBLISHED)), end="")
    return 0


def _measure(file: Path, store: Path, mechanisms: Sequence[str], sizes: Sequence[int | None], seconds: int) -> int:
    """Have threadping measure it, and keep what it writes; gives its exit status."""
    named = [str(size) for size in sizes if size is not None]
    command = (
        *(sys.executable, "-m", "threadping", "run", "queue", "--runtime", "rust", "--mechanism", ",".join(mechanisms)),
        *(("--param", f"size={','.join(named)}") if named else ()),
        *("--producers", ",".join(map(str, PRODUCERS)), "--placement", "unpinned"),
        *("--budget", f"{seconds}s", "--store", str(store), "--format", "json"),
    )
    with file.open("wb") as written:
        return subprocess.run(command, stdout=written, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
