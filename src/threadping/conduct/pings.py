"""Reference pings: one unlike the one before is taken again; pairs are pinged every interval, or between trials."""

import math
import random
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import attrgetter

from msgspec.structs import replace

from threadping.analysis.percentiles import percentiles
from threadping.analysis.states import REACH, StateFilter, alike, states_of
from threadping.model import contract, quantities, reading
from threadping.model.base import gathered
from threadping.model.cases import Pair, Runtime
from threadping.model.errors import NothingToMeasure, ThreadpingError
from threadping.model.run import PingLine, PingTaken, ReferencePing, Resumed, State
from threadping.probes.placements import CPUS_APART, relation, usable
from threadping.probes.trial import START_SECONDS, Launch, run_trials

MOST_PINGED = 4
Ping = Callable[[Sequence[Pair]], Sequence[ReferencePing]]  # pings pairs at once; no two share a CPU


def take(ping: Ping, before_ns: Mapping[Pair, float | None]) -> list[ReferencePing]:
    """Ping pairs, and ping those again that changed: a disturbed ping costs no trial."""
    taken = [*ping([*before_ns])]
    unlike = [one.cpus for one in taken if one.ns and (ns := before_ns[one.cpus]) and not alike(ns, one.ns, REACH)]
    return [*taken, *(ping(unlike) if unlike else ())]


def spread(topology: contract.Topology) -> list[int]:
    """Return up to four usable CPUs, each the furthest from those before; raise NothingToMeasure for fewer than two."""
    left = list(usable(topology).values())
    if len(left) < 2:
        alone = quantities.named(cpu.cpu for cpu in left)
        raise NothingToMeasure(
            f"A ping needs two CPUs, but this process may use only {alone}. "
            "Name two that the kernel permits: `threadping ping A,B`."
        )
    chosen = [left.pop(0)]
    while left and len(chosen) < MOST_PINGED:
        chosen.append(max(left, key=lambda cpu: sorted(CPUS_APART.index(relation(cpu, one)) for one in chosen)))
        left.remove(chosen[-1])
    return sorted(cpu.cpu for cpu in chosen)


def ping_lines(ping: Ping, pairs: Sequence[Pair], interval_s: float, rounds: int | None = None) -> Iterator[PingLine]:
    """Ping pairs every interval; two consecutive pings that agree on another state change it. Raise if none answers."""
    stood: dict[Pair, float] = {}

    def line(pair: Pair, seq: int, after_s: float) -> PingLine:
        before = stood.get(pair)
        *disturbed, taken = take(ping, {pair: before})
        unlike = disturbed[0] if disturbed else None
        if taken.ns is None:
            return PingLine(taken, seq, after_s, unlike)
        changed = bool(before and unlike and not alike(before, taken.ns) and alike(unlike.ns or 0, taken.ns))
        if not before or changed or alike(before, taken.ns):
            stood[pair] = taken.ns
        return PingLine(taken, seq, after_s, unlike, before if changed else None)

    for seq, after_s in enumerate(islice(_ticks(interval_s), rounds), 1):
        lines = (line(pair, seq, after_s) for pair in pairs)
        if seq > 1:
            yield from lines
            continue
        first = list(lines)
        if all(one.ping.ns is None for one in first):
            cpus, why = quantities.named(first[0].ping.cpus), first[0].ping.failure
            raise ThreadpingError(f"{cpus} cannot be pinged: {why} Name other CPUs.")
        yield from first


def _ticks(interval_s: float) -> Iterator[float]:
    """Wait for each interval, and yield after how many seconds it begins; those that are missed are left out."""
    begun, tick = time.monotonic(), 0
    while True:
        time.sleep(max(0.0, begun + tick * interval_s - time.monotonic()))
        yield tick * interval_s
        tick = max(tick + 1, math.ceil((time.monotonic() - begun) / interval_s))


_TRIALS = attrgetter("trials")
WAIT_S = 0.5  # seconds between two pings while waiting for a state


