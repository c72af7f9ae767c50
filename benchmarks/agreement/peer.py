"""core-to-core-latency, from its registry."""

from pathlib import Path

from benchmarks.agreement.bare import REMEDY
from benchmarks.command import BUILD, build, printed
from benchmarks.records import Contender, Subject

NAME = "core-to-core-latency"
VERSION = "1.2.0"
FOLDER = BUILD / "peers"

BENCHES = {"cas-one-line": 1, "release-two-lines": 2}
"""Its benches by the mechanism that they use; its third is no ping-pong."""

ROUND_TRIPS_A_SAMPLE = 1000
"""Its default, and the length of our blocks."""

FIGURE = r"^(\d+(?:\.\d+)?),$"
"""The only filled cell of its table of two CPUs: already one-way, the mean over its samples."""


def install() -> Path:
    """Install it below build/ unless it is there; Unavailable if that cannot be done."""
    command = ("cargo", "install", "--quiet", "--root", str(FOLDER), "--locked", "--version", VERSION, NAME)
    build(NAME, command, "Install Rust (https://rustup.rs) and see that its registry can be reached.")
    return FOLDER / "bin" / NAME


def contenders(ping: int, pong: int, iterations: int) -> list[Contender]:
    """Install it; one for each bench, over as many round trips as the bare programs make."""
    samples = max(1, iterations // ROUND_TRIPS_A_SAMPLE)
    words = (str(install()), str(ROUND_TRIPS_A_SAMPLE), str(samples))
    cores = ("--cores", f"{pong},{ping}", "--csv")  # the second CPU of its list is the one that pings
    return [
        printed(Subject(NAME, "rust", mechanism, 1), (*words, "--bench", str(bench), *cores), FIGURE, REMEDY)
        for mechanism, bench in BENCHES.items()
    ]
