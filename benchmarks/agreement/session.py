"""One session: who comes, every round, and a record that is complete after each."""

import os
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.agreement.gathering import gather
from benchmarks.agreement.questions import Group, questions
from benchmarks.agreement.records import Contender, Session
from benchmarks.agreement.rounds import carry_out
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, ProbeUnusable, UsageError
from threadping.machine.cpu_numbers import parse_cpus
from threadping.machine.identity import describe_machine
from threadping.machine.placements import placement_for_cpus
from threadping.model import Runtime
from threadping.probes.description import read_topology
from threadping.probes.runtimes import find_runtimes
from threadping.report.console import stderr


class Wanted(Struct, frozen=True):
    """What a person asked for."""

    groups: Collection[Group]
    runtimes: Sequence[str]
    cpus: str | None
    rounds: int
    iterations: int
    seed: int


def hold(wanted: Wanted, record: Path) -> Session:
    """Measure all that was asked for; the record holds every round that was completed."""
    found = find_runtimes(os.environ)
    runtimes = found.select(wanted.runtimes) or found.defaults()
    topology = read_topology(_cpp(found.runtimes))
    ping, pong = _two_cpus(topology, wanted.cpus)
    gathered = gather(runtimes, ping, pong, wanted.iterations, wanted.groups)
    asked = questions([one.subject for one in gathered.contenders], wanted.groups)
    contenders = [one for one in gathered.contenders if one.subject in asked.subjects]
    if not contenders:
        raise NothingToMeasure(f"Nothing can be compared here. {' '.join((*gathered.missing, *asked.left_out))}")
    session = Session(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=_in_words(topology),
        cpus=(ping, pong),
        placement=placement_for_cpus(topology, (ping, pong)).name,
        programs=gathered.programs,
        seed=wanted.seed,
        left_out=(*gathered.missing, *asked.left_out),
    )
    return _measured(session, contenders, wanted.rounds, record)


def read(record: Path) -> Session:
    """Read a record again; UsageError if it is not one."""
    try:
        return msgspec.json.decode(record.read_bytes(), type=Session)
    except OSError as error:
        raise UsageError(f"The record '{record}' cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise UsageError(f"'{record}' is not a record of this benchmark: {error}.") from error


def _measured(session: Session, contenders: Sequence[Contender], rounds: int, record: Path) -> Session:
    console = stderr()
    console.print(f"{rounds} rounds of {len(contenders)} processes, the record in {record}")
    _write(session, record)  # before anything is measured: it may not be possible
    start = time.monotonic()
    for number, measured in enumerate(carry_out(contenders, rounds, session.seed), start=1):
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


def _cpp(runtimes: Sequence[Runtime]) -> Runtime:
    for runtime in runtimes:
        if runtime.probe == "cpp":
            return runtime
    raise ProbeUnusable("The C++ probe, which also reads the machine's topology, is not built. Run `make setup`.")


def _two_cpus(topology: Topology, given: str | None) -> tuple[int, int]:
    cpus = parse_cpus(given) if given else topology.allowed[:2]
    placement_for_cpus(topology, cpus)
    ping, pong = cpus
    if ping == pong:
        raise UsageError("Programs bounded by iterations all but hang on one CPU. Give --cpus two different ones.")
    return ping, pong


def _in_words(topology: Topology) -> str:
    machine = describe_machine(topology)
    return ", ".join(filter(None, (machine.cpu_model, machine.hypervisor, machine.kernel)))