class Watch:
    """Pings of one run, in the order in which they were taken.

    Every pair of a case is pinged before and after its trial, so that none is of an unknown state. What that costs is
    planned, and bounded for each case: it has MOST_PAIRS pairs at most.
    """

    def __init__(
        self,
        ping: Callable[[Sequence[Pair], int], Sequence[ReferencePing]],
        wanted: StateFilter | None = None,
        known: Sequence[State] = (),
        before: Sequence[ReferencePing] = (),
        resumed: Sequence[Resumed] = (),
    ) -> None:
        """Ping pairs with this, given the number of trials that have ended.

        `known` are states of earlier runs; pings that were taken `before` are of this one. Of these, the last before
        it was `resumed` say nothing about its trials: they were taken anew.
        """
        anew = {one.trials: one.pings for one in resumed}
        counting = (one for place, one in enumerate(before) if place >= anew.get(one.trials, 0))
        self._of_pair = gathered((one.cpus, one) for one in counting)
        self.pings = [*before]
        self.wanted = wanted
        self._ping, self._known = ping, known
        self._found: dict[Pair, tuple[int, Sequence[State]]] = {}
        self._begun = time.monotonic()
        self._came = wanted is None

    def ping(self, pairs: Iterable[Pair], trials: int) -> Iterator[PingTaken]:
        """Ping each pair that was not pinged since `trials` had ended; those that share no CPU at once."""
        due = [pair for pair in pairs if not (last := self._before(pair)) or last.trials != trials]
        while due:
            together: dict[Pair, float | None] = {}
            used: set[int] = set()
            for pair in due:
                if used.isdisjoint(pair):
                    used.update(pair)
                    together[pair] = last.ns if (last := self._before(pair)) else None
            due = [pair for pair in due if pair not in together]
            for taken in take(lambda pairs: self._ping(pairs, trials), together):
                yield self._kept(taken)

    def took(self, pings: Iterable[ReferencePing]) -> Iterator[PingTaken]:
        """Take pings that trials took themselves."""
        return map(self._kept, pings)

    def wait(self, pairs: Iterable[Pair], trials: int) -> Iterator[PingTaken]:
        time.sleep(WAIT_S)
        for pair in pairs:
            yield self._kept(*self._ping([pair], trials), waits=True)

    def levels(self, pairs: Sequence[Pair], trials: int = sys.maxsize, *, after: bool = False) -> tuple[float, ...]:
        """Return the core-to-core latencies of pairs (ns) when a trial began after `trials` others, by default now.

        With `after` those when that many had ended: a later ping belongs to the next trial. Empty if one is unknown.
        """
        found = [self._after(pair, trials) if after else self._before(pair, trials) for pair in pairs]
        levels = tuple(one.ns for one in found if one is not None and one.ns is not None)
        return levels if len(levels) == len(found) else ()

    def _before(self, pair: Pair, trials: int = sys.maxsize) -> ReferencePing | None:
        pings = self._of_pair.get(pair, ())
        return pings[end - 1] if (end := bisect_right(pings, trials, key=_TRIALS)) else None

    def _after(self, pair: Pair, trials: int) -> ReferencePing | None:
        pings, earlier = self._of_pair.get(pair, ()), self._before(pair, trials - 1)
        two = pings[bisect_right(pings, trials - 1, key=_TRIALS) :][:2]
        if not two or two[0].trials != trials:
            return earlier
        first, *again = [one for one in two if one.trials == trials]
        unlike = not first.within and first.ns and earlier and earlier.ns and not alike(earlier.ns, first.ns, REACH)
        return again[0] if unlike and again else first

    def holds(self, pairs: Sequence[Pair]) -> bool:
        """Return whether pairs are in the wanted state, by their last pings."""
        if self.wanted is None:
            return True
        levels = self.levels(pairs)
        held = len(levels) == len(pairs) and all(
            self.wanted.holds(ns, self._seen(pair)) for pair, ns in zip(pairs, levels, strict=True)
        )
        self._came = self._came or held
        return held

    def never_came(self) -> ThreadpingError | None:
        """Return the error that the wanted state never came, with those that did."""
        if self._came or self.wanted is None:
            return None
        seen = []
        for pair, of_it in gathered((one.cpus, one) for one in self.pings).items():
            values = [one.ns for one in of_it if one.ns is not None]
            failed = next((one.failure for one in of_it if one.failure), "")
            what = f"were {quantities.span(values)} core to core" if values else f"could not be pinged ({failed})"
            is_only = values and self.wanted.is_only([*self._seen(pair)])
            only = ", and no other state of them is known" if is_only else ""
            seen.append(f"{quantities.pair(pair)} {what} in {quantities.counted(len(of_it), 'ping')}{only}")
        for_s = quantities.duration(time.monotonic() - self._begun)
        return ThreadpingError(
            f"The state '{self.wanted.text}' did not come within {for_s}: {'; '.join(seen)}. "
            "Nothing was measured; the pings are stored. Give a larger --budget, or leave out --state."
        )

    def _seen(self, pair: Pair) -> Iterator[float]:
        for state in chain(self._own(pair), self._known):
            if state.cpus == pair:
                yield state.core_to_core_ns

    def _own(self, pair: Pair) -> Sequence[State]:
        """Return the states of a pair in this run; search again only if a new ping fits none of them."""
        pings = self._of_pair.get(pair, [])
        number, found = self._found.get(pair, (0, ()))
        new = [one.ns for one in pings[number:] if one.ns is not None]
        if len(pings) > LOOKED * number or not all(
            any(state.range[0] <= ns <= state.range[1] for state in found) for ns in new
        ):
            found = states_of(pings).found
            self._found[pair] = len(pings), found
        return found

    def _kept(self, taken: ReferencePing, *, waits: bool = False) -> PingTaken:
        self._of_pair.setdefault(taken.cpus, []).append(taken)
        self.pings.append(taken)
        return PingTaken(taken, waits)


