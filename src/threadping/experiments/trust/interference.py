"""What the scheduler, the hypervisor and others did to the threads."""

from collections.abc import Iterator, Sequence

from threadping.contract import Result, ThreadResult
from threadping.model import Verdict


def pin_lost(results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether a thread ended elsewhere than it began."""
    if moved := [thread for thread in _threads(results) if thread.cpus_start != thread.cpus_end]:
        first = moved[0]
        yield Verdict(
            "pin-lost",
            "error",
            f"A thread's affinity changed while it was measured ({first.role}: from CPU {_list(first.cpus_start)} to "
            f"{_list(first.cpus_end)}), by a cpuset or a taskset from outside, or because a CPU went offline: the "
            "placement did not hold. Stop what changes it and measure again.",
        )


def stolen(results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether a hypervisor kept the CPUs from running."""
    steal = sum(result.machine.steal_ns or 0 for result in results)
    share = steal / (seconds(results) * 1e9 * len(cpus_of(results)))
    if share > 0.01:  # a hundredth of the time: p99 is then the hypervisor's
        yield Verdict(
            "steal",
            "warning",
            f"The hypervisor kept these CPUs from running for {share:.1%} of the time; the tail is partly its own. "
            "Use a machine with CPUs of its own, or a quieter hour.",
        )


def paging(results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether a thread waited for a disk."""
    if any(thread.major_faults for thread in _threads(results)):
        yield Verdict(
            "paging", "warning", "A thread waited for a page from disk while it was measured. Free some memory."
        )


def preempted(results: Sequence[Result], by_ourselves: int = 0) -> Iterator[Verdict]:
    """Whether others took the CPU from threads that spin, and have one each: beyond so many times that we did."""
    switches = sum(thread.involuntary_switches for thread in _threads(results))
    preemptions = (switches - by_ourselves) / seconds(results)
    if preemptions > 200:  # with 100 a second or so the medians of blocks are still clean
        yield Verdict(
            "preempted",
            "warning",
            f"Others took the CPU from the spinning threads {preemptions:.0f} times a second: p99 and above are partly "
            "theirs. Stop other load, or isolate CPUs (isolcpus, cpuset).",
        )


def cut(results: Sequence[Result], part: str) -> Iterator[Verdict]:
    """Whether trials were stopped inside a `part` of theirs."""
    if stopped := sum(result.measured.cut for result in results):
        yield Verdict(
            "cut",
            "info",
            f"{stopped} of {len(results)} trials were stopped inside a {part}, at their time bound; what they had "
            "measured is counted.",
        )


def cpus_of(results: Sequence[Result]) -> set[int]:
    """The CPUs that the threads could use."""
    return {cpu for thread in _threads(results) for cpu in thread.cpus_start}


def seconds(results: Sequence[Result]) -> float:
    """How long was measured in all."""
    return sum(result.measured.ns for result in results) / 1e9


def _threads(results: Sequence[Result]) -> list[ThreadResult]:
    return [thread for result in results for thread in result.threads]


def _list(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
