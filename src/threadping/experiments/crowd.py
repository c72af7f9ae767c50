"""crowd: what it costs to let many threads go, and to wait until all have done their part.

One thread, the caller, begins a round and all others, its members, run: a barrier, a broadcast, a fork and join. Four
times of each round that is timed, all from the caller's start: until its call returned, until the first member ran and
the last, and until the caller knew that all were done. Rounds a second and CPU time are of windows in which nobody reads
a clock.
"""

from threadping.analysis import outliers, reading, warnings
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Column, Figure, Percentiles
from threadping.analysis.layout import Question
from threadping.analysis.warnings.reasons import OUR_WAKES_A_WINDOW
from threadping.experiments import common
from threadping.experiments.experiment import Experiment
from threadping.plan.windows import Pace, in_periods
from threadping.selection.asking import Asking, First


DONE = Percentiles(name="done_ns", of="done", noun="rounds", head="done", outliers="", across=True)
CALL = Percentiles(name="call_ns", of="call", noun="releases", head="call", outliers="call_outliers", column=False)
FIRST = Percentiles(
    name="first_ns", of="first", noun="first to run", head="first", outliers="", across=True, column=False
)
LAST = Percentiles(name="last_ns", of="last", noun="last to run", head="last", outliers="", across=True)
SPREAD = Percentiles(
    name="spread_ns", of="spread", noun="rounds, first to last", head="spread", outliers="", across=True, column=False
)

FIGURES = (
    *common.middle(DONE, Column("done"), None),
    *common.middle(CALL, Column("call"), None),
    *common.middle(FIRST, Column("first", 1), None),
    *common.middle(LAST, Column("last"), None),
    *common.middle(SPREAD, Column("spread", 4), None),
    Figure("ops_per_s", "per_s", reading.rate, Column("rounds/s", 2), better="more", says="crowd.ops_per_s"),
    Figure("caller_cpu_ns_per_op", "ns", reading.cpu_ns_of("caller"), Column("CPU caller", 5), better="less"),
    Figure("member_cpu_ns_per_op", "ns", reading.cpu_ns_of("member"), Column("CPU members", 6), better="less"),
)


def _without_a_cpu(row: Row) -> str:
    if row.case.blocking:
        return "A member that is woken may find no CPU free, and the last one decides when all are done."
    return "A thread that spins keeps the CPU from the one that it waits for, but for a yield now and then: let it sleep."


CHECKS = (common.oversubscribed("oversubscribed", _without_a_cpu),)

QUESTIONS = (
    Question(ask="let {groups} go, wait for all (std-barrier)", mechanism="std-barrier", scales=True, rank=4),
    Question(ask="let {groups} go, wait for all (cyclic-barrier)", mechanism="cyclic-barrier", scales=True, rank=4),
)

EXPERIMENT = Experiment(
    help="Measure what it costs to let many threads go and wait for all: barriers, broadcasts, fork and join.",
    examples=[
        ("crowd", "every way to let threads go"),
        ("crowd --mechanism futex-all,futex-each,futex-tree --threads 8", "one after the other, or all at once"),
        ("crowd --mechanism std-barrier --threads 2,4,8 --pause 1000", "with pauses in which threads sleep"),
    ],
    asking=Asking(
        threads=None,
        least=2,
        of_cpus=(0.5, 1, 2),
        first=(
            First("std-barrier"),  # what does everybody's barrier cost?
            First("cyclic-barrier"),
        ),
    ),
    pace=Pace(in_periods, thread_s=0.0015, promised={"rounds": True}),
    figures=Declaration(
        title="from the caller's start until all have done their part",
        headline="done_ns.typical",
        figures=(*FIGURES, *outliers.figures_of(CALL), *common.FIGURES_EVERYWHERE),
        distributions=(DONE, CALL, FIRST, LAST, SPREAD),
        checks=(*CHECKS, *warnings.UNPACED),
        questions=QUESTIONS,
        op="round",
        along="threads",
        beside=("jobs",),
        ours=OUR_WAKES_A_WINDOW,
        notes=(
            "call, first, last and done are from the caller's start: until its call returned, until the first member ran "
            "and the last, until it knew that all were done; one reading of the clock is in each.",
        ),
    ),
    options={
        "work": "Steps of work of each job; N,M measures both.",
        "jobs": "How many jobs a round has; 0 is one for each member; N,M measures both.",
        "pause": "Microseconds between two rounds; N,M measures both.",
        "imbalance": "Percent more work for the last member, in proportion for those between; N,M measures both.",
        "arrivals": "What the pause is: `gaps` after a round, or `ticks`, from one round's beginning to the next one's.",
        "join": "Whether the caller waits at once (`yes`), or only before the next round (`no`).",
        "spins": "How often spin-then-sleep looks before it sleeps; N,M measures both.",
    },
)
