"""core-to-core-latency, from its registry."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.agreement.bare import REMEDY
from benchmarks.command import BUILD, build, said_by, the_only_figure
from benchmarks.records import Contender, Figures, Subject

NAME = "core-to-core-latency"
VERSION = "1.2.0"
FOLDER = BUILD / "peers"

BENCHES = {"cas-one-line": 1, "release-two-lines": 2}
"""Its benches by the mechanism that they use; its third is no ping-pong."""

ROUND_TRIPS_A_SAMPLE = 1000
"""Its default, and the length of our blocks."""


def install() -> Path:
    """Install it below build/ unless it is there; Unavailable if that cannot be done."""
    command = ("cargo", "install", "--quiet", "--root", str(FOLDER), "--locked", "--version", VERSION, NAME)
    build(NAME, command, "Install Rust (https://rustup.rs) and see that its registry can be reached.")
    return FOLDER / "bin" / NAME


def contenders(program: Path, ping: int, pong: int, iterations: int) -> list[Contender]:
    """One for each bench, over as many round trips as the bare programs make."""

    def contender(mechanism: str, bench: int) -> Contender:
        command = _command(program, bench, ping, pong, iterations)
        return Contender(
            Subject(NAME, "rust", mechanism, 1), lambda _seed: Figures(one_way_ns(said_by(command, REMEDY)))
        )

    return [contender(mechanism, bench) for mechanism, bench in BENCHES.items()]


def _command(program: Path, bench: int, ping: int, pong: int, iterations: int) -> Sequence[str]:
    # The second CPU of its list is the one that pings.
    samples = max(1, iterations // ROUND_TRIPS_A_SAMPLE)
    cores = f"{pong},{ping}"
    return (str(program), str(ROUND_TRIPS_A_SAMPLE), str(samples), "--bench", str(bench), "--cores", cores, "--csv")


def one_way_ns(output: str) -> float:
    """Read the only filled cell of its table of two CPUs: already one-way, the mean over its samples."""
    return the_only_figure(r"^(\d+(?:\.\d+)?),$", output)
