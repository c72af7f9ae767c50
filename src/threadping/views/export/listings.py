"""What there is, for programs: JSON of the runs in a store, of runtimes, and of mechanisms."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.model import Run, Runtime, Skipped
from threadping.views.export.as_json import described, indented


def runs_json(runs: Sequence[tuple[Run, int]]) -> str:
    """Write `{"runs"}`: each as an export tells it, with its host and how many of its trials have ended."""
    listed = [{**described(run), "hostname": run.machine.hostname, "ended_trials": ended} for run, ended in runs]
    return indented({"runs": listed})


def runtimes_json(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> str:
    """Write `{"runtimes", "unusable"}`, with the fields of their records."""
    return indented({"runtimes": found, "unusable": unusable})


def mechanisms_json(having: Sequence[Struct], unusable: Sequence[Skipped]) -> str:
    """Write `{"mechanisms", "unusable"}`: a record for each mechanism of each runtime, with the fields of `Having`."""
    return indented({"mechanisms": having, "unusable": unusable})


def states_json(watched: Sequence[Struct]) -> str:
    """Write `{"pairs"}`: a record for each pair of CPUs, with the fields of `Watched`."""
    return indented({"pairs": watched})
