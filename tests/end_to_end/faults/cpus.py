"""CPUs that are not there, may not be used, or go away."""

import json
from collections.abc import Sequence

from tests.end_to_end.faults.fault import MEASURE, NONE_TWICE, NOTHING, Before, Bench, How, Kept, read_faults, trials
from threadping.store.store import Store

HEADING = "CPUs"
ABOUT = (
    "CPUs are looked at before anything is measured. A run whose CPUs are taken away later ends, and can be "
    "resumed once they are back; of a matrix such a CPU costs its own trials."
)


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


def matrix(text: str) -> Before:
    """Somebody sent a matrix."""
    return lambda bench: bench.write("theirs.csv", text)


UNTIL_THEN = Kept("all trials until then; the run is marked failed", trials(1, status="failed").holds)

FAULTS = read_faults(
    __file__,
    {
        "a CPU that a cpuset takes away in the middle of a run": How(UNTIL_THEN, cpuset_shrinks),
        "a CPU that a cpuset takes away in the middle of a check-up": How(UNTIL_THEN, cpuset_shrinks),
        "to go on with a run whose CPUs are back": How(NONE_TWICE, cpus_are_back),
        "threads to place by a matrix of another machine": How(NOTHING, matrix(",,\n38.2,,\n61.5,62.1,\n")),
        "threads to place by a matrix that lacks a CPU": How(NOTHING, matrix(",,\n38.2,,\n61.5,62.1,\n")),
        "threads to place by a matrix whose cells for their CPUs are empty": How(
            NOTHING, matrix(",,61.5\n,,62.1\n61.5,62.1,\n")
        ),
        "threads to place by a run without a matrix": How(NOTHING, Bench.store_a_run),
        "threads to place by a matrix where there is none": How(NOTHING, Bench.store_a_run),
        "a CPU that goes offline": How(trials(12, of=16)),
        "a CPU that a cpuset takes away": How(trials(0, of=2)),
        "CPUs that are offline": How(NOTHING, sees(OFFLINE)),
        "CPUs, one of them offline, for a ping": How(NOTHING, sees(OFFLINE)),
        "a CPU that a cpuset forbids": How(NOTHING, sees(FORBIDDEN)),
        "a topology that says nothing": How(NOTHING, sees("{}")),
        "a topology without a CPU": How(NOTHING, sees(NO_CPU)),
    },
)
