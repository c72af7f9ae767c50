"""A run that places a pipeline of two, with a gain that is planted: pinned 25 ns, left to the scheduler 50."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.golden.fixture import ANYWHERE, APART, DECLARED, RUN, make_case
from tests.unit.studies.compare import test_blocks_of_runs as compared
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
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


def trials(blocks: int, ratio: float) -> list[Observation]:
    """Return trials: pinned (B) they take 25 ns with small differences, left to the scheduler `ratio` times as long."""
    found = []
    for one in compared.trials(blocks, ratio=1.0):
        ns = one.figures["latency_ns.typical"] * (1 if one.side == "b" else ratio)
        figures = {"latency_ns.typical": ns, "latency_ns.mean": ns, "ops_per_s": 1e9 / ns}
        found.append(replace(one, case=PINNED if one.side == "b" else FREE, figures=figures))
    return found


def answer(
    ratio: float = 2.0, of: CpuChoice = PLACING, blocks: int = 10, trials_of: Sequence[Observation] = ()
) -> Answer:
    """Return the answer of a run of blocks; the first block is discarded."""
    arguments = ("recommend", "cpus", "--threads", str(len(of.cpus)), "--shape", of.shape)
    run = replace(RUN, cases=(FREE, PINNED), study=of, rounds=9, skipped=(), arguments=arguments)
    return analyse(run, [*(trials_of or trials(blocks, ratio))], (), DECLARED)


ANSWER = answer()
