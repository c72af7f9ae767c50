"""The command `place`."""

from threadping.model.contract import MOST_THREADS
from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import (
    ANYWAY,
    CHART,
    LOCATION,
    OF_A_STUDY,
    RUNTIME,
    SEED,
    mechanisms,
    method_option,
    subject_option,
    time_option,
)
from threadping.studies.compare.options import MARGIN_OPTION

SHAPE_NAMES = ("all-to-all", "producer-consumer", "pipeline", "crowd")  # of THREAD_SHAPES, which start-up does not load

PLACE = command(
    "place",
    """Say on which CPUs to put threads that talk to each other, by which line of which tool, and what that gains.

    The CPUs are chosen by how far they are apart: pinged now, or as a matrix has it. Then the same threads are measured
    there and where the scheduler puts them, in turn, until it is known whether there is a difference.
    """,
    "studies.place.study.place",
    subject_option("-n threads", "How many threads.", syntax.NumberInRange(1, MOST_THREADS), required=True),
    subject_option(
        "--of shape",
        "What they exchange: all-to-all (the default), producer-consumer (several producers), pipeline, or crowd (a "
        "caller and those whom it starts).",
        syntax.one_of(*SHAPE_NAMES),
        metavar="SHAPE",
        default=SHAPE_NAMES[0],
    ),
    subject_option("--cpus", "Consider these CPUs alone: 0-7,16.", syntax.CPUS),
    subject_option(
        "--matrix",
        "By the matrix of a stored run, `last` for the newest, or of another tool's file, in place of pings.",
        metavar="RUN|FILE",
    ),
    RUNTIME,
    mechanisms("--mechanism mechanisms", "By which mechanism the gain is measured; each shape has its usual one."),
    time_option("--budget budget_s", "How long in all: 30s, 2m; by default 30s.", syntax.TIME, default="30s"),
    SEED,
    method_option("--siblings", "Two threads may share a core though there is one for each.", is_flag=True),
    method_option("--avoid-interrupts", "Leave CPUs out that take many interrupts of devices.", is_flag=True),
    MARGIN_OPTION,
    *(ANYWAY, OF_A_STUDY, CHART, LOCATION),
    examples=[
        ("place -n 2", "two threads that hand something to each other"),
        ("place -n 4 --of pipeline --avoid-interrupts", "a pipeline of four"),
        ("place -n 4 --matrix last", "by the matrix that was measured last"),
    ],
)
