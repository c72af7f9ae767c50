"""Searches on made-up machines, asked as the command asks: 51 wait strategies, trials as long as real ones.

Each machine has its wake-ups, its bad trials, its states, its stalls. What a wait strategy truly does is known, so an
answer that is sure is right or wrong. `python -m benchmarks.simulated.waits 150` prints the table of
`docs/internals/recommend-wait.md`.
"""

import sys
from collections.abc import Iterable, Sequence
from math import erf, exp, log, sqrt
from statistics import median
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tests.golden.fixture import RUN
from tests.unit.studies.recommend_wait.examples import way
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.run import Observation, Requirement
from threadping.planning.defaults import Start
from threadping.planning.plan import Budget
from threadping.planning.schedule import Ended
from threadping.studies.recommend_wait.judging import ALLOWED, Advice, advise
from threadping.studies.recommend_wait.study import Search, plan_search

PACES = {"load": EXPERIMENTS["load"].pace}
STARTS = {"cpp": Start(0.04), "rust": Start(0.04), "java-17": Start(0.36, compiles=True)}

KINDS = ("quiet", "mixture", "bursts", "states", "stalls", "floor")
UNSEEN = "unseen"
"""In a mixture one trial in ten is bad, with bursts one in four, a little; states last for 14 and 6 s on average, and
in the second wake-ups take 1.3 to 2.5 times as long; stalls take the sender's CPU for 2 to 10 ms, 0.3 to 2 times a
second; at the floor for 8 ms of every 20. Where bad trials are unseen, one in fifty is, with 60% of its messages late:
more than is allowed, and seldom enough for 44 trials without one in 41 of 100. No rule can be sure there in a minute;
answers say so, and the table says how often they are wrong."""

BLOCKING = {
    "cpp": "condition condition-released futex atomic-wait semaphore eventfd pipe socketpair tcp-loopback mutex-deque",
    "java-17": "condition semaphore pipe monitor park array-blocking-queue linked-blocking-queue linked-transfer-queue",
    "rust": "condition futex eventfd pipe park parking-lot-condition std-sync-channel std-channel crossbeam-bounded "
    "crossbeam-unbounded crossbeam-zero flume flume-unbounded kanal tokio-mpsc",
}
SLOWER = {"socketpair": 1.5, "tcp-loopback": 1.5, "tokio-mpsc": 1.5}

ASKED = ((1_000, 1e5, 0), (1_000, 2e5, 0), (1_000, 2e5, 20), (10_000, 2e4, 0), (10_000, 5e4, 20), (100_000, 5e3, 0))
"""Rate, p99 (ns) and CPU time (%, 0 for any) of the questions of `benchmarks/recommend_wait` and of the examples."""

INTERRUPTED, INTERRUPT_NS, BAD_NS = 0.0008, 3e5, 1.5e6
"""The share of messages that an interrupt delays, by how much; and by how much those of a bad trial are late."""


class Truth(NamedTuple):
    """A wait strategy: its median (ns), the spread of the logarithms of messages and of trials, its CPU time (%)."""

    median: float
    sigma: float
    sd: float
    cpu: float


