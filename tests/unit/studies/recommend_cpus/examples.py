"""A run that places a pipeline of two, with a gain that is planted: pinned 25 ns, left to the scheduler 50."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.golden.fixture import ANYWHERE, APART, DECLARED, RUN, make_case
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.cases import Side
from threadping.model.run import Comparing, CpuChoice, Observation

FREE, PINNED = make_case("cas-one-line", "cpp", ANYWHERE), make_case("cas-one-line", "cpp", APART)
PLACING = CpuChoice(
    shape="pipeline",
    cpus=(0, 1),
    considered=(0, 1),
    exchanges=((0, 1, 25.0),),
    cost_ns=25.0,
    usual_ns=None,
    known=1,
    matrix="reference pings just before",
    notes=("Isolated and outside this process's mask: CPUs 2-3. --cpus considers them.",),
    comparing=Comparing("placement", "unpinned", "pinned to 0-1", ((0, 1),), "headline", 0.03),
)
ORDERS: tuple[tuple[Side, ...], ...] = (("a", "b", "b", "a"), ("b", "b", "a", "a"), ("a", "a", "b", "b"))


def trials(blocks: int, ratio: float) -> list[Observation]:
    """Return trials: pinned (B) they take 25 ns with small differences, left to the scheduler `ratio` times as long."""
    found = []
    for block in range(blocks):
        for place, side in enumerate(ORDERS[block % 3]):
            ns = (25 + (7 * block + 3 * place) % 5 / 100) * (1 if side == "b" else ratio)
            figures = {"latency_ns.typical": ns, "latency_ns.mean": ns, "ops_per_s": 1e9 / ns}
            found.append(Observation(block, 0, PINNED if side == "b" else FREE, None, 100_000_000, figures, side=side))
    return found


def answer(
    ratio: float = 2.0, of: CpuChoice = PLACING, blocks: int = 10, trials_of: Sequence[Observation] = ()
) -> Answer:
    """Return the answer of a run of blocks; the first block is discarded."""
    arguments = ("recommend", "cpus", "--threads", str(len(of.cpus)), "--shape", of.shape)
    run = replace(RUN, cases=(FREE, PINNED), study=of, rounds=9, skipped=(), arguments=arguments)
    return analyse(run, [*(trials_of or trials(blocks, ratio))], (), DECLARED)


ANSWER = answer()
