"""The command: `python -m benchmarks.agreement`."""

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.agreement.bare import BUILD, SHORTER
from benchmarks.agreement.gathering import gather, two_cpus
from benchmarks.agreement.questions import AGREEMENT, Group, about
from benchmarks.cli import CPUS, comparing, only, run, show
from benchmarks.session import Where, hold, look_around, read
from threadping.probes.placements import name_of


@comparing(7, BUILD / "session.json")
@CPUS
@only(Group)
@click.option("--about", "words", multiple=True, help="Only what has this in its title: cas, 'lock ', java-17.")
@click.option("--paired", is_flag=True, help="Short processes, ours and theirs alternating: ratios of rounds.")
@click.option("--iterations", type=click.IntRange(1000), default=2_000_000, help="Of peers and bare programs.")
def agreement(
    rounds: int,
    cpus: str | None,
    only: Sequence[str],
    words: Sequence[str],
    runtime: Sequence[str],
    paired: bool,
    iterations: int,
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare our probes with peers and with the published programs: in one run, in random order, a process each."""
    groups = [Group(one) for one in only] or [*Group]
    benchmark = about(words)
    if again is None:
        runtimes, topology = look_around(runtime)
        ping, pong = two_cpus(topology, cpus)
        where = Where(topology, (ping, pong), name_of(topology, (ping, pong)))
        gathering = gather(runtimes, ping, pong, iterations, groups, shorter=SHORTER if paired else 1)
        session = hold(benchmark, groups, gathering, where, rounds=rounds, seed=seed, record=record, paired=paired)
    else:
        session = read(again)
    show(benchmark, session, groups, form)


run(AGREEMENT.name, agreement)
