"""hop: what it costs to reach another host, or this one over its loopback, as threads and processes are reached.

A message goes to a far end, which sends it back. The one-way latency is half a round trip: median and mean from whole
windows. The distribution is of single round trips, not halved.
"""

from collections.abc import Callable

from threadping.analysis import causes, row_warnings
from threadping.analysis.declaration import Column, Declaration, Figure, Percentiles
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.contract import Policy, Result
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_blocks

WAYS = 2  # in a round trip

HOP_ROUND_TRIPS = Percentiles(
    name="round_trip_ns", noun="single round trips", head="round trip", says="hop.round_trip_ns"
)


def _half(round_trip: Callable[[Result], float]) -> Callable[[Result], float]:
    return lambda result: round_trip(result) / WAYS


def _lost(result: Result) -> float | None:
    datagrams = result.counts.get("datagrams")
    return 1 - datagrams.found / datagrams.made if datagrams and datagrams.made else None


def _far_cpu(result: Result) -> float | None:
    """Read the mean of sampling windows, at whose ends the far end is asked."""
    found = result.distributions.get("far-end-cpu")
    return reading.mean_of(found) if found else None


FIGURES = (
    *common.round_trips("hop", _half(reading.typical), _half(reading.ns_per_op)),
    Figure("cpu_ns_per_op", "ns", reading.cpu_ns_per_op, Column("CPU/op", 3), better="less", says="hop.cpu_ns_per_op"),
    Figure("hop.far_cpu_ns_per_op", "ns", _far_cpu, Column("far CPU", 6), better="less"),
    Figure("hop.lost", "share", _lost, Column("lost", 4), better="less"),
)


def _policy(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool) -> Policy:
    """Return the windows of threads that sleep: a round trip through a network takes as long."""
    return in_blocks(measure_ns, warmup_ns, crowding, blocking=True)


EXPERIMENT = Experiment(
    help="Measure the one-way latency of the network, over loopback.",
    examples=[("hop", "tcp and udp over loopback"), ("hop --bytes 1000", "messages of 1,000 bytes")],
    own_command=True,
    defaults=CaseDefaults(
        threads=1, first=(DefaultCase("tcp-loopback"), DefaultCase("tcp-loopback-spin"), DefaultCase("udp-loopback"))
    ),
    pace=Pace(_policy, measure_s=0.3),
    figures=Declaration(
        title="one-way latency",
        headline="latency_ns.typical",
        figures=(*common.beside(FIGURES), *causes.outlier_figures(HOP_ROUND_TRIPS)),
        distributions=(HOP_ROUND_TRIPS,),
        checks=row_warnings.UNPACED,
        op="round trip",
        measures="one-way",
        notes=(
            "One way is half a round trip: median and mean, from whole windows. Percentiles are of single round trips, "
            "not halved. CPU is that of the near end, far CPU that of the far end, for each round trip.",
        ),
    ),
    options={"bytes": "Bytes of a message; N,M measures both. 64 by default."},
)
