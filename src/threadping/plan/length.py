"""How long a trial is: decided here for every case, before a run from what the case is, in it from its first trials.

Between two processes figures differ by about 1%, so many short trials tell more than few long ones: variance times
cost is least for C++ spinners at 35 to 100 ms of measuring. What a JIT compiles takes a second to settle. Threads that
sleep differ by 10% from tenth to tenth of a second and by half of that from process to process: longer trials pay.
"""

from msgspec import Struct

from threadping.model.cases import Case
from threadping.plan.windows import SECOND, Pace, crowding

WARMUP_S = 0.02
"""The limit of a warm-up in a hurry. It ends as soon as the pace is steady."""

COMPILED_WARMUP_S = 1.2
"""With a JIT, where nothing hurries: most trials are steady after 0.4 to 1.2 s."""

COMPILED_MEASURE_S = 0.1
"""What a virtual machine measures at least: a third of it is to show whether it was steady."""

SLEEPER_WARMUP_S, SLEEPER_MEASURE_S = 0.12, 0.1
"""The same for sleepers, and what they measure at least: some 2,000 hand-overs of 25 µs in throughput windows. Where
idle CPUs poll before they halt, the first 0.1 s is quicker than what follows, from 16 to 23 µs a hand-over: after 20 ms
of warm-up the last third was 28% slower than the first, after 0.12 s 2.5% (`condition` in C++, KVM, ten processes)."""

SLEEPING_MEASURE_S, SLEEPING_SETTLED_S, SLEEPING_COMPILED_S = 0.22, 0.3, 0.5
"""What a trial measures at least where every operation sleeps, and where nothing hurries, of C++ and of what is
compiled as it runs. Simulated from what sleepers do (`python -m tests.unit.plan.sleeping`): the standard error after
ten seconds of trials of 0.1, 0.2, 0.3, 0.5, 0.7 and 1 s is 1.73, 1.63, 1.57, 1.62, 1.73 and 1.85% in C++ (0.16 s to
begin with); 3.39, 2.86, 2.53, 2.36, 2.36 and 2.37% in Java (0.9 s). With 0.5 s to begin with, as in a hurry, 2.63% at
0.1 s and 2.28% at 0.2."""


SPINNING_SAMPLE_S, SLEEPING_SAMPLE_S = 20e-6, 200e-6
"""Seconds of sampling windows per operation that is timed alone: five to ten times what an idle machine takes. Beside
other programs trials of 35 ms timed 1,158 to 20,504 messages of `boost-spsc`, of 100 ms 214 to 722 of `mutex-deque`."""


class Start(Struct, frozen=True):
    """What a process of a runtime takes besides warm-up and measuring, in seconds; whether it compiles as it runs."""

    seconds: float
    compiles: bool = False


class Length(Struct, frozen=True):
    """The seconds of a trial: its warm-up at most, and its measuring."""

    warmup_s: float
    measure_s: float

    @property
    def seconds(self) -> float:
        """The seconds of a whole trial, its warm-up included."""
        return self.warmup_s + self.measure_s

    def times(self, factor: float) -> "Length":
        """So many times as long."""
        return Length(self.warmup_s * factor, self.measure_s * factor)

    def towards(self, other: "Length", share: float) -> "Length":
        """This share of the way to another."""
        return Length(
            self.warmup_s + share * (other.warmup_s - self.warmup_s),
            self.measure_s + share * (other.measure_s - self.measure_s),
        )


SETTLED = Length(0.1, 0.1)
"""Of a spinner where nothing hurries: longer trials make no figure steadier, more trials do."""


class Lengths(Struct, frozen=True):
    """How long a trial of a case is.

    Attributes:
        hurried: where there is no time for six trials of every case.
        least: as it is planned at least; threads that sleep are measured longer than in a hurry.
        settled: where nothing hurries.
    """

    hurried: Length
    least: Length
    settled: Length


def sampling_s(case: Case, pace: Pace, samples: int) -> float:
    """Return the seconds that a trial must measure to time so many operations alone, also beside other programs."""
    windows = pace.policy(SECOND, 0, 1, case.blocking).windows
    share = windows.sampling / (windows.throughput + windows.sampling)
    each_s = SLEEPING_SAMPLE_S if case.blocking and case.threads > 1 else SPINNING_SAMPLE_S
    at_once = case.groups if case.group > 1 else 1
    return samples * (each_s + pace.every_s(case)) / share / at_once


def shortest_s(pace: Pace, *, compiles: bool, trial_s: float | None = None) -> float:
    """Return the seconds that a trial of any case takes at least, without its start."""
    warmup_s = pace.compiling_warmup_s if compiles else WARMUP_S
    return trial_s or warmup_s + max(pace.measure_s, COMPILED_MEASURE_S if compiles else 0)


def lengths(case: Case, pace: Pace, *, compiles: bool, trial_s: float | None = None) -> Lengths:
    """How long a trial of this case must be, and how long it is where nothing hurries.

    Args:
        case: what is measured.
        pace: its experiment's.
        compiles: whether its runtime compiles as it runs.
        trial_s: what a person asked for in place of all, half of it for the warm-up.
    """
    if trial_s is not None:
        asked = Length(trial_s / 2, trial_s / 2)
        return Lengths(asked, asked, asked)
    crowd = crowding(case.placement.cpus, usable=case.threads, busy=case.busy.threads)
    least_s, settled_s = pace.lasts(case) if pace.lasts else (pace.measure_s, SETTLED.measure_s)
    may_sleep = case.blocking and case.threads > 1
    hurried_s = max(
        least_s,
        SLEEPER_MEASURE_S if may_sleep else 0,
        COMPILED_MEASURE_S if compiles else 0,
        pace.crowded_visits * pace.crowded_visit_ns(crowd) / 1e9 if crowd > 1 else 0,
    )
    measure_s = hurried_s
    if pace.sleeps and may_sleep:
        measure_s = max(measure_s, SLEEPING_MEASURE_S)
        settled_s = max(settled_s, SLEEPING_COMPILED_S if compiles else SLEEPING_SETTLED_S)
    warmup_s = max(pace.compiling_warmup_s if compiles else WARMUP_S, SLEEPER_WARMUP_S if may_sleep else 0)
    longest_s = max(warmup_s, COMPILED_WARMUP_S if compiles else SETTLED.warmup_s)
    return Lengths(
        Length(warmup_s, hurried_s), Length(warmup_s, measure_s), Length(longest_s, max(measure_s, settled_s))
    )
