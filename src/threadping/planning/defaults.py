"""Defaults that an experiment declares: number of threads, first cases, and the windows and length of a trial."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping.model import contract
from threadping.model.cases import Case

NOT_NARROW = "have intervals wider than"  # of figures in a run's note
# Default placements: `home` is the closest two CPUs, or a core for each thread; `apart` all placements of different
# CPUs.
Where = Literal["home", "apart", "unpinned"]


class DefaultCase(Struct, frozen=True):
    """A mechanism that is asked first, because it answers what a newcomer wants to know."""

    mechanism: str  # its name; a runtime that lacks it is not asked
    params: Mapping[str, str] = {}  # parameters that differ from the defaults
    where: tuple[Where, ...] = ("home",)  # at which placements


class Sweep(Struct, frozen=True):
    """Values of a parameter measured where nobody names one; without effect where another has the value in `unless`."""

    param: str
    values: tuple[str, ...]
    unless: tuple[str, str] = ("", "")


class CaseDefaults(Struct, frozen=True, kw_only=True):
    """The cases that an experiment measures unless a person names some."""

    # how many take part unless parameters say otherwise; None where their number is part of the question
    threads: int | None = None
    # the parameters that say how many threads have a role, 1 each unless given; all threads are their sum
    by_role: tuple[str, ...] = ()
    group: int = 1  # how many threads belong together, such as 2 for a notifier and its waiter
    # how many of them are measured when nobody says, the first before the others; empty for powers of two up to twice
    # the number of CPUs
    groups: tuple[int, ...] = ()
    least: int = 1  # the fewest threads that can take part, where their number is part of the question
    # numbers of threads measured by default, as shares of the number of CPUs, in addition to the minimum; the minimum
    # and one for each CPU come before the others
    of_cpus: tuple[float, ...] = ()
    first: tuple[DefaultCase, ...] = ()  # what a minute suffices for; the most wanted first
    sweep: Sweep | None = None  # the values of a parameter at which each mechanism is measured
    smaller: str = ""  # a parameter that is the size of a second, smaller team, whose threads may be replaced
    # a parameter and its value with which further placements are measured only where they are named
    at_home_with: tuple[str, str] = ("", "")

    def is_at_home(self, params: Mapping[str, int | str]) -> bool:
        """Return whether one placement is enough with these parameters."""
        param, value = self.at_home_with
        return params.get(param) == value

    def threads_of(self, params: Mapping[str, int | str]) -> int | None:
        """Return the number of threads of a case with these parameters; None if parameters do not determine it."""
        return sum(int(params.get(role, 1)) for role in self.by_role) if self.by_role else None


# A visit if every thread has a CPU: 6 ms of throughput window, 3 ms of sampling. A pace is steady after eight visits at
# the earliest, which fit into a warm-up of 0.1 s.
VISIT_NS = 9 * contract.MILLISECOND

# A visit for each round of threads that share CPUs: several slices each. In shorter windows one of two spinning threads
# may have been alone, and the pace of that window is not theirs.
CROWDED_VISIT_NS = 30 * contract.MILLISECOND
SLICE_NS = 4 * contract.MILLISECOND  # slice of a thread where threads share a CPU: Linux's schedulers give 3 to 4 ms


def outliers_of(all_together: contract.OutliersRequest | None, threads: int) -> contract.OutliersRequest | None:
    """Return the outliers that each of a trial's threads keeps; None where snapshots of all threads move figures."""
    if all_together is None or threads > MOST_INSPECTED:
        return None
    return replace(all_together, most=max(1, all_together.most // threads))


# With snapshots the median wake-up of 512 threads on two CPUs took 1.5 and 1.8 times as long (two equal sides: 1.07 and
# 1.3); with 32 no difference was seen.
MOST_INSPECTED = 64


# Warm-up of most experiments with a JIT: their hot loops are compiled after 0.2 s (after 0.1 s a handoff of 27 ns still
# measured 40 to 560 ns in one run of two).
COMPILING_WARMUP_S = 0.2


# The threads of a trial sleep while the JIT has work, at most twice as long as they may warm up: medians of three to
# twelve trials were 0.14 to 0.23 s for two ends of a stream or a barrier, and 0.06 s for locks and signals (Java 17 and
# 25, two virtual CPUs of an AMD EPYC).
COMPILING_REST_S, STREAM_COMPILING_REST_S = 0.06, 0.2


class Pace(Struct, frozen=True):
    """The way in which an experiment's trials are measured."""

    # from the measured time and the maximum warm-up (ns), the number of threads per CPU, and whether threads sleep
    policy: Callable[[int, int, int, bool], contract.Policy]
    measure_s: float = 0.04  # what a trial measures at least
    crowded_visits: int = 2  # how many visits a trial has at least where threads share CPUs
    # and how long each is where as many groups of threads take turns
    crowded_visit_ns: Callable[[int], int] = lambda crowding: crowding * CROWDED_VISIT_NS
    thread_s: float = 0.0  # what each thread adds to the start of the process
    # whether outliers of a case are inspected: where a metric is a duration
    looks: Callable[[Case], bool] = lambda _: True
    # where cases say how often their operations come: the seconds that a trial of this one measures at least, and where
    # nothing hurries
    lasts: Callable[[Case], tuple[float, float]] | None = None
    sleeps: bool = False  # whether threads of a blocking mechanism sleep in every operation, and not only now and then
    compiling_rest_s: float = COMPILING_REST_S  # what its threads are expected to sleep while a JIT compiles
    # the counts that each trial must have, and whether every mechanism guarantees that they are exact
    promised: Mapping[str, bool] = {}
    # the seconds between two timed operations that the parameters of a case ask for, besides their own
    every_s: Callable[[Case], float] = lambda _: 0.0


Paces = dict[str, Pace]  # by experiment


def blocks_of(**lengths: int) -> contract.Policy:
    """Return windows of operations as `contract.BLOCKS` has them, but for these lengths, equal in every trial."""
    return replace(contract.BLOCKS, windows=replace(contract.BLOCKS.windows, **lengths))


# Of blocked threads with one line: a thousand of their operations fill a whole trial
SLEEPING = blocks_of(throughput=100, sampling=100, visits=1)


def in_ops(spinning: contract.Policy) -> Callable[..., contract.Policy]:
    """Return a policy of windows of operations, which a measured thread opens: these if threads spin."""
    return lambda _measure_ns, _warmup_ns, _crowding, blocking=False: SLEEPING if blocking else spinning


in_blocks = in_ops(contract.BLOCKS)

# Windows of one of many pairs of CPUs: short, so that a short trial reaches every line. The clock pair costs each
# operation 0.1 ns; a median of three visits survives a disturbed one.
in_cells = in_ops(blocks_of(throughput=300, sampling=30, visits=3))

# A visit of rounds in which all threads take part: none is ever alone, and of 256 threads on two CPUs a round takes 1
# to 15 ms, so that each window holds many.
MOST_CROWDED_VISIT_NS = 300 * contract.MILLISECOND


def visit_of_rounds(crowding: int) -> int:
    """Return the length of a visit if threads share CPUs in turns and each round needs all of them."""
    return min(crowding * CROWDED_VISIT_NS, MOST_CROWDED_VISIT_NS)


def in_periods(
    measure_ns: int,
    warmup_ns: int,
    crowding: int,
    _blocking: bool = False,
    crowded_visit_ns: Callable[[int], int] = lambda crowding: crowding * CROWDED_VISIT_NS,
) -> contract.Policy:
    """Windows of so much time, which another thread of the probe opens: as many visits as best fill the trial.

    Where threads share CPUs, windows are so long that each gets several slices, and looks and patience last until each
    had one; a look never takes much of the warm-up.
    """
    crowded = crowding > 1
    usual = crowded_visit_ns(crowding) if crowded else VISIT_NS
    visit = measure_ns // max(1, (measure_ns + usual // 2) // usual)
    look = min(SLICE_NS * crowding, max(contract.MILLISECOND, warmup_ns // 16)) if crowded else contract.MILLISECOND
    windows = contract.WindowsRequest("ns", visit * 2 // 3, visit // 3, 1, contract.CHUNK_NS, contract.CLOCK_SHARE)
    return contract.Policy(windows, look, patience_ns=max(contract.SECOND, min(crowding, 4) * contract.SECOND // 2))


# Enough for the first third of a trial and the last; each then holds many rounds, even with pauses
MOST_VISITS_OF_ROUNDS = 8


def in_rounds(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool = False) -> contract.Policy:
    """Return windows of time; of a long trial, as of rounds with pauses, longer and not more."""
    usual = in_periods(measure_ns, warmup_ns, crowding, crowded_visit_ns=visit_of_rounds)
    visit = max(usual.windows.throughput + usual.windows.sampling, measure_ns // MOST_VISITS_OF_ROUNDS)
    return replace(usual, windows=replace(usual.windows, throughput=visit * 2 // 3, sampling=visit // 3))


LONG_VISIT_NS = 50 * contract.MILLISECOND  # a visit of threads that pause a millisecond between operations


def in_long_periods(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool = False) -> contract.Policy:
    """Return windows of time with every operation timed: their spacing makes timer overhead negligible."""
    usual = in_periods(measure_ns, warmup_ns, crowding)
    visit = measure_ns // max(1, (measure_ns + LONG_VISIT_NS // 2) // LONG_VISIT_NS)
    return replace(
        usual, windows=replace(usual.windows, throughput=visit // 5, sampling=visit * 4 // 5, clock_share=1.0)
    )


MOST_VISITS, LONGEST_PATIENCE_NS = 5, 3 * contract.SECOND


def on_schedule(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool = False) -> contract.Policy:
    """Few windows of time, so that each holds many messages: a trial of a low rate is as much longer."""
    usual = in_periods(measure_ns, warmup_ns, crowding)
    visits = min(MOST_VISITS, max(1, measure_ns // LONG_VISIT_NS))
    half = measure_ns // visits // 2
    patience = max(usual.patience_ns, min(measure_ns, LONGEST_PATIENCE_NS))
    return replace(usual, windows=replace(usual.windows, throughput=half, sampling=half), patience_ns=patience)


def crowding(cpus: Sequence[int | None], usable: int, busy: int = 0) -> int:
    """Return the number of turns until each thread had a CPU: 1 if every thread has one."""
    named = {cpu for cpu in cpus if cpu is not None}
    alone = -(-len(cpus) // (len(named) or usable))
    return alone + (-(-busy // usable) if len(cpus) + busy > usable else 0)


WARMUP_S = 0.02  # maximum in a hurry; a warm-up ends when the pace is steady
COMPILED_WARMUP_S = 1.2  # with a JIT and enough time: most trials are steady after 0.4 to 1.2 s
COMPILED_MEASURE_S = 0.1  # minimum with a JIT: a third of it must show whether it was steady

# Warm-up and minimum of measuring of blocked threads: about 2,000 handoffs of 25 µs in throughput windows. Where idle
# CPUs poll before they halt, the first 0.1 s is faster than the rest, 16 against 23 µs per handoff: after 20 ms of
# warm-up the last third was 28% slower than the first, after 0.12 s 2.5% (`condition` in C++, KVM, ten processes).
SLEEPER_WARMUP_S, SLEEPER_MEASURE_S = 0.12, 0.1

# Measuring where every operation blocks: minimum, and with enough time in C++ and with a JIT. Simulated from blocked
# threads (`benchmarks.simulated.tables sleeping`): the standard error after ten seconds of trials of 0.1, 0.2, 0.3,
# 0.5, 0.7 and 1 s is 1.73, 1.63, 1.57, 1.62, 1.73 and 1.85% in C++ (0.16 s to begin with); 3.39, 2.86, 2.53, 2.36, 2.36
# and 2.37% in Java (0.9 s). With 0.5 s to begin with, as in a hurry, 2.63% at 0.1 s and 2.28% at 0.2.
SLEEPING_MEASURE_S, SLEEPING_SETTLED_S, SLEEPING_COMPILED_S = 0.22, 0.3, 0.5


# Seconds of sampling windows per operation timed alone: five to ten times the need of an idle machine. Under load
# trials of 35 ms timed 1,158 to 20,504 messages of `boost-spsc`, of 100 ms 214 to 722 of `mutex-deque`.
SPINNING_SAMPLE_S, SLEEPING_SAMPLE_S = 20e-6, 200e-6


class Start(Struct, frozen=True):
    """The seconds of a trial besides warm-up and measuring, and whether its runtime compiles while it runs."""

    seconds: float
    compiles: bool = False


class Length(Struct, frozen=True):
    """The seconds of a trial: its warm-up at most, and its measuring."""

    warmup_s: float
    measure_s: float

    @property
    def seconds(self) -> float:
        return self.warmup_s + self.measure_s

    def times(self, factor: float) -> "Length":
        return Length(self.warmup_s * factor, self.measure_s * factor)

    def towards(self, other: "Length", share: float) -> "Length":
        """Return the length at this share of the way to another."""
        return Length(
            self.warmup_s + share * (other.warmup_s - self.warmup_s),
            self.measure_s + share * (other.measure_s - self.measure_s),
        )


SETTLED = Length(0.1, 0.1)  # of a spinning thread with enough time: only more trials make a figure more certain


class Lengths(Struct, frozen=True):
    """The lengths of a case's trials, and what one takes besides."""

    hurried: Length  # where there is no time for six trials of every case
    least: Length  # the planned minimum; blocked threads are measured longer than in a hurry
    settled: Length  # where nothing hurries
    start_s: float = 0.0  # the seconds of its start, with the ping of each pair


def sampling_s(case: Case, pace: Pace, samples: int) -> float:
    """Return the seconds that a trial must measure to time `samples` operations, also under load."""
    windows = pace.policy(contract.SECOND, 0, 1, case.blocking).windows
    share = windows.sampling / (windows.throughput + windows.sampling)
    each_s = SLEEPING_SAMPLE_S if case.blocking and case.threads > 1 else SPINNING_SAMPLE_S
    at_once = case.groups if case.group > 1 else 1
    return samples * (each_s + pace.every_s(case)) / share / at_once


def shortest_s(pace: Pace, *, compiles: bool, trial_s: float | None = None) -> float:
    warmup_s = COMPILING_WARMUP_S if compiles else WARMUP_S
    return trial_s or warmup_s + max(pace.measure_s, COMPILED_MEASURE_S if compiles else 0)


def lengths(case: Case, pace: Pace, *, compiles: bool, trial_s: float | None = None) -> Lengths:
    """Return the lengths of a case's trials: minimum, in a hurry, and with enough time."""
    if trial_s is not None:
        asked = Length(trial_s / 2, trial_s / 2)
        return Lengths(asked, asked, asked)
    barrier = crowding(case.placement.cpus, usable=case.threads, busy=case.busy.threads)
    least_s, settled_s = pace.lasts(case) if pace.lasts else (pace.measure_s, SETTLED.measure_s)
    may_sleep = case.blocking and case.threads > 1
    hurried_s = max(
        least_s,
        SLEEPER_MEASURE_S if may_sleep else 0,
        COMPILED_MEASURE_S if compiles else 0,
        pace.crowded_visits * pace.crowded_visit_ns(barrier) / 1e9 if barrier > 1 else 0,
    )
    measure_s = hurried_s
    if pace.sleeps and may_sleep:
        measure_s = max(measure_s, SLEEPING_MEASURE_S)
        settled_s = max(settled_s, SLEEPING_COMPILED_S if compiles else SLEEPING_SETTLED_S)
    warmup_s = max(COMPILING_WARMUP_S if compiles else WARMUP_S, SLEEPER_WARMUP_S if may_sleep else 0)
    longest_s = max(warmup_s, COMPILED_WARMUP_S if compiles else SETTLED.warmup_s)
    return Lengths(
        Length(warmup_s, hurried_s), Length(warmup_s, measure_s), Length(longest_s, max(measure_s, settled_s))
    )
