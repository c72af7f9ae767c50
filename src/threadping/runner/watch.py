"""A watch over the state of the CPUs while a plan is carried out: pings between trials, and what they say."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from threadping import numbers
from threadping.analysis.states import states_of
from threadping.analysis.wanted import Wanted
from threadping.errors import ThreadpingError
from threadping.model import Pair, PingTaken, ReferencePing, State
from threadping.quantities import counted, duration, span
from threadping.runner.pings import take

WAIT_S = 0.5
"""Between two pings while waiting for a state."""


class Watch:
    """Pings of one run, in the order in which they were taken.

    Every pair of a case is pinged before and after its trial, so that none is of an unknown state. What that costs is
    planned, and bounded for each case: it has MOST_PAIRS pairs at most.
    """

    def __init__(
        self,
        ping: Callable[[Sequence[Pair], int], Sequence[ReferencePing]],
        wanted: Wanted | None = None,
        known: Sequence[State] = (),
        before: Sequence[ReferencePing] = (),
    ) -> None:
        """Ping pairs with this, given the number of trials that have ended.

        `known` are states of earlier runs, and pings that were taken `before` are of this one.
        """
        self.pings = [*before]
        self.wanted = wanted
        self._ping, self._known = ping, known
        self._last: dict[Pair, ReferencePing] = {}
        self._begun = time.monotonic()
        self._came = wanted is None

    def ping(self, pairs: Iterable[Pair], trials: int) -> Iterator[PingTaken]:
        """Ping each pair that was not pinged since so many trials had ended; those that share no CPU at once."""
        due = [pair for pair in pairs if pair not in self._last or self._last[pair].trials != trials]
        while due:
            together: dict[Pair, float | None] = {}
            used: set[int] = set()
            for pair in due:
                if used.isdisjoint(pair):
                    used.update(pair)
                    together[pair] = self._last[pair].ns if pair in self._last else None
            due = [pair for pair in due if pair not in together]
            for taken in take(lambda pairs: self._ping(pairs, trials), together):
                yield self._kept(taken)

    def wait(self, pairs: Iterable[Pair], trials: int) -> Iterator[PingTaken]:
        """Let some time pass, and ping the pairs again."""
        time.sleep(WAIT_S)
        for pair in pairs:
            yield self._kept(*self._ping([pair], trials), waits=True)

    def levels(self, pairs: Sequence[Pair]) -> tuple[float, ...]:
        """How far these pairs are apart by their last pings (ns); empty where that is not known of each."""
        last = [self._last.get(pair) for pair in pairs]
        levels = tuple(one.ns for one in last if one is not None and one.ns is not None)
        return levels if len(levels) == len(last) else ()

    def holds(self, pairs: Sequence[Pair]) -> bool:
        """Whether these pairs are in the state that is wanted, by their last pings."""
        if self.wanted is None:
            return True
        levels = self.levels(pairs)
        held = len(levels) == len(pairs) and all(
            self.wanted.holds(ns, self._seen(pair)) for pair, ns in zip(pairs, levels, strict=True)
        )
        self._came = self._came or held
        return held

    def never_came(self) -> ThreadpingError | None:
        """The error that the state that was wanted never held, with those that did."""
        if self._came or self.wanted is None:
            return None
        seen = []
        for pair in self._last:
            of_it = [one for one in self.pings if one.cpus == pair]
            values = [one.ns for one in of_it if one.ns is not None]
            failed = next((one.failure for one in of_it if one.failure), "")
            what = f"were {span(values)} core to core" if values else f"could not be pinged ({failed})"
            only = ", and no other state of them is known" if values and self.wanted.is_only(self._seen(pair)) else ""
            seen.append(f"{numbers.pair(pair)} {what} in {counted(len(of_it), 'ping')}{only}")
        for_s = duration(time.monotonic() - self._begun)
        return ThreadpingError(
            f"The state '{self.wanted.text}' did not come within {for_s}: {'; '.join(seen) or 'nothing was pinged'}. "
            "Nothing was measured; the pings are stored. Give a larger --budget, or leave out --state."
        )

    def _seen(self, pair: Pair) -> list[float]:
        """How far a pair is apart in each of its states, of this run and of those before."""
        states = chain(states_of(self.pings).found, self._known)
        return [state.core_to_core_ns for state in states if state.cpus == pair]

    def _kept(self, taken: ReferencePing, *, waits: bool = False) -> PingTaken:
        self._last[taken.cpus] = taken
        self.pings.append(taken)
        return PingTaken(taken, waits)
