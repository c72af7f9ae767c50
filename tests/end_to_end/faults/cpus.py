"""CPUs that are not there, may not be used, or go away."""

import json
from collections.abc import Mapping, Sequence

from tests.end_to_end.faults.fault import ANSWER, MEASURE, NOTHING, Before, Bench, Fault, Kept, trials, typed
from threadping.store.store import Store

HEADING = "CPUs"
ABOUT = (
    "CPUs are looked at before anything is measured. A run whose CPUs are taken away later ends, and can be "
    "resumed once they are back; of a matrix such a CPU costs its own trials."
)

COUNTER = {"FAKE_MECHANISMS": "steady", "FAKE_LOCKS": "fetch-add"}
PLANTED = {"FAKE_MECHANISMS": "cas-one-line", "FAKE_CPUS": "3", "FAKE_OF_L3": "2"}


def sees(topology: str) -> Before:
    """The machine is such."""
    return lambda bench: bench.probe(f"""[ "$1" = topology ] && {{ echo '{topology}'; exit; }}; exec $works "$@\"""")


def machine(cpus: Sequence[int], allowed: Sequence[int], **more: Sequence[int]) -> str:
    """A machine of these CPUs, all on one L3."""
    each = [{"cpu": c, "core": c, "l2": c, "l3": 0, "node": 0, "package": 0} for c in cpus]
    return json.dumps({"schema": 4, "source": "fake", "cpus": each, "allowed": allowed, **more})


OFFLINE = machine([0, 1], [0, 1], offline=[60000, 60001])
FORBIDDEN = machine([0, 1, 60000], [0, 1])
NO_CPU = machine([], [])

TAKEN = (
    "CPU 1 was taken away from this process (a smaller cpuset or mask, or offline). Give it back, and "
    "`threadping runs resume 1` measures the rest."
)


def cpuset_shrinks(bench: Bench) -> None:
    """CPU 1 is taken from the process once a trial is stored."""
    add, mask = Store.add_batch, {0, 1}

    def ended(*arguments: object) -> None:
        add(*arguments)  # type: ignore[arg-type]
        mask.discard(1)

    bench.patch.setattr(Store, "add_batch", ended)
    bench.patch.setattr("os.sched_getaffinity", lambda _: {*mask})


def cpus_are_back(bench: Bench) -> None:
    """A run whose CPUs were taken, and given back."""
    with bench.patch.context() as patch:
        before, bench.patch = bench.patch, patch
        cpuset_shrinks(bench)
        assert bench.run(MEASURE).returncode == 1
        bench.patch = before


def refused(title: str, command: str, says: str, before: Before, env: Mapping[str, str] = {}) -> Fault:
    """CPUs, or a matrix of others, with which nothing is begun."""
    return Fault(title, command, 2, says, NOTHING, before, env={**env})


FAULTS = (
    *typed(__file__),
    Fault(
        "a CPU that a cpuset takes away in the middle of a run",
        MEASURE,
        1,
        TAKEN,
        Kept("all trials until then; the run is marked failed", trials(1, status="failed").holds),
        cpuset_shrinks,
    ),
    Fault(
        "a CPU that a cpuset takes away in the middle of a check-up",
        "doctor",
        1,
        TAKEN,
        Kept("all trials until then; the run is marked failed", trials(1, status="failed").holds),
        cpuset_shrinks,
        env={"FAKE_CLOCKS": "clock-monotonic", "FAKE_CALLS": "condition"},
    ),
    Fault(
        "to go on with a run whose CPUs are back",
        "runs resume last",
        0,
        ANSWER,
        Kept("all 3 trials, none twice", trials(3).holds),
        cpus_are_back,
    ),
    refused(
        "threads to place by a matrix of another machine",
        "recommend cpus --threads 2 --from theirs.csv",
        "The matrix in theirs.csv has CPU 2, which is not here: leave --from out, and it is measured now.",
        lambda bench: bench.write("theirs.csv", ",,\n38.2,,\n61.5,62.1,\n"),
        COUNTER,
    ),
    refused(
        "threads to place by a matrix that lacks a CPU",
        "recommend cpus --threads 2 --from theirs.csv",
        "The matrix in theirs.csv does not have CPU 3. Name others: --cpus 0,1,2.",
        lambda bench: bench.write("theirs.csv", ",,\n38.2,,\n61.5,62.1,\n"),
        {**COUNTER, "FAKE_CPUS": "4"},
    ),
    refused(
        "threads to place by a matrix whose cells for their CPUs are empty",
        "recommend cpus --threads 2 --cpus 0,1 --from theirs.csv",
        "The matrix in theirs.csv has no latency between any two of CPUs 0-1: leave --from out, and it is measured "
        "now.",
        lambda bench: bench.write("theirs.csv", ",,61.5\n,,62.1\n61.5,62.1,\n"),
        {**COUNTER, "FAKE_CPUS": "3"},
    ),
    refused(
        "threads to place by a run without a matrix",
        "recommend cpus --threads 2 --from 1",
        "Run 1 has no matrix. `threadping matrix` measures one; or leave --from out, and it is measured now.",
        Bench.store_a_run,
        COUNTER,
    ),
    refused(
        "threads to place by a matrix where there is none",
        "recommend cpus --threads 2 --from last",
        "The store has no matrix yet. `threadping matrix` measures one; or leave --from out, and it is measured now.",
        Bench.store_a_run,
        COUNTER,
    ),
    Fault(
        "a CPU that goes offline",
        "matrix --budget 60s",
        1,
        "CPU 9 cannot be used here.",
        trials(12, of=16),
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
    refused(
        "CPUs that are offline",
        "run signal --cpus 60000,60001",
        "CPUs 60000-60001 are offline. Name others. This process may use CPUs 0-1.",
        sees(OFFLINE),
    ),
    refused(
        "CPUs, one of them offline, for a ping",
        "ping 0,60001",
        "CPU 60001 is offline. Name others. This process may use CPUs 0-1.",
        sees(OFFLINE),
    ),
    refused(
        "a CPU that a cpuset forbids",
        "ping 0,60000",
        "A cpuset keeps CPU 60000 from this process (add it to its cpuset.cpus: AllowedCPUs= of systemd, "
        "--cpuset-cpus of docker). Name others. This process may use CPUs 0-1.",
        sees(FORBIDDEN),
    ),
    Fault(
        "a topology that says nothing",
        MEASURE,
        1,
        "Runtime cpp answers 'topology' with a message that this threadping cannot read (Object missing "
        "required field `source`). Run `make setup`, or reinstall threadping.",
        NOTHING,
        sees("{}"),
    ),
    Fault(
        "a topology without a CPU",
        MEASURE,
        1,
        "Runtime cpp answers 'topology' with a message that this threadping cannot read (Expected "
        "`array` of length >= 1 - at `$.cpus`). Run `make setup`, or reinstall threadping.",
        NOTHING,
        sees(NO_CPU),
    ),
)
