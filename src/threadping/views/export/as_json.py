"""What is listed, as JSON: runs, runtimes, mechanisms, the states of pairs of CPUs."""

from collections.abc import Callable, Sequence

from msgspec.structs import asdict

from threadping.errors import RunDamaged
from threadping.model.run import Run
from threadping.sheets.entries import described
from threadping.sheets.records import indented


def keyed(*names: str) -> Callable[..., str]:
    """What writes an object of so many things, each by its name."""
    return lambda *of: indented(**dict(zip(names, of, strict=True)))


def runs_json(runs: Sequence[tuple[Run, int]], damaged: Sequence[RunDamaged] = ()) -> str:
    """Write `{"runs", "damaged"}`.

    A run is as in an answer, with its host and how many of its trials have ended; of a damaged one why it cannot be
    read.
    """
    ended = [{"hostname": run.machine.hostname, "ended_trials": trials} for run, trials in runs]
    found = [asdict(described(run)) | more for (run, _), more in zip(runs, ended, strict=True)]
    return indented(runs=found, damaged=[{"id": one.run_id, "problem": str(one)} for one in damaged])


runtimes_json = keyed("runtimes", "unusable")
mechanisms_json = keyed("mechanisms", "unusable")
"""A record for each mechanism of each runtime, with the fields of `Having`."""

states_json = keyed("pairs")
"""A record for each pair of CPUs, with the fields of `Watched`."""
