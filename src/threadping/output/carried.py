"""The runs that a page, a `.run` file or a host carries: all that rows are made from, and nothing that is executed.

A run, its observations and its reference pings, compressed: a first run takes 0.2 MB. The single windows and outliers
of its trials stay in the store of the machine that measured: they would make the page six times as large.
"""

import base64
import bz2
import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import sub
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.bounds import LONGEST_WORD, Record
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.errors import PageUnreadable, cause_of
from threadping.model.recognition import MOST_BYTES
from threadping.model.run import NOBODY, Observation, ReferencePing, Run, Stored
from threadping.output.anonymous import anonymous

FORMAT = 3  # It counts up with every change that a reader of today could not read

OPEN, CLOSE = '<script type="application/json" id="threadping-runs">', "</script>"

LARGEST_RUN = 256 << 20  # In bytes: what is decompressed from all of a page. 2,000 trials take 20 MB.

ROOM, DENSEST = 2 << 20, 100
"""So many bytes any run may have, and so many times its compressed ones: of real runs the densest, matrices, have 20.

So a small file costs little, whatever it expands to.
"""

MOST_RUNS, MOST_TRIALS, MOST_PINGS = 200, 500_000, 2_000_000  # Of a page, and of a run

MOST_VALUES, MOST_OF_ALL = 1 << 17, 32 << 20
"""Distinct values of a distribution, of which a probe's recorder has 35,000 at most, and of all of a page."""

MOST_EXACT = 1 << 53  # As nanoseconds, 104 days: floating-point arithmetic with such numbers is exact

MOST_OF_FIGURES = 1e30  # Variances of rank sums have the most

PAGE_DAMAGE = (ValueError, RecursionError, OSError, EOFError, ArithmeticError, LookupError, MemoryError)


class Packed(Record, frozen=True):
    """A run as it stands in a page: compressed, in base64, with its digest."""

    sha256: str
    data: str


class Format(Record, frozen=True):
    """Which format the rest is in."""

    format: int


class Envelope(Record, frozen=True):
    """All that a page carries."""

    format: int
    runs: Annotated[tuple[Packed, ...], Meta(max_length=MOST_RUNS)]


class Parts(Record, frozen=True):
    """A run of which nothing but the number of its parts is known: each is read by itself, and counted."""

    run: msgspec.Raw
    observations: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=MOST_TRIALS)]
    pings: Annotated[tuple[ReferencePing, ...], Meta(max_length=MOST_PINGS)]


def carry_run(stored: Stored, *, identify: bool = False) -> Stored:
    """What a page of a run carries; without `identify` nothing that tells whose machine and folders they are.

    The number of a run and the process that measured it mean something in its own store only.
    """
    run = replace(stored.run, id=0, owner=NOBODY)
    if run.status == "running":
        run = replace(run, status="interrupted")
    kept = replace(stored, run=run)
    return kept if identify else anonymous(kept, {stored.run.owner.hostname})


def analyse_carried(answer: Answer, kept: Stored) -> Answer:
    """The answer of what is carried: analysed anew where a name in a case went."""
    if all(one.observation is seen for one, seen in zip(answer.trials, kept.observations, strict=True)):
        return replace(answer, run=kept.run)
    return analyse(kept.run, kept.observations, kept.pings, answer.declared)


def analyse_shared(answer: Answer) -> Answer:
    """The answer of what may be given away: it names the host, by which files are told apart, and no folder."""
    machine, kept = answer.run.machine, anonymous(answer.stored, {answer.run.owner.hostname})
    named = replace(kept.run, machine=replace(kept.run.machine, hostname=machine.hostname))
    return analyse_carried(answer, replace(kept, run=named))


def embed_runs(runs: Sequence[Stored]) -> str:
    """The runs as an element of a page."""
    compressed = [bz2.compress(msgspec.msgpack.encode(_changed(one, _in_steps))) for one in runs]
    packed = (Packed(hashlib.sha256(data).hexdigest(), base64.b64encode(data).decode()) for data in compressed)
    envelope = Envelope(FORMAT, tuple(packed))
    return OPEN + msgspec.json.encode(envelope).decode() + CLOSE


