"""Whether a figure of `lock` can be trusted."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from threadping.contract import Result
from threadping.experiments import trust
from threadping.experiments.trust.interference import cpus_of
from threadping.experiments.trust.spread import counted
from threadping.model import Case, Row, Trial, Verdict

NO_COARSENING = "-XX:-EliminateLocks"
"""C2's own words for the flag: "Coarsen locks when possible" (c2_globals.hpp, OpenJDK 11 to 25)."""

OUR_WAKES_A_WINDOW = 6
"""The coordinator wakes to see all at rest, all at work, and at the end, in naps; where every CPU is taken it takes one
from a worker each time, between the windows. 3 to 6 were seen."""

NOTICEABLE_COST, LARGE_COST = 0.1, 0.5
"""Of sampling: above the first the percentiles are visibly of slower operations, above the second mainly of those."""


def verdicts(
    row: Row, case: Case, trials: Sequence[Trial], results: Sequence[Result], rates: Sequence[float]
) -> tuple[Verdict, ...]:
    """Judge one case.

    Args:
        row: the case's row, its verdicts still empty.
        case: what was measured.
        trials: all its trials.
        results: those of them that can be counted.
        rates: the operations a second of each of these.
    """
    found = [*trust.failures(case, trials, results, "an operation in a plain window")]
    if results:
        found += [*trust.pin_lost(results), *trust.stolen(results), *trust.paging(results)]
        if case.threads > len(cpus_of(results)):
            found += _oversubscribed(case, len(cpus_of(results)))
        elif not case.blocking:
            found += trust.preempted(results, OUR_WAKES_A_WINDOW * sum(len(result.windows.ns) for result in results))
        found += [*trust.cut(results, "window"), *trust.warmup(case, results, "increments")]
        found += [*trust.runtime_at_work(results), *_coarsened(case, results), *_lost_updates(row, results)]
        found += [*trust.few_trials(results), *trust.disagreement(rates)]
        if row.ops_per_s is not None and row.lock is not UNSET:
            found += trust.wide_interval(row.ops_per_s, row.lock.ops_per_s_ci95, "Operations a second are")
        found += [*_sampling_cost(row), *trust.few_samples(row, "timed operations"), *trust.censored(row, results)]
        found += trust.coarse_clock(row, results, "percentiles", 1, "Operations a second, from whole windows, do not.")
    return tuple(found)


def _oversubscribed(case: Case, cpus: int) -> Iterator[Verdict]:
    share = f"{case.threads} threads share {counted(cpus, 'CPU')}, so some are always without one"
    if case.timed == "increment":
        what_follows = "No lock is held meanwhile, so they only take turns: shares and the tail are the scheduler's."
    elif case.blocking:
        what_follows = (
            "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock. Shares and the "
            "tail are partly the scheduler's."
        )
    else:
        what_follows = (
            "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again. "
            "Shares and the tail are the scheduler's. Spin only with a CPU for each thread."
        )
    yield Verdict("oversubscribed", "info", f"{share}. {what_follows}")


def _coarsened(case: Case, results: Sequence[Result]) -> Iterator[Verdict]:
    on_a_jvm = any(result.managed is not None for result in results)
    if case.mechanism == "monitor" and on_a_jvm and NO_COARSENING not in case.runtime.split():
        yield Verdict(
            "coarsened",
            "info",
            "HotSpot may merge neighbouring operations of one thread into one that takes the monitor once, as it may "
            "in the published experiment: one operation is then less than a lock taken and released. "
            "--no-coarsening forbids it.",
        )


def _lost_updates(row: Row, results: Sequence[Result]) -> Iterator[Verdict]:
    if row.lock is not UNSET and not all(count.exact for result in results for count in result.counts.values()):
        made, found = row.lock.updates.made, row.lock.updates.found
        if made > found:
            yield Verdict(
                "lost-updates",
                "info",
                f"{(made - found) / made:.2%} of the increments were lost ({made - found:,} of {made:,}): threads read "
                "the same value, and each wrote it back one higher. Nothing protects this counter; every other "
                "mechanism counts exactly.",
            )


def _sampling_cost(row: Row) -> Iterator[Verdict]:
    if row.lock is not UNSET and row.samples and (cost := row.lock.sampling.cost) > NOTICEABLE_COST:
        yield Verdict(
            "sampling-cost",
            "warning" if cost > LARGE_COST else "info",
            f"Reading the clock in one operation of {row.lock.sampling.every} made operations {cost:.0%} slower on "
            "average: percentiles are of these. Operations a second and fairness are of undisturbed ones.",
        )
