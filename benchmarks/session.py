"""One session: its contenders, every round, and a record that is complete after each."""

import os
import random
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.gathering import Gathering
from benchmarks.questions import Benchmark
from benchmarks.records import Contender, Session
from benchmarks.rounds import HIGHEST_SEED, Pairs, execute_run
from threadping.model.cases import Runtime
from threadping.model.contract import Topology
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.output.printing import stderr
from threadping.probes.machine import describe_machine
from threadping.probes.runtimes import find_runtimes, read_lscpu, read_topology


class Where(Struct, frozen=True):
    """The machine, the CPUs that are measured on, and what is to be said of them."""

    topology: Topology
    cpus: tuple[int, ...]
    placement: str


def look_around(wanted: Sequence[str] | None) -> tuple[Sequence[Runtime], Topology]:
    """Find the runtimes named, or those that are measured when none is, and read the topology."""
    found = find_runtimes(os.environ)
    selected = found.select(wanted or ()) or found.defaults()
    return selected, read_topology(found.cpp())


def hold(
    benchmark: Benchmark,
    groups: Collection[str],
    gathering: Gathering,
    where: Where,
    *,
    rounds: int,
    seed: int | None,
    record: Path,
    paired: bool = False,
) -> Session:
    """Measure all that the questions need, from any seed if none is given; the record holds every completed round.

    Where it is `paired` both sides of a question follow each other, and it is answered by the ratios of rounds.
    """
    asked = benchmark.questions([one.subject for one in gathering.contenders], groups)
    contenders = [one for one in gathering.contenders if one.subject in asked.subjects]
    left_out = (*gathering.missing, *asked.left_out)
    if not contenders:
        why = " ".join(left_out) or "These runtimes are not asked any of these questions."
        raise NothingToMeasure(f"Nothing can be compared here. {why}")
    machine = describe_machine(where.topology, read_lscpu())
    session = Session(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=", ".join(filter(None, (machine.cpu_model, machine.hypervisor, machine.kernel))),
        cpus=where.cpus,
        placement=where.placement,
        programs=gathering.programs,
        seed=random.SystemRandom().randrange(HIGHEST_SEED) if seed is None else seed,
        left_out=left_out,
        paired=paired,
    )
    pairs = [(one.ours, one.theirs) for one in asked.asked] if paired else []
    return _measured(session, contenders, rounds, record, pairs)


def read(record: Path) -> Session:
    """Read a record again; UsageError if it is not one."""
    try:
        return msgspec.json.decode(record.read_bytes(), type=Session)
    except OSError as error:
        raise UsageError(f"The record '{record}' cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise UsageError(f"'{record}' is not a record of this benchmark: {error}.") from error


def _measured(session: Session, contenders: Sequence[Contender], rounds: int, record: Path, pairs: Pairs) -> Session:
    console = stderr()
    console.print(f"{rounds} rounds of {len(contenders)} processes, the record in {record}")
    _write(session, record)  # before anything is measured: it may not be possible
    start = time.monotonic()
    for number, measured in enumerate(execute_run(contenders, rounds, session.seed, pairs), start=1):
        session = replace(session, measurements=(*session.measurements, *measured))
        _write(session, record)
        failed = sum(one.failure is not None for one in measured)
        seconds = (time.monotonic() - start) / number
        console.print(f"round {number} of {rounds}: {failed} failed; a round takes {seconds:.0f} s")
    return session


def _write(session: Session, record: Path) -> None:
    unfinished = record.with_name(f"{record.name}.unfinished")
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(msgspec.json.encode(session))
        unfinished.replace(record)
    except OSError as error:
        raise UsageError(f"'{record}' cannot be written: {error.strerror}. Give another --record.") from error