def unpack_runs(content: bytes, page: Path | str) -> list[Stored]:
    """The runs in what a file holds, or what a host sent: `page` names it. Raises PageUnreadable.

    Every value is one that can be; whether they make sense together only their readers find out (`conduct.validation`).
    """
    if len(content) > MOST_BYTES:
        size = f"it has {len(content) / 1e6:,.0f} MB"
        raise PageUnreadable(page, f"{size}, and no page of threadping has more than {MOST_BYTES >> 20}")
    before, *carried = content.split(OPEN.encode())
    if not carried:
        raise PageUnreadable(page, "it carries no run: `threadping report` did not make it, or it was cut off")
    parts = [one.partition(CLOSE.encode()) for one in carried]
    is_page = before.strip()  # what is no page holds runs alone, those of several files where they were put together
    if not all(whole and (is_page or not rest.strip()) for _, whole, rest in parts):
        raise PageUnreadable(page, "its end is missing. Copy it again")
    packed: list[Packed] = []
    try:
        for data, _, _ in parts:
            if (given := msgspec.json.decode(data, type=Format).format) != FORMAT:
                age = "a newer" if given > FORMAT else "an older"
                raise PageUnreadable(page, f"{age} threadping made it (format {given}; this one reads {FORMAT})")
            packed.extend(msgspec.json.decode(data, type=Envelope).runs)
        if len(packed) > MOST_RUNS:
            raise ValueError(f"more than {MOST_RUNS} runs")
        runs = list(_runs(packed))
    except PAGE_DAMAGE as error:
        raise PageUnreadable(page, f"somebody changed the run in it ({cause_of(error)})") from error
    if not runs:
        raise PageUnreadable(page, "it carries no run")
    return runs


def _runs(packed: Sequence[Packed]) -> Iterator[Stored]:
    """The runs; an error of one of the kinds of DAMAGE where one is none, or they are more than a page has."""
    bytes_left, values_left = LARGEST_RUN, MOST_OF_ALL
    for one in packed:
        encoded = _decompressed(one, bytes_left)
        bytes_left -= len(encoded)
        run, values = _run_in(encoded, values_left)
        values_left -= values
        yield run


def _decompressed(packed: Packed, most: int) -> bytes:
    data = base64.b64decode(packed.data, validate=True)
    if hashlib.sha256(data).hexdigest() != packed.sha256:
        raise ValueError("its digest is another")
    bounded = bz2.BZ2Decompressor()
    encoded = bounded.decompress(data, min(most, ROOM + DENSEST * len(data)))
    if not bounded.eof:
        raise ValueError("it is too large, or ends too soon")
    return encoded


def _run_in(encoded: bytes, most: int) -> tuple[Stored, int]:
    """A run, and how many values its distributions have; a ValueError where one of them is none that can be."""
    parts = msgspec.msgpack.decode(encoded, type=Parts)
    run = msgspec.msgpack.decode(parts.run, type=Run)
    check_run(run)
    decode, seen, values = msgspec.msgpack.Decoder(Observation).decode, [], 0
    for part in parts.observations:
        one = decode(part)
        values += sum(len(of.values) for of in one.distributions.values())
        if values > most:
            raise ValueError("it has more figures than any run")
        check_observation(one)
        seen.append(one)
    return _changed(Stored(run, tuple(seen), parts.pings), _from_steps), values


def check_run(run: Run) -> None:
    """Raise a ValueError where a run that came from elsewhere cannot have ended so, or on such a machine."""
    if run.status == "running":
        raise ValueError("it says that it is still being measured")
    topology = run.machine.topology
    cpus = [one.cpu for one in topology.cpus]
    check_texts(topology.source, *(text for case in (*run.cases, *run.left_out) for text in _texts(case)))
    if len(set(cpus)) < len(cpus) or not {*topology.allowed} <= {*cpus}:
        raise ValueError("its machine has CPUs twice, or may use some that it has not")


def check_observation(one: Observation) -> None:
    """Raise a ValueError where a trial of a run that came from elsewhere cannot say so."""
    if any(abs(figure) > MOST_OF_FIGURES for figure in one.figures.values()):
        raise ValueError("its figures make no sense")
    check_texts(*_texts(one.case), *(of.unit for of in one.distributions.values()))


def _texts(case: Case) -> Iterator[str]:
    yield from (text for pair in case.params.items() for text in pair if isinstance(text, str))


def check_texts(*texts: str) -> None:
    """Raise a ValueError where one is longer than any name, of those that the contract does not bound."""
    if any(len(text) > LONGEST_WORD for text in texts):
        raise ValueError("a name in it is longer than any")


def _changed(one: Stored, change: Callable[[Distribution], Distribution]) -> Stored:
    """The run with every distribution changed."""
    seen = (
        replace(seen, distributions={name: change(of) for name, of in seen.distributions.items()})
        for seen in one.observations
    )
    return replace(one, observations=tuple(seen))


def _in_steps(of: Distribution) -> Distribution:
    """With the step from each value to the next in place of the values: most are alike, so a third less is stored."""
    return replace(of, values=tuple(map(sub, of.values, (0, *of.values))))


def _from_steps(of: Distribution) -> Distribution:
    """What was stored in steps; a ValueError where values do not ascend, each with its count, or are too many."""
    if len(of.values) > MOST_VALUES or 0 in of.values[1:] or len(of.values) != len(of.counts):
        raise ValueError("its figures make no sense")
    values = tuple(accumulate(of.values))
    if (values and values[-1] >= MOST_EXACT) or sum(of.counts) + of.censored + of.negative >= MOST_EXACT:
        raise ValueError("its figures make no sense")
    return replace(of, values=values)
