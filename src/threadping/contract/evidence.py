"""What was timed one by one, and what was seen around outliers, in the result that `probe run` writes."""

from typing import Literal

from threadping.contract.values import Count, Message, Name, Nanos, Positive


class Distribution(Message, frozen=True):
    """What was recorded one by one in sampling windows: distinct values, ascending, and how often each occurred.

    `unit` is ns, or what is counted. `censored` durations overlapped a window without beginning and ending in it;
    `negative` ones, between two CPUs, came out below 0. Both are in no value.
    """

    unit: Name
    values: tuple[Count, ...]
    counts: tuple[Positive, ...]
    censored: Count
    negative: Count


class Seen(Message, frozen=True):
    """What the kernel counted for a thread from the look before an outlier to the look after it.

    `others_run_delay_ns` is the longest that another measuring thread was ready to run without a CPU, `awake_ns` how
    long the thread's CPU did not sleep, `others_woken` whether another CPU of the trial came out of its sleep. None
    where the kernel does not tell, or was not asked.
    """

    ns: Count
    cpu_before: Count
    cpu: Count
    cpu_ns: Count
    run_delay_ns: Count | None
    others_run_delay_ns: Count | None
    voluntary_switches: Count
    involuntary_switches: Count
    minor_faults: Count
    major_faults: Count
    interrupts: Count | None
    awake_ns: Count | None = None
    others_woken: bool | None = None


class Outlier(Message, frozen=True):
    """One of the longest durations of a distribution, and what was seen around it; None where nothing was."""

    of: Name
    thread: Count
    at_ns: Count
    ns: Count
    seen: Seen | None


Interrupts = Literal["trace-points", "soft-interrupts"]


class Evidence(Message, frozen=True):
    """What was looked at around outliers, with how many looks; `lacking` says what could not be seen, and why."""

    look_ns: Nanos
    looks: Count
    interrupts: Interrupts | None
    lacking: tuple[Name, ...]
    outliers: tuple[Outlier, ...]
