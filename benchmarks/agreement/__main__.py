"""The command: `python -m benchmarks.agreement`."""

from typing import Annotated

import typer

from benchmarks.agreement.bare import BUILD
from benchmarks.agreement.gathering import gather, two_cpus
from benchmarks.agreement.questions import AGREEMENT, Group
from benchmarks.cli import ONLY, Again, Form, Record, Rounds, Runtimes, Seed, run, show
from benchmarks.session import Where, hold, look_around, read
from threadping.machine.placements import name_of


def agreement(
    rounds: Rounds = 20,
    cpus: Annotated[str | None, typer.Option(help="Ping's CPU and pong's, such as 0,1.")] = None,
    only: Annotated[list[Group] | None, ONLY] = None,
    runtime: Runtimes = None,
    iterations: Annotated[int, typer.Option(min=1000, help="Round trips of peers and bare programs.")] = 2_000_000,
    seed: Seed = None,
    form: Form = "table",
    record: Record = BUILD / "session.json",
    again: Again = None,
) -> None:
    """Compare our probes with peers and with the published programs: in one run, in random order, a process each."""
    groups = only or [*Group]
    if again is None:
        runtimes, topology = look_around(runtime)
        ping, pong = two_cpus(topology, cpus)
        where = Where(topology, (ping, pong), name_of(topology, (ping, pong)))
        gathering = gather(runtimes, ping, pong, iterations, groups)
        session = hold(AGREEMENT, groups, gathering, where, rounds=rounds, seed=seed, record=record)
    else:
        session = read(again)
    show(AGREEMENT, session, groups, form)


run(AGREEMENT.name, agreement)
