"""Who exchanges something with whom: what that costs on given CPUs, and by which cases it is measured."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Literal

from msgspec import Struct

from threadping.model.cases import Pair

Exchange = Literal["all", "along", "one"]  # all threads with each other, each with the next, or all of them with one


class Shape(Struct, frozen=True, kw_only=True):
    """Threads that exchange something.

    Attributes:
        name: as `--of` names it.
        says: what the threads do, in a clause.
        exchange: which of them exchange something.
        by_farthest: whether the farthest exchange decides; else the mean of all.
        roles: what the one of `one` is called, and each other thread; a single word for all.
        one_first: whether the one stands first among the threads, or last.
        experiment: which experiment measures it.
        mechanisms: by which mechanism, the first that a runtime has, unless one is named.
        params: with which parameters besides the number of threads.
        producers: whether the others are producers of a queue, whose consumer the one is.
        measured: what is measured, in a clause.
    """

    name: str
    says: str
    exchange: Exchange
    by_farthest: bool = False
    roles: tuple[str, ...]
    one_first: bool = False
    experiment: str
    mechanisms: tuple[str, ...]
    params: Mapping[str, tuple[str, ...]] = {}
    producers: bool = False
    measured: str

    @property
    def is_path(self) -> bool:
        """Whether the order of the threads matters beyond who is the one."""
        return self.exchange == "along"

    def in_order(self, found: Sequence[int]) -> tuple[int, ...]:
        """Return CPUs that a search found in the order of the threads."""
        if self.exchange == "all":
            return tuple(sorted(found))
        if self.exchange == "along":
            return tuple(found if found[0] <= found[-1] else reversed(found))
        one, *others = found
        return (one, *others) if self.one_first else (*others, one)

    def pairs(self, cpus: Sequence[int]) -> list[Pair]:
        """Return the pairs of CPUs, in the order of the threads, that exchange something."""
        if self.exchange == "all":
            return [*combinations(cpus, 2)]
        if self.exchange == "along":
            return [*pairwise(cpus)]
        one = cpus[0 if self.one_first else -1]
        return [(one, cpu) for cpu in cpus if cpu != one]

    def role(self, thread: int, threads: int) -> str:
        """Return the role of a thread, by its place."""
        if len(self.roles) == 1:
            return self.roles[0]
        return self.roles[0 if thread == (0 if self.one_first else threads - 1) else 1]


QUEUES = ("sequenced-ring", "atomic-queue", "jctools-mpsc", "crossbeam-array-queue", "mutex-deque")
"""The first takes one producer alone; of the others each language has one that takes several."""

CROWDS = ("spin-all", "spin-barrier")
"""All poll, so that a round takes as long as its lines travel; Java and Rust have the second alone."""

THREAD_SHAPES = {  # by the names that `--of` takes; the first is the usual one
    one.name: one
    for one in (
        Shape(
            name="all-to-all",
            says="each exchanges something with every other one",
            exchange="all",
            roles=("thread",),
            experiment="lock",
            mechanisms=("fetch-add", "get-and-add"),
            measured="all add to one counter",
        ),
        Shape(
            name="producer-consumer",
            says="producers hand something to one consumer",
            exchange="one",
            roles=("consumer", "producer"),
            experiment="ring",
            mechanisms=QUEUES,
            params={"in-flight": ("1",)},
            producers=True,
            measured="messages to the consumer, one in flight from each producer",
        ),
        Shape(
            name="pipeline",
            says="each hands something to the next one",
            exchange="along",
            roles=("stage",),
            experiment="signal",
            mechanisms=("cas-one-line",),
            measured="hand-overs of its farthest hop, alone",
        ),
        Shape(
            name="crowd",
            says="a caller starts all others and waits for the last",
            exchange="one",
            by_farthest=True,
            roles=("caller", "member"),
            one_first=True,
            experiment="crowd",
            mechanisms=CROWDS,
            measured="rounds: the caller lets all members go, and waits until the last is done",
        ),
    )
}
