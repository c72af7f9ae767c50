"""What there is, for programs: JSON of the runs in a store, of runtimes, mechanisms, and pairs of CPUs."""

from collections.abc import Sequence

from msgspec.structs import asdict

from threadping.model import Run
from threadping.views.export.as_json import described, indented, keyed


def runs_json(runs: Sequence[tuple[Run, int]]) -> str:
    """Write `{"runs"}`: each as in an answer, with its host and how many of its trials have ended."""
    ended = [{"hostname": run.machine.hostname, "ended_trials": trials} for run, trials in runs]
    return indented({"runs": [asdict(described(run)) | more for (run, _), more in zip(runs, ended, strict=True)]})


runtimes_json = keyed("runtimes", "unusable")
mechanisms_json = keyed("mechanisms", "unusable")
"""A record for each mechanism of each runtime, with the fields of `Having`."""

states_json = keyed("pairs")
"""A record for each pair of CPUs, with the fields of `Watched`."""
