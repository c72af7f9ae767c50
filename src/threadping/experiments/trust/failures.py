"""Trials that gave nothing to count."""

from collections.abc import Iterator, Sequence

from threadping.contract import Result
from threadping.model import Case, Failure, Trial, Verdict

REMEDIES = {
    "pin-failed": "The runtime could not stand on {cpus}: a mask or a cpuset has changed, or a CPU has gone offline, "
    "since threadping read the topology. Undo that, or name CPUs that may be used with --cpus.",
}
"""What to do about a failure, where the probe's sentence cannot know it."""


def failures(case: Case, trials: Sequence[Trial], results: Sequence[Result], least: str) -> Iterator[Verdict]:
    """Say which trials failed, and which ended without the `least` that can be counted."""
    failed = [trial.failure for trial in trials if trial.failure is not None]
    empty = len(trials) - len(failed) - len(results)
    if failed:
        first = failed[0]
        how = (
            f"Every trial failed ({first.code})"
            if not results
            else f"{len(failed)} of {len(trials)} trials failed, the first so ({first.code})"
        )
        yield Verdict(
            "trial-failed",
            "error" if not results else "warning",
            " ".join([f"{how}: {first.message}", *_remedy(case, first)]),
        )
    if empty:
        yield Verdict(
            "nothing-measured",
            "error" if not results else "warning",
            f"{empty} of {len(trials)} trials ended without {least}. Give a larger --budget.",
        )
    if not trials:
        yield Verdict("not-reached", "error", "The run ended before this case was measured.")


def _remedy(case: Case, failure: Failure) -> Iterator[str]:
    if failure.code in REMEDIES:
        cpus = ", ".join(dict.fromkeys(str(cpu) for cpu in case.placement.cpus if cpu is not None))
        where = f"CPU {cpus}" if "," not in cpus else f"CPUs {cpus}"
        yield f"{case.runtime}: " + REMEDIES[failure.code].format(cpus=where)
