"""Whether a figure can be trusted: each verdict says what was seen, what it does to the figure, and the remedy.

Thresholds are ours, chosen where the effect on a mean or on p99 becomes visible; each stands beside its verdict.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from threadping.contract import Result
from threadping.model import DEFAULT_WARMUP, Case, Failure, Row, Trial, Verdict
from threadping.stats.percentiles import CARRYING_SAMPLES, QUANTILES

COMPILING_SHARE = 0.02
"""Of the measuring time: below it the JIT was at work on something rare, such as an exit that was seldom taken."""

SHORTEST_SLICE_NS = 100_000
"""No scheduler of Linux takes the CPU from a thread sooner (EEVDF's base slice is 0.7 ms and more). Who is quicker gave
the CPU away, by a yield or by parking."""

REMEDIES = {
    "pin-failed": "The runtime could not stand on {cpus}: a mask or a cpuset has changed, or a CPU has gone offline, "
    "since threadping read the topology. Undo that, or name CPUs that may be used with --cpus.",
}
"""What to do about a failure, where the probe's sentence cannot know it."""


def verdicts(row: Row, case: Case, trials: Sequence[Trial], results: Sequence[Result]) -> tuple[Verdict, ...]:
    """Judge one case.

    Args:
        row: the case's row, its verdicts still empty.
        case: what was measured.
        trials: all its trials.
        results: those of them that can be counted.
    """
    found = [*_failures(case, trials, results)]
    if results:
        found += _interference(row, case, results)
        found += _warmup(case, results)
        found += _runtime_at_work(results)
        found += _spread(row, case, results)
        found += _clock(row, results)
    return tuple(found)


def _failures(case: Case, trials: Sequence[Trial], results: Sequence[Result]) -> Iterator[Verdict]:
    failures = [trial.failure for trial in trials if trial.failure is not None]
    empty = len(trials) - len(failures) - len(results)
    if failures:
        first = failures[0]
        how = (
            f"Every trial failed ({first.code})"
            if not results
            else f"{len(failures)} of {len(trials)} trials failed, the first so ({first.code})"
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
            f"{empty} of {len(trials)} trials ended without a single round trip in a block. Give a larger --budget.",
        )
    if not trials:
        yield Verdict("not-reached", "error", "The run ended before this case was measured.")


def _remedy(case: Case, failure: Failure) -> Iterator[str]:
    if failure.code in REMEDIES:
        cpus = ", ".join(dict.fromkeys(str(cpu) for cpu in case.placement.cpus if cpu is not None))
        where = f"CPU {cpus}" if "," not in cpus else f"CPUs {cpus}"
        yield f"{case.runtime}: " + REMEDIES[failure.code].format(cpus=where)


def _interference(row: Row, case: Case, results: Sequence[Result]) -> Iterator[Verdict]:
    """What the scheduler, the hypervisor and others did to the threads."""
    threads = [thread for result in results for thread in result.threads]
    seconds = sum(result.measured.ns for result in results) / 1e9
    if moved := [thread for thread in threads if thread.cpus_start != thread.cpus_end]:
        first = moved[0]
        yield Verdict(
            "pin-lost",
            "error",
            f"A thread's affinity changed while it was measured ({first.role}: from CPU {_list(first.cpus_start)} to "
            f"{_list(first.cpus_end)}), by a cpuset or a taskset from outside, or because a CPU went offline: the "
            "placement did not hold. Stop what changes it and measure again.",
        )
    cpus = {cpu for thread in threads for cpu in thread.cpus_start}
    steal = sum(result.machine.steal_ns or 0 for result in results) / (seconds * 1e9 * len(cpus))
    if steal > 0.01:  # a hundredth of the time: p99 is then the hypervisor's
        yield Verdict(
            "steal",
            "warning",
            f"The hypervisor kept these CPUs from running for {steal:.1%} of the time; the tail is partly its own. "
            "Use a machine with CPUs of its own, or a quieter hour.",
        )
    if any(thread.major_faults for thread in threads):
        yield Verdict(
            "paging", "warning", "A thread waited for a page from disk while it was measured. Free some memory."
        )
    spinning_on_one = not case.blocking and len(cpus) == 1
    preemptions = sum(thread.involuntary_switches for thread in threads) / seconds
    if spinning_on_one:
        if row.latency_ns is not None and row.latency_ns.mean >= SHORTEST_SLICE_NS:
            yield Verdict(
                "time-slice",
                "info",
                "Both threads spin on one CPU, so a hand-over waits until the scheduler takes the CPU from the spinner "
                f"and costs a time slice of it: {row.latency_ns.mean / 1e6:.3g} ms one way, "
                f"{1e9 / row.latency_ns.mean:.0f} hand-overs a second. This is the scheduler, not the mechanism. Spin "
                "only with a CPU for each thread.",
            )
    elif not case.blocking and preemptions > 200:  # with 100 lines a second or so the medians of blocks are still clean
        yield Verdict(
            "preempted",
            "warning",
            f"Others took the CPU from the spinning threads {preemptions:.0f} times a second: p99 and above are partly "
            "theirs. Stop other load, or isolate CPUs (isolcpus, cpuset).",
        )
    if any(result.measured.cut for result in results):
        cut = sum(result.measured.cut for result in results)
        yield Verdict(
            "cut",
            "info",
            f"{cut} of {len(results)} trials were stopped inside a block, at their time bound; what they had measured "
            "is counted.",
        )


def _warmup(case: Case, results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether the warm-up was ended early.

    One that was asked for is part of the question, so its end is said whatever ran. The default is meant to fit: where
    it does not (a hand-over that sleeps), it only matters to a runtime that compiles what runs often.
    """
    cut = [result for result in results if not result.warmup.complete]
    chosen = case.warmup != DEFAULT_WARMUP
    if cut and (chosen or cut[0].managed is not None):
        done = min(result.warmup.ops for result in cut)
        what_follows = (
            "this is not the warm-up that was asked for. Give a larger --budget, or a smaller --warmup."
            if chosen
            else "hand-overs this slow may not be compiled yet. Give a larger --budget."
        )
        yield Verdict(
            "warmup-cut",
            "warning" if chosen else "info",
            f"The warm-up of {case.warmup.text} was ended by its time limit in {len(cut)} of {len(results)} trials, "
            f"after {done:,} of {case.warmup.rounds * case.warmup.ops:,} hand-overs: {what_follows}",
        )


def _runtime_at_work(results: Sequence[Result]) -> Iterator[Verdict]:
    managed = [result.managed for result in results if result.managed is not None]
    compiling = [ms for result in results if (ms := _compile_ms(result)) * 1e6 > COMPILING_SHARE * result.measured.ns]
    if compiling:
        yield Verdict(
            "jit-active",
            "warning",
            f"The JIT was still compiling in {len(compiling)} of {len(results)} trials (up to {max(compiling)} ms): "
            "part of the figure is not compiled code. Give a larger --budget.",
        )
    collections = sum(m.collections for m in managed)
    if collections:
        yield Verdict(
            "gc-active",
            "warning",
            f"The collector ran {collections} times while measuring; the tail may be its own. Give the JVM more "
            "heap, as in --runtime 'java-17 -Xmn512m'.",
        )


def _compile_ms(result: Result) -> int:
    return (result.managed.compile_ms or 0) if result.managed is not None else 0


def _spread(row: Row, case: Case, results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether trials agree, and are enough."""
    if len(results) < 3:
        yield Verdict(
            "few-trials",
            "warning",
            f"{_counted(len(results), 'trial')} cannot show how trials differ: the interval says little. Give a larger "
            "--budget.",
        )
    if not case.blocking and case.lines == 1:
        yield Verdict(
            "one-line",
            "info",
            f"One line is not a sample: where it lives in the last-level cache is luck. This figure is from "
            f"{_counted(row.lines, 'line')}, one a trial. Leave out --lines to measure many in each.",
        )
    means = [_mean(result) for result in results]
    if max(means) > 1.5 * min(means):  # beyond what another set of lines explains
        yield Verdict(
            "trials-disagree",
            "warning",
            f"Whole trials differ {max(means) / min(means):.1f}-fold: something changed between them (virtual CPUs "
            "moved to other cores, frequency, other load), and one figure cannot stand for both. Look at `threadping "
            "show RUN --trials`.",
        )
    latency = row.latency_ns
    if latency is not None and latency.ci95[1] - latency.ci95[0] > 0.2 * latency.mean:
        half_width = (latency.ci95[1] - latency.ci95[0]) / 2 / latency.mean
        yield Verdict(
            "wide-interval",
            "warning",
            f"The mean is known only to about {half_width:.0%}. Give a larger --budget, or quieten the machine.",
        )
    if latency is not None and latency.p99_9 is UNSET:
        needed = round(CARRYING_SAMPLES / (1 - QUANTILES["p99_9"]))
        yield Verdict(
            "few-samples",
            "info",
            f"{row.samples} single round trips do not carry every percentile (p99.9 needs {needed}). Give a larger "
            "--budget.",
        )


def _clock(row: Row, results: Sequence[Result]) -> Iterator[Verdict]:
    step = max(result.clock.resolution_ns for result in results)
    if row.latency_ns is not None and step / 2 > 0.02 * row.latency_ns.mean:
        yield Verdict(
            "coarse-clock",
            "info",
            f"This machine's clock moves in steps of {step} ns, so one-way percentiles come in steps of {step / 2:g}. "
            "The mean, from whole blocks, does not.",
        )


def _mean(result: Result) -> float:
    """One-way nanoseconds over everything that the measuring phase did: a rough figure, to compare trials with."""
    return result.measured.ns / max(1, result.measured.ops)


def _list(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