# States are searched again after this growth of the number of pings: a night has tens of thousands, and each search
# takes two microseconds per ping.
LOOKED = 1.05
MECHANISM, PROMISED = "cas-one-line", {"handoffs": True}

# With 256 lines in the same time too few blocks fall on each: figures over their pings varied by 3.2% in place of 1.1%
# (nine runs of seven trials between two near virtual CPUs of an EPYC).
LINES, MEASURE_NS = 64, 5 * contract.MILLISECOND
WARMUP_NS, BOUND_NS = contract.MILLISECOND // 10, 100 * contract.MILLISECOND
STARTED = time.time() - time.monotonic()  # wall clock at start: pings keep their distances when somebody sets it


def reference_pings(cpp: Runtime, pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
    """Ping pairs at once with the C++ probe; never raises for what the probe does wrong."""
    begun = time.monotonic_ns()
    how = {"lines": LINES, "limit_ns": WARMUP_NS, "measure_ns": MEASURE_NS, "bound_ns": BOUND_NS}
    requests = [contract.brief_signal(MECHANISM, one, None, seed=random.getrandbits(48), **how) for one in pairs]
    outcomes = run_trials([Launch(cpp, one, START_SECONDS, PROMISED) for one in requests])
    wall_ns = time.monotonic_ns() - begun
    pings = []
    for pair, outcome in zip(pairs, outcomes, strict=True):
        ping = ReferencePing(pair, STARTED + time.monotonic(), trials, None, wall_ns=wall_ns)
        if outcome.failure:
            ping = replace(ping, failure=outcome.failure.message)
        elif outcome.result is None or not reading.counted(outcome.result, "throughput").total_ops:
            ping = replace(ping, failure="Nothing was measured in its time.")
        else:
            tail, ns = percentiles([outcome.result.timed()]), reading.undisturbed(outcome.result)
            ping = replace(ping, ns=ns, round_trip_p99_ns=tail.get("p99"), round_trip_max_ns=tail.get("max"))
        pings.append(ping)
    return pings


def taken_within(results: Iterable[contract.Result | None], when: str, trials: int) -> list[ReferencePing]:
    """Return the pings that trials took in their own processes before or after they measured, if they have a figure."""
    return [
        ReferencePing(tuple(sorted(one.cpus)), STARTED + one.at_ns / 1e9, trials, one.ns, within=True)  # type: ignore[arg-type]
        for result in results
        for one in (result.pings if result else ())
        if one.when == when and one.ns
    ]
