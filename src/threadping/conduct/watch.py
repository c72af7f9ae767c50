"""A watch over the state of the CPUs while a plan is carried out: soundings between trials, and what they say."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from threadping import numbers
from threadping.errors import ThreadpingError
from threadping.figures.standing import standings
from threadping.figures.states import near, states_of
from threadping.figures.wanted import Wanted
from threadping.model import Case, Observation, Pair, Sounded, Sounding, State
from threadping.quantities import counted, duration, span

SHARE = 0.05
"""Of the time soundings may take so much. Where trials are so short that two of each were more, some are left out: the
next one then stands for both, and the first and the last of a pair are always taken."""

HEAD_START = 0.2
"""So much of the run counts as if it had passed when it begins, or its first trials would have to share soundings."""

WAIT_S = 0.5
"""Between two soundings while waiting for a state."""

Sound = Callable[[Pair, int], Sounding]
"""Sounds a pair; told too is how many trials have ended."""


class Watch:
    """Soundings of one run, in the order in which they were taken."""

    def __init__(
        self, sound: Sound, planned_s: float, wanted: Wanted | None = None, known: Sequence[State] = ()
    ) -> None:
        """Watch for so long, for a state if one is wanted; `known` are states of earlier runs."""
        self.soundings: list[Sounding] = []
        self.wanted = wanted
        self._sound, self._known = sound, known
        self._last: dict[Pair, Sounding] = {}
        self._owed: set[Pair] = set()
        self._begun = time.monotonic()
        self._head_start_s = HEAD_START * planned_s
        self._spent_s = 0.0
        self._came = wanted is None

    def sound(self, pairs: Iterable[Pair], trials: int, *, always: bool = False) -> Iterator[Sounded]:
        """Sound each pair that was not sounded since so many trials ended, as far as the time may be spent.

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

    def close(self, trials: int) -> Iterator[Sounded]:
        """Sound each pair after its last trial, if that was left out."""
        yield from self.sound(sorted(self._owed), trials, always=True)

    def waits(self, pairs: Iterable[Pair], trials: int) -> Iterator[Sounded]:
        """Let some time pass, and sound the pairs again."""
        time.sleep(WAIT_S)
        for pair in pairs:
            yield self._taken(pair, trials, waits=True)

    def holds(self, pairs: Iterable[Pair]) -> bool:
        """Whether the state that is wanted holds, as far as the last soundings tell."""
        held = self.wanted is None or all(self._is_wanted(pair) for pair in pairs)
        self._came = self._came or held
        return held

    def here(self, cases: Sequence[Case], seen: Sequence[Observation], measured: Sequence[int]) -> Sequence[int]:
        """How many trials each case has had in the state that its CPUs are in now; all of them where there is one."""
        states = states_of(self.soundings)
        if all(len(states.of_pair(pair)) < 2 for pair in self._last):
            return measured
        now = {one.cpus: state for one, state in zip(states.soundings, states.of, strict=True) if state is not None}
        stood = [(one.case, standing.states) for one, standing in zip(seen, standings(seen, states), strict=True)]
        return [
            stood.count((case, state)) if (state := _now(case, now)) else total
            for case, total in zip(cases, measured, strict=True)
        ]

    def never_came(self) -> ThreadpingError | None:
        """Say so if the state that was wanted never held, and which ones did."""
        if self._came or self.wanted is None:
            return None
        told = []
        for pair in self._last:
            of_it = [one for one in self.soundings if one.cpus == pair]
            values = [one.ns for one in of_it if one.ns is not None]
            failed = next((one.failure for one in of_it if one.failure), "")
            said = f"stood {span(values)} apart" if values else f"could not be sounded ({failed})"
            told.append(f"{numbers.pair(pair)} {said} in {counted(len(of_it), 'sounding')}")
        for_s = duration(time.monotonic() - self._begun)
        return ThreadpingError(
            f"The state '{self.wanted.text}' did not come within {for_s}: {'; '.join(told) or 'nothing was sounded'}. "
            "Nothing was measured; the soundings are stored. Give a larger --budget, or leave out --state."
        )

    def _is_wanted(self, pair: Pair) -> bool:
        last = self._last.get(pair)
        if last is None or last.ns is None or self.wanted is None:
            return False
        states = [*states_of(self.soundings).found, *self._known]
        return self.wanted.holds(last.ns, (state.sounding_ns for state in states if state.cpus == pair))

    def _may_spend(self, before: Sounding) -> bool:
        """Whether one more leaves enough for the last of each pair."""
        elapsed = time.monotonic() - self._begun
        return self._spent_s + (1 + len(self._last)) * before.wall_ns / 1e9 <= SHARE * (elapsed + self._head_start_s)

    def _taken(self, pair: Pair, trials: int, *, waits: bool) -> Sounded:
        taken = self._sound(pair, trials)
        self._last[pair] = taken
        self._owed.discard(pair)
        self._spent_s += taken.wall_ns / 1e9
        self.soundings.append(taken)
        return Sounded(taken, waits)


def _now(case: Case, now: dict[Pair, int]) -> tuple[int, ...]:
    """The states of its pairs as the last soundings tell; empty where one is not known."""
    states = tuple(now[pair] for pair in case.placement.pairs if pair in now)
    return states if len(states) == len(case.placement.pairs) else ()
