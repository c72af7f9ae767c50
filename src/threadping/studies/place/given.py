"""A matrix that was measured before, of a stored run or as another tool wrote it; whether it is of this machine."""

from pathlib import Path

from msgspec import Struct

from threadping import recognition
from threadping.analysis.latency_map import LatencyMap, surveyed_map
from threadping.conduct.stored import answered
from threadping.errors import UsageError
from threadping.model.cases import Pair
from threadping.model.run import Machine
from threadping.model.studies import Pairing
from threadping.numbers import named
from threadping.store.database import open_store
from threadping.store.store import Store
from threadping.studies.matrix.foreign import read
from threadping.studies.matrix.matrix import matrix_of
from threadping.studies.place.latencies import KnownLatencies

LATEST = "last"


class GivenMatrix(Struct, frozen=True):
    """A matrix, and the machine that it is of; None of another tool's."""

    known: KnownLatencies
    cpus: tuple[int, ...]
    machine: Machine | None

    def check(self, here: Machine, considered: tuple[int, ...]) -> None:
        """Raise UsageError where it is of another machine, or lacks some of the CPUs that are considered."""
        topology, source = here.topology, f"T{self.known.source[1:]}"
        if self.machine and _build_of(self.machine) != _build_of(here):
            raise UsageError(f"{source} is of another machine ({self.machine.cpu_model or 'unknown CPU'}): {WAYS_OUT}")
        if others := {*self.cpus} - {cpu.cpu for cpu in topology.cpus}:
            raise UsageError(f"{source} is of another machine: it has {named(others)}, which {_is(others)} not here.")
        if missing := {*considered} - {*self.cpus}:
            left = {*considered} & {*self.cpus}
            way_out = f" Consider others: --cpus {','.join(map(str, sorted(left)))}." if len(left) > 1 else ""
            raise UsageError(f"{source} says nothing of {named(missing)}.{way_out}")


WAYS_OUT = "leave --matrix out, and it is measured now."


def read_given(which: str, location: str | None) -> GivenMatrix:
    """The matrix of a run, by its number or `last` for the newest that there is; or of a file of another tool.

    Raises:
        UsageError: the run has no matrix.
        Unreadable: there is no such file, or it is no matrix.
    """
    if which == LATEST or which.isdecimal():
        with open_store(location, create=False) as store:
            return _of_run(store, which)
    file = Path(which)
    content, name = recognition.read(file), recognition.named(file)
    pasted = read(recognition.decode(content, name), name)[0]
    return _given(pasted.map, f"the matrix in {name}", None)


def _of_run(store: Store, which: str) -> GivenMatrix:
    if which == LATEST:
        newest = next((run for run, trials in store.runs() if isinstance(run.study, Pairing) and trials), None)
        if newest is None:
            raise UsageError(f"The store has no matrix yet. `threadping matrix` measures one; or {WAYS_OUT}")
        which = str(newest.id)
    answer = answered(store, which)
    found = matrix_of(answer).map if isinstance(answer.run.study, Pairing) else surveyed_map(answer)
    if found is None or not found.ns:
        raise UsageError(f"Run {answer.run.id} has no matrix. `threadping matrix` measures one; or {WAYS_OUT}")
    return _given(found, f"the matrix of run {answer.run.id}", answer.run.machine)


def _given(of: LatencyMap, source: str, machine: Machine | None) -> GivenMatrix:
    """Each pair once: of one that was measured both ways the mean of these."""
    ns: dict[Pair, float] = {}
    for one, other in of.ns:
        ways = [of.ns[pair] for pair in ((one, other), (other, one)) if pair in of.ns]
        if sum(ways):
            ns[min(one, other), max(one, other)] = sum(ways) / len(ways)
    return GivenMatrix(KnownLatencies(ns, source), of.cpus, machine)


def _build_of(machine: Machine) -> object:
    """What the latencies between its CPUs come from: a new kernel changes none of them."""
    return machine.cpu_model, machine.topology.cpus


def _is(cpus: set[int]) -> str:
    return "is" if len(cpus) == 1 else "are"
