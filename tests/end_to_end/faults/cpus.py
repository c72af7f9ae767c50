"""CPUs that are not there, may not be used, or go away."""

from tests.end_to_end.faults.fault import MEASURE, NOTHING, Fault, trials

HEADING = "CPUs"
ABOUT = "CPUs are looked at before anything is measured; one that goes away later costs its own trials."

PLANTED = {"FAKE_MECHANISMS": "cas-one-line", "FAKE_CPUS": "3", "FAKE_OF_L3": "2"}

FAULTS = (
    Fault("a CPU that is not there", "ping 0,7", 2, "Unknown CPU '7'. Known: 0-1.", NOTHING),
    Fault(
        "the same CPU twice",
        "matrix --cpus 0,0",
        2,
        "--cpus '0,0' names CPU 0 twice. For threads on one CPU write --placement same-cpu.",
        NOTHING,
        env=PLANTED,
    ),
    Fault(
        "one CPU for a matrix",
        "matrix --cpus 0",
        2,
        "A matrix needs two CPUs or more, but --cpus names CPU 0 alone.",
        NOTHING,
        env=PLANTED,
    ),
    Fault(
        "one CPU for two threads",
        "signal --cpus 0",
        2,
        "--cpus needs 2 CPUs, one for each thread, not 1. Write --cpus 0,1.",
        NOTHING,
    ),
    Fault(
        "a ping on a machine with one CPU",
        "ping",
        2,
        "A ping goes between two CPUs, but this process may use only CPU 0.",
        NOTHING,
        env={"FAKE_CPUS": "1"},
    ),
    Fault(
        "a placement that the machine lacks",
        "signal --placement cross-node",
        2,
        "Nothing is left to measure. cross-node: the CPUs 0-1 that may be used are all on one NUMA node.",
        NOTHING,
    ),
    Fault(
        "an unknown placement",
        "signal --placement same-socket",
        2,
        "Unknown placement 'same-socket'. Did you mean same-node or same-cpu or same-l3? Known: same-cpu, smt, "
        "same-l2, same-l3, same-node, cross-node, unpinned.",
        NOTHING,
    ),
    Fault(
        "a home that is no node",
        "matrix --home third",
        2,
        "Unknown home 'third'. Known: first, second, 0.",
        NOTHING,
        env=PLANTED,
    ),
    Fault(
        "a CPU that goes offline",
        "matrix --budget 60s",
        1,
        "CPU 9 cannot be used here.",
        trials(3, of=7),
        env={**PLANTED, "FAKE_OFFLINE": "2"},
    ),
    Fault(
        "a CPU that a cpuset takes away",
        f"{MEASURE} --mechanism refuses",
        1,
        "CPU 9 cannot be used here.",
        trials(0, of=2),
        env={"FAKE_MECHANISMS": "refuses"},
    ),
)
