"""The command: `python -m benchmarks.looking`."""

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.cli import CPUS, comparing, run, show
from benchmarks.gathering import Gathering
from benchmarks.looking.questions import ASKED, LOOKING, Group, sides
from benchmarks.session import Where, hold, look_around, read
from benchmarks.trials import contenders
from threadping.model import quantities
from threadping.probes.placements import name_of

BUILD = Path("build/looking")


@comparing(12, BUILD / "session.json")
@CPUS
@click.option("--experiment", multiple=True, help="Which experiments; all without it.")
def looking(
    rounds: int,
    cpus: str | None,
    runtime: Sequence[str],
    experiment: Sequence[str],
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare trials that look into outliers with trials that do not: in one run, in random order, a process each."""
    groups = [*Group]
    experiments = {*(experiment or [""])}
    if again is None:
        runtimes, topology = look_around(runtime)
        pair = tuple(quantities.parse_cpus(cpus)) if cpus else topology.allowed[:2]
        where = Where(topology, pair, name_of(topology, pair))
        gathering = Gathering(runtimes)
        for one in gathering.described:
            for asked in ASKED:
                if experiments & {asked.experiment, ""}:
                    cpus_of_all = [pair[thread % len(pair)] for thread in range(asked.threads)]
                    for side in sides(asked):
                        gathering.contenders += contenders(one, side, cpus_of_all, usual_lines=True)
        session = hold(LOOKING, groups, gathering, where, rounds=rounds, seed=seed, record=record)
    else:
        session = read(again)
    show(LOOKING, session, groups, form)


run(LOOKING.name, looking)
