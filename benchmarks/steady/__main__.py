"""The command: `python -m benchmarks.steady`."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.agreement.gathering import two_cpus
from benchmarks.cli import CPUS, comparing, run, show
from benchmarks.gathering import Gathering
from benchmarks.session import Where, hold, look_around, read
from benchmarks.steady import bare
from benchmarks.steady.questions import STEADY, Group, ours
from benchmarks.trials import contenders
from threadping.probes.placements import name_of


@comparing(20, bare.BUILD / "session.json")
@CPUS
def steady(
    rounds: int,
    cpus: str | None,
    runtime: Sequence[str],
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare the drift of trials with that of a hand-written baseline: one run, random order, a process each."""
    if again is None:
        runtimes, topology = look_around(runtime)
        pair = two_cpus(topology, cpus)
        gathering = Gathering(runtimes)
        for one in gathering.described:
            for group in Group:
                side = ours(group, compiles=one.runtime.probe == "java")
                gathering.contenders += contenders(one, side, pair, usual_lines=True)
        gathering.invite(lambda: bare.cpp_contenders(*pair))
        if machines := gathering.virtual_machines:
            gathering.invite(lambda: bare.java_contenders(machines, *pair))
        where = Where(topology, pair, name_of(topology, pair))
        session = hold(STEADY, [*Group], gathering, where, rounds=rounds, seed=seed, record=record)
    else:
        session = read(again)
    show(STEADY, session, [*Group], form)


run(STEADY.name, steady)
