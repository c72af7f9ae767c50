"""What there is, for programs: JSON of the runs in a store, of runtimes, mechanisms, and pairs of CPUs."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict

from threadping.model import Run, Runtime, Skipped
from threadping.views.export.as_json import described, indented


def runs_json(runs: Sequence[tuple[Run, int]]) -> str:
    """Write `{"runs"}`: each as in an answer, with its host and how many of its trials have ended."""
    ended = [{"hostname": run.machine.hostname, "ended_trials": trials} for run, trials in runs]
    return indented({"runs": [asdict(described(run)) | more for (run, _), more in zip(runs, ended, strict=True)]})


def runtimes_json(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> str:
    """Write `{"runtimes", "unusable"}`, with the fields of their records."""
    return indented({"runtimes": found, "unusable": unusable})


def mechanisms_json(having: Sequence[Struct], unusable: Sequence[Skipped]) -> str:
    """Write `{"mechanisms", "unusable"}`: a record for each mechanism of each runtime, with the fields of `Having`."""
    return indented({"mechanisms": having, "unusable": unusable})


def states_json(watched: Sequence[Struct]) -> str:
    """Write `{"pairs"}`: a record for each pair of CPUs, with the fields of `Watched`."""
    return indented({"pairs": watched})