class Machine:
    """A machine of a kind, and all wait strategies on it, for ten minutes.

    Args:
        seed: of everything.
        kind: one of `KINDS`, or `UNSEEN`.
        rate: messages a second.
    """

    def __init__(self, seed: int, kind: str, rate: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.rate, self.seconds = rate, 600.0
        self.bad = {
            "mixture": (0.1, (0.03, 0.05, 0.08, 0.12)),
            "bursts": (0.25, (0.02, 0.035, 0.05)),
            UNSEEN: (0.02, (0.6,)),
        }.get(kind)
        self.bad_share = float(random.choice(self.bad[1])) if self.bad else 0.0
        self.bad_trials = self.bad[0] if self.bad else 0.0
        self.states = [*self._states(random)] if kind == "states" else []
        self.slowdown = float(random.choice([1.3, 1.7, 2.5]))
        often, lasts = (
            (random.choice([0.3, 1, 2]), random.choice([2e-3, 5e-3, 1e-2])) if kind == "stalls" else (0.02, 2e-3)
        )
        begins = np.sort(random.uniform(0, self.seconds, random.poisson(often * self.seconds)))
        self.stalls = np.stack([begins, lasts * random.lognormal(0, 0.3, len(begins))], 1)
        if kind == "floor":
            begins = np.arange(0, self.seconds, 0.02) + random.uniform(0, 0.01, round(self.seconds / 0.02))
            self.stalls = np.stack([begins, np.full(len(begins), 8e-3)], 1)
        self.truth = dict(
            self._ways(random.uniform(15e3, 60e3), random.uniform(0.2, 0.5), random.choice([0.1, 0.25, 0.4]))
        )

    def _states(self, random: np.random.Generator) -> Iterable[tuple[float, float]]:
        at, slow = 0.0, random.random() < 0.3
        while at < self.seconds:
            lasts = random.exponential(6.0 if slow else 14.0)
            if slow:
                yield at, at + lasts
            at, slow = at + lasts, not slow

    def _ways(self, wake_ns: float, sigma: float, sd: float) -> Iterable[tuple[Case, Truth]]:
        random = self.random

        def case(name: str, runtime: str, *, blocking: bool = True, **params: int | str) -> Case:
            return replace(way(name, runtime, rate=self.rate, **params), blocking=blocking)

        def blocking_truth(name: str) -> Truth:
            cpu = min(90.0, self.rate / 1000 * random.uniform(1, 3))
            ns = wake_ns * SLOWER.get(name, 1.0) * random.lognormal(0, 0.15)
            return Truth(ns, sigma * random.uniform(0.8, 1.3), sd, cpu)

        for runtime, names in BLOCKING.items():
            for name in names.split():
                yield case(name, runtime), blocking_truth(name)
            if runtime == "rust":
                continue
            for wait, truth in {
                "spin": Truth(300, 0.3, 0.1, 100),
                "pause": Truth(350, 0.3, 0.1, 100),
                "yield": Truth(900, 0.3, 0.1, 99),
                "backoff": Truth(0.8 * wake_ns, sigma, sd, random.uniform(15, 35)),
            }.items():
                yield case("release-one-line", runtime, blocking=False, wait=wait), truth
            for spins in (0, 100, 1_000, 10_000, 100_000):
                share, found = spins * 20e-9 * self.rate, blocking_truth("")
                spun = Truth(400, 0.3, 0.1, 100) if share > 1 else found._replace(cpu=min(100, found.cpu + 100 * share))
                yield case("spin-then-park", runtime, spins=spins), spun

    def trial(self, case: Case, measure_s: float, at: float) -> Observation:
        """Measure this number of seconds from this time on; at most 1,500 messages are timed."""
        random, truth, messages = self.random, self.truth[case], max(2, round(self.rate * measure_s))
        number = min(messages, 1_500)
        due = at + np.arange(number) * (measure_s / number)
        slow = self.slowdown if any(begin <= at < end for begin, end in self.states) else 1.0
        own = truth.median * slow * random.lognormal(0, truth.sd) * random.lognormal(0, truth.sigma, number)
        own[random.random(number) < INTERRUPTED] += INTERRUPT_NS
        if random.random() < self.bad_trials:
            own[: round(self.bad_share * number)] += BAD_NS
        sender = random.lognormal(log(40), 0.2, number)
        for begin, lasts in self.stalls[(self.stalls[:, 0] < at + measure_s) & (self.stalls.sum(1) > at)]:
            inside = (due >= begin) & (due < begin + lasts)
            sender[inside] += (begin + lasts - due[inside]) * 1e9
        figures = {
            "cpu_percent": float(truth.cpu * random.lognormal(0, 0.05)),
            "sustained_per_s": messages / measure_s,
            "offered_per_s": float(self.rate),
            "counters.measured_ns": measure_s * 1e9,
            "clock_cost_ns": 20.0,
        }
        each = {"latency_ns": own + sender, "sent_to_received_ns": own, "due_to_sent_ns": sender}
        found = {name: _recorded(ns) for name, ns in each.items()}
        return Observation(1, 0, case, None, 1, figures, found, others=0.0)

    def late(self, case: Case, limit_ns: float, until_s: float, since_s: float = 0.0) -> float:
        """The share of messages that are late in this time, were there trials all along."""
        truth, z = self.truth[case], np.linspace(-3.2, 3.2, 161)
        weight, seconds = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum(), until_s - since_s

        def later(slow: float) -> float:
            beyond = (log(limit_ns) - log(truth.median * slow) - truth.sd * z) / truth.sigma
            return float(sum(w * 0.5 * (1 - erf(x / sqrt(2))) for w, x in zip(weight, beyond, strict=True)))

        slow = sum(max(0.0, min(end, until_s) - max(begin, since_s)) for begin, end in self.states) / seconds
        own = (1 - slow) * later(1.0) + slow * later(self.slowdown)
        own += INTERRUPTED * (limit_ns < INTERRUPT_NS) + self.bad_trials * self.bad_share
        stalls = self.stalls[(self.stalls[:, 0] >= since_s) & (self.stalls[:, 0] < until_s)]
        sender = float(np.clip(stalls[:, 1] - limit_ns / 1e9, 0, None).sum()) / seconds
        return 1 - (1 - min(1.0, own)) * (1 - min(1.0, sender))


def _recorded(ns: NDArray[np.float64]) -> Distribution:
    """As a probe records it, to 1%."""
    values, counts = np.unique(
        np.exp(np.round(np.log(np.maximum(ns, 1)) / 0.01) * 0.01).astype(np.int64), return_counts=True
    )
    return Distribution("ns", tuple(map(int, values)), tuple(map(int, counts)), 0, 0)


class Answer(NamedTuple):
    """Outcome of a question.

    Attributes:
        outcome: of the advice.
        is_wrong: it is sure, and not true of the seconds in which it was measured.
        was_wrong: the same of the whole run.
        possible: something truly meets the requirement.
        seconds: what it took.
        regret: how many times the CPU time of the cheapest that truly meets it; 0 where that is not known.
    """

    outcome: str
    is_wrong: bool
    was_wrong: bool
    possible: bool
    seconds: float
    regret: float

    @property
    def is_decided(self) -> bool:
        """Return whether there is an answer that further trials would not change."""
        return self.outcome in ("sure", "none", "late-sender")


def question(seed: int, kind: str) -> tuple[Machine, Requirement]:
    """A machine, and a question: every other one close to what something on it does."""
    random = np.random.default_rng(seed + 10**6)
    rate, limit_ns, cpu = ASKED[random.integers(len(ASKED))]
    close = seed % 2 == 0
    machine = Machine(seed, kind, int(random.choice([1_000, 10_000, 100_000])) if close else rate)
    if close:
        truth = [*machine.truth.values()][random.integers(len(machine.truth))]
        limit_ns = max(2_000.0, truth.median * exp(truth.sigma * random.uniform(1.8, 4.0)))
        cpu = int(random.choice([0, 0, 20, 5]))
    return machine, Requirement(machine.rate, limit_ns, float(cpu) or None)


def ask(machine: Machine, required: Requirement, budget_s: float = 60.0) -> Answer:
    """Carry out the search, and hold its answer against the truth."""
    random, cases, seed = machine.random, [*machine.truth], int(machine.random.integers(1 << 30))
    budget = Budget(budget_s, STARTS, PACES, seed)
    plan, _ = plan_search(cases, budget, required)
    search, seen, left_s = Search(plan, budget, required), list[tuple[float, Observation]](), budget_s
    while (batch := search.next((), lambda _: ())) and batch[0].needs_s <= left_s:
        case, length = plan.cases[batch[0].case], search.length(batch[0].case)
        start_s = STARTS[case.runtime].seconds * random.lognormal(0, 0.1) + 0.028
        warmup_s = min(length.warmup_s, random.uniform(0.4, 1.2)) if STARTS[case.runtime].compiles else length.warmup_s
        wall_s, at = start_s + warmup_s + length.measure_s, budget_s - left_s + start_s + warmup_s
        one = replace(machine.trial(case, length.measure_s, at), wall_ns=round(wall_s * 1e9))
        seen.append((at, one))
        left_s -= wall_s
        search.ended(batch[0], Ended(one, None, wall_s, (), ()), left_s)
    found = advise(replace(RUN, cases=plan.cases, study=required, skipped=()), [one for _, one in seen])
    return _held_against(machine, found, seen, budget_s - left_s)


def _held_against(machine: Machine, found: Advice, seen: Sequence[tuple[float, Observation]], seconds: float) -> Answer:
    limit_ns, most_cpu = found.required.p99_ns, found.required.cpu_percent or 100.0
    meeting = {
        case: truth.cpu
        for case, truth in machine.truth.items()
        if truth.cpu <= most_cpu and machine.late(case, limit_ns, seconds) <= ALLOWED
    }
    was_wrong = is_wrong = found.outcome == "none" and bool(meeting)
    regret = 0.0
    if found.outcome == "sure" and found.chosen:
        case = found.chosen.case
        times = [at for at, one in seen if one.case == case][1:]
        is_wrong = machine.truth[case].cpu > most_cpu or machine.late(case, limit_ns, times[-1], times[0]) > ALLOWED
        was_wrong = is_wrong or case not in meeting
        regret = machine.truth[case].cpu / min(meeting.values()) if meeting else 0.0
    return Answer(found.outcome, is_wrong, was_wrong, bool(meeting), seconds, regret)


COLUMNS = (
    "machines",
    "questions",
    "can be met",
    "sure",
    "none",
    "late sender",
    "decided",
    "sure and wrong",
    "in the run",
)


def main(number: int, kinds: Sequence[str] = KINDS) -> None:
    print(" | ".join([*COLUMNS, "regret", "seconds"]))
    for kind in kinds:
        answers = [ask(*question(seed, kind)) for seed in range(number)]
        outcomes = [one.outcome for one in answers]
        regrets = [one.regret for one in answers if one.regret]
        row = [
            kind,
            number,
            sum(one.possible for one in answers),
            *map(outcomes.count, ("sure", "none", "late-sender")),
        ]
        row += [f"{sum(one.is_decided for one in answers) / number:.0%}"]
        row += [sum(one.is_wrong for one in answers), sum(one.was_wrong for one in answers)]
        row += [f"{median(regrets):.2f}" if regrets else "", f"{sum(one.seconds for one in answers) / number:.0f}"]
        print(" | ".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or (*KINDS, UNSEEN))
