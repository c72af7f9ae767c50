"""toy: what an experiment costs to declare. Two adders, each with a counter of its own; windows are led from outside.

The same toy is in the tests of both probes.
"""

from collections.abc import Iterator

from threadping.analysis.checks import Finding, finding, tables
from threadping.analysis.declaration import Column, Figure, Percentiles, Row, RowCheck, TrialFigures
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model.contract import Request, Result
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_periods

tables()["findings.lost-adds"] = """
level = "warning"
definition = "Additions that are lost."
brief = "{share:share}"
means = "{share:share} of the additions were lost, though nobody else adds to a counter."
remedy = "Mend the mechanism."
"""  # ours are in the file


def own(result: Result, _request: Request) -> dict[str, float | None]:
    increments = result.counts["increments"]
    return {"toy.lost": 1 - increments.found / increments.made}


READ = TrialFigures(
    (
        Figure("ops_per_s", "per_s", read=("rate",), better="more", column=Column("adds/s")),
        Figure("toy.lost", "share", read=("own",), better="less", column=Column("lost", rank=4)),
    ),
    (Percentiles(name="add_ns", noun="timed additions", head="add"),),
)


def _lossy(row: Row) -> Iterator[Finding]:
    if share := row.number("toy.lost"):
        yield finding("lost-adds", share=share)


EXPERIMENT = Experiment(
    help="Measure what it costs a thread to add one to a counter of its own.",
    examples=(("toy", "both ways to add"), ("toy --mechanism store-add", "one of them")),
    defaults=CaseDefaults(threads=2, first=(DefaultCase("store-add"), DefaultCase("locked-add"))),
    pace=Pace(in_periods),
    figures=common.declare(
        READ,
        title="additions/s of both threads together",
        metric="additions/s",
        headline="ops_per_s",
        own=own,
        checks=(RowCheck(_lossy, ("lost-adds",)),),
        op="addition",
    ),
)
