"""A watch over the state of the CPUs while a plan is carried out: pings between trials, and what they say."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from threadping import numbers
from threadping.analysis.states import alike, near, states_of
from threadping.analysis.wanted import Wanted
from threadping.errors import ThreadpingError
from threadping.model import Case, Pair, PingTaken, ReferencePing, State
from threadping.quantities import counted, duration, span

SHARE = 0.05
"""Of the time pings may take so much. Where trials are so short that two of each were more, some are left out: the
next one then stands for both, and the first and the last of a pair are always taken."""

HEAD_START = 0.2
"""So much of the run counts as if it had passed when it begins, or its first trials would have to share pings."""

WAIT_S = 0.5
"""Between two pings while waiting for a state."""

Ping = Callable[[Pair, int], ReferencePing]
"""Pings a pair; told too is how many trials have ended."""


class Watch:
    """Pings of one run, in the order in which they were taken."""

    def __init__(self, ping: Ping, planned_s: float, wanted: Wanted | None = None, known: Sequence[State] = ()) -> None:
        """Watch for so long, for a state if one is wanted; `known` are states of earlier runs."""
        self.pings: list[ReferencePing] = []
        self.wanted = wanted
        self._ping, self._known = ping, known
        self._last: dict[Pair, ReferencePing] = {}
        self._owed: set[Pair] = set()
        self._before: tuple[float, ...] = ()
        self._stood: dict[Case, list[tuple[float, ...]]] = {}
        self._begun = time.monotonic()
        self._head_start_s = HEAD_START * planned_s
        self._spent_s = 0.0
        self._came = wanted is None

    def ping(self, pairs: Iterable[Pair], trials: int, *, always: bool = False) -> Iterator[PingTaken]:
        """Ping each pair that was not pinged since so many trials ended, as far as the time may be spent.

        One that is unlike the one before is taken again, so that one that was disturbed costs no trial.
        """
        for pair in pairs:
            before = self._last.get(pair)
            if before and not always:
                if before.trials == trials:
                    continue
                if not self._may_spend(before):
                    self._owed.add(pair)
                    continue
            yield self._taken(pair, trials, waits=False)
            now = self._last[pair]
            if before and before.ns and now.ns and not near(before.ns, now.ns) and self._may_spend(now):
                yield self._taken(pair, trials, waits=False)

    def close(self, trials: int) -> Iterator[PingTaken]:
        """Ping each pair after its last trial, if that was left out."""
        yield from self.ping(sorted(self._owed), trials, always=True)

    def waits(self, pairs: Iterable[Pair], trials: int) -> Iterator[PingTaken]:
        """Let some time pass, and ping the pairs again."""
        time.sleep(WAIT_S)
        for pair in pairs:
            yield self._taken(pair, trials, waits=True)

    def holds(self, pairs: Iterable[Pair]) -> bool:
        """Whether the state that is wanted holds, as far as the last pings tell."""
        held = self.wanted is None or all(self._is_wanted(pair) for pair in pairs)
        self._came = self._came or held
        return held

    def begins(self, case: Case) -> None:
        """A trial of this case begins, and its CPUs were pinged before it."""
        self._before = self._apart(case)

    def ended(self, case: Case) -> None:
        """It has ended, and its CPUs were pinged after it."""
        after = self._apart(case)
        if after and all(map(alike, self._before, after)):
            self._stood.setdefault(case, []).append(after)

    def here(self, cases: Sequence[Case], measured: Sequence[int]) -> Sequence[int]:
        """How many trials each case has had while its CPUs stood as now; all of them where that is not known."""
        found = []
        for case, total in zip(cases, measured, strict=True):
            now = self._apart(case)
            found.append(sum(all(map(alike, one, now)) for one in self._stood.get(case, ())) if now else total)
        return found

    def never_came(self) -> ThreadpingError | None:
        """Say so if the state that was wanted never held, and which ones did."""
        if self._came or self.wanted is None:
            return None
        told = []
        for pair in self._last:
            of_it = [one for one in self.pings if one.cpus == pair]
            values = [one.ns for one in of_it if one.ns is not None]
            failed = next((one.failure for one in of_it if one.failure), "")
            said = f"stood {span(values)} apart" if values else f"could not be pinged ({failed})"
            told.append(f"{numbers.pair(pair)} {said} in {counted(len(of_it), 'ping')}")
        for_s = duration(time.monotonic() - self._begun)
        return ThreadpingError(
            f"The state '{self.wanted.text}' did not come within {for_s}: {'; '.join(told) or 'nothing was pinged'}. "
            "Nothing was measured; the pings are stored. Give a larger --budget, or leave out --state."
        )

    def _apart(self, case: Case) -> tuple[float, ...]:
        """How far its pairs stood apart when they were last pinged; nothing where that is not known of each."""
        last = [self._last.get(pair) for pair in case.placement.pairs]
        told = tuple(one.ns for one in last if one is not None and one.ns is not None)
        return told if len(told) == len(last) else ()

    def _is_wanted(self, pair: Pair) -> bool:
        last = self._last.get(pair)
        if last is None or last.ns is None or self.wanted is None:
            return False
        states = [*states_of(self.pings).found, *self._known]
        return self.wanted.holds(last.ns, (state.core_to_core_ns for state in states if state.cpus == pair))

    def _may_spend(self, before: ReferencePing) -> bool:
        """Whether one more leaves enough for the last of each pair."""
        elapsed = time.monotonic() - self._begun
        return self._spent_s + (1 + len(self._last)) * before.wall_ns / 1e9 <= SHARE * (elapsed + self._head_start_s)

    def _taken(self, pair: Pair, trials: int, *, waits: bool) -> PingTaken:
        taken = self._ping(pair, trials)
        self._last[pair] = taken
        self._owed.discard(pair)
        self._spent_s += taken.wall_ns / 1e9
        self.pings.append(taken)
        return PingTaken(taken, waits)
