"""Runs as a page, a `.run` file or a host carries them, and what a stranger may see of them.

A run, its observations and its reference pings, compressed: a first run takes 0.2 MB. The single windows and outliers
of its trials stay in the store of the machine that measured: they would make the page six times as large.
"""

import base64
import bz2
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import sub
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.base import LONGEST_WORD, Record
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.errors import PageUnreadable, cause_of
from threadping.model.files import MOST_BYTES
from threadping.model.run import NOBODY, Failure, Observation, ReferencePing, Run, Stored
from threadping.model.text import LEFT_OUT, text_without_secrets

_Anonymous = TypeVar("_Anonymous", bound=Record)
HOME = re.compile(r"(?:[A-Za-z]:)?[/\\](?:home|Users)[/\\][^/\\\s:'\"`,;()]+|(?<![\w.~/-])/root(?![\w.-])")
"""A user's home folder, which would give the user's name away."""

_PART = r"[^\s/\\:'\"`,;()<>|=]"

PATH = re.compile(
    rf"(?<![\w.~/{LEFT_OUT}-])(?!/(?:proc|sys|dev|etc)/)(?:~|[A-Za-z]:)?[/\\](?:{_PART}+[/\\])+({_PART}*)"
)
"""A file below a folder. Those of the kernel are alike everywhere, and explain what could not be seen."""

URL = re.compile(r"\b([A-Za-z][\w+.-]{0,30})://[^\s'\"`,;()]+")
PROPERTY = re.compile(r"(-D[^\s=]{1,300}=|-(?:javaagent|agentlib|agentpath):[^\s=]{1,300}=)(?:(?! -).)*", re.DOTALL)
"""The value of a JVM's property, or of an agent: up to the next flag, for a value may have blanks.

Names are bounded: in a text of nothing but `-D` each is looked for to its end.
"""


def anonymous(stored: Stored, hosts: Iterable[str]) -> Stored:
    """A run without names: of its host, and of these others. What holds none is kept itself, as almost all records."""
    words = _words_of(stored.run, hosts)
    return Stored(
        _run(stored.run, words),
        tuple(map(words.observation, stored.observations)),
        tuple(map(words.ping, stored.pings)),
    )


def nameless_run(run: Run) -> Run:
    """A run without names, as `anonymous` makes it of a whole one."""
    return _run(run, _words_of(run, {run.owner.hostname}))


def _words_of(run: Run, hosts: Iterable[str]) -> "_Words":
    known = {run.machine.hostname, *hosts} - {""}
    words = _Words(known, _labels(run, known))
    said = [*run.arguments, *(word for one in run.runtimes for word in one.command)]
    files = (word[word.find("/") :] for word in said if re.match(r"([^\s/]*=)?/", word))
    words.files = {file: words.argument(file) for file in files if " " in file and " -" not in file}
    return words


def _run(run: Run, words: "_Words") -> Run:
    bare = words.record(replace(run, machine=replace(run.machine, hostname=""), arguments=(), runtimes=()))
    commands = (tuple(map(words.argument, one.command)) for one in run.runtimes)
    return replace(
        bare,
        arguments=tuple(map(words.argument, run.arguments)),
        runtimes=tuple(
            replace(words.record(replace(one, command=())), command=command)
            for one, command in zip(run.runtimes, commands, strict=True)
        ),
    )


def _labels(run: Run, hosts: set[str]) -> dict[str, str]:
    """The runtimes by their labels without names: two that differed still do, or their trials would be one's."""
    found: dict[str, str] = {}
    for label in dict.fromkeys([*(one.label for one in run.runtimes), *(one.runtime for one in run.cases)]):
        short, number = nameless(label, hosts), 2
        while short in found.values():
            short, number = f"{nameless(label, hosts)} #{number}", number + 1
        found[label] = short
    return found


def nameless(text: str, hosts: Iterable[str] = ()) -> str:
    """A text without the folders, hosts and given values in it."""
    text = PROPERTY.sub(rf"\1{LEFT_OUT}", text_without_secrets(text))
    text = PATH.sub(rf"{LEFT_OUT}/\1", URL.sub(rf"\1://{LEFT_OUT}", HOME.sub("~", text)))
    for host in hosts if " " in text or "/" in text else ():  # in sentences and commands; a name may be a host's too
        text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", "host", text)
    return text


class _Words:
    """The texts of a run without names; most texts occur thousands of times."""

    def __init__(self, hosts: set[str], labels: dict[str, str]) -> None:
        self._hosts, self._labels = hosts, labels
        self._case: Callable[[Case], Case] = lru_cache(None)(self.record)
        self._failure: Callable[[Failure], Failure] = lru_cache(None)(self.record)
        self.text = lru_cache(None)(self._text)
        self.files: dict[str, str] = {}

    def _text(self, text: str) -> str:
        if text in self._labels:
            return self._labels[text]
        for file, short in self.files.items():  # with blanks: only a command tells where one ends
            text = text.replace(file, short)
        return nameless(text, self._hosts)

    def argument(self, word: str) -> str:
        """A word of a command: a file, with or without its option before it, may have blanks in its folders."""
        option, given, value = word.rpartition("=")
        if not re.match(r"~?[/\\]|[A-Za-z]:\\", value) and (" " in value or "://" in value or "/" not in value):
            return self.text(word)
        name = re.split(r"[/\\]", HOME.sub("~", value))[-1]
        return f"{self.text(option)}{given}{LEFT_OUT}/{name}" if name != "~" else f"{self.text(option)}{given}~"

    def observation(self, one: Observation) -> Observation:
        """Return a trial without names; the very record where there is no name in it."""
        case, lacking = self._case(one.case), tuple(map(self.text, one.lacking))
        failure = one.failure and self._failure(one.failure)
        same = (case, failure, lacking) == (one.case, one.failure, one.lacking)
        return one if same else replace(one, case=case, failure=failure, lacking=lacking)

    def ping(self, one: ReferencePing) -> ReferencePing:
        """A ping; the very record where there is no name in it."""
        return replace(one, failure=self.text(one.failure)) if one.failure else one

    def record(self, record: _Anonymous) -> _Anonymous:
        """A record, without names in any of its texts."""
        found = msgspec.convert(self._within(msgspec.to_builtins(record)), type(record), strict=False)
        return record if found == record else found

    def _within(self, stored: Any) -> Any:
        match stored:
            case str():
                return self.text(stored)
            case dict():
                return {self.text(name): self._within(value) for name, value in stored.items()}
            case list() | tuple() if stored and not isinstance(stored[0], int):
                return [self._within(value) for value in stored]
        return stored


FORMAT = 5  # It counts up with every change that a reader of today could not read
OPEN, CLOSE = '<script type="application/json" id="threadping-runs">', "</script>"
LARGEST_RUN = 256 << 20  # maximum bytes that are decompressed from all of a page: 2,000 trials take 20 MB
SLACK_BYTES, DENSEST = 2 << 20, 100
"""Maximum bytes of any run, and maximum ratio to its compressed ones: the densest real runs, matrices, have 20.

So a small file costs little, whatever it expands to.
"""

MOST_RUNS, MOST_TRIALS, MOST_PINGS = 200, 500_000, 2_000_000  # maximum of a page, and of a run
MOST_VALUES, MOST_OF_ALL = 1 << 17, 32 << 20
"""Maximum number of distinct values of a distribution (a probe's recorder has at most 35,000), and of all in a page."""

MOST_EXACT = 1 << 53  # As nanoseconds, 104 days: floating-point arithmetic with such numbers is exact
MOST_OF_FIGURES = 1e30  # Variances of rank sums have the most
PAGE_DAMAGE = (ValueError, RecursionError, OSError, EOFError, ArithmeticError, LookupError, MemoryError)


class Packed(Record, frozen=True):
    """A run in a page: compressed, in base64, with its digest."""

    sha256: str
    data: str


class Format(Record, frozen=True):
    """The number of the format that the rest is in."""

    format: int


class Envelope(Record, frozen=True):
    """All that a page carries."""

    format: int
    runs: Annotated[tuple[Packed, ...], Meta(max_length=MOST_RUNS)]


class Parts(Record, frozen=True):
    """A run before its parts are read: each is read by itself, and counted."""

    run: msgspec.Raw
    observations: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=MOST_TRIALS)]
    pings: Annotated[tuple[ReferencePing, ...], Meta(max_length=MOST_PINGS)]


def carry_run(stored: Stored, *, identify: bool = False) -> Stored:
    """Return what a page of a run carries; without `identify` nothing that names a machine or a folder."""
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
    """Return the answer that may be given away: it names the host, which distinguishes files, and no folder."""
    machine, kept = answer.run.machine, anonymous(answer.stored, {answer.run.owner.hostname})
    named = replace(kept.run, machine=replace(kept.run.machine, hostname=machine.hostname))
    return analyse_carried(answer, replace(kept, run=named))


def embed_runs(runs: Sequence[Stored]) -> str:
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
        raise PageUnreadable(page, "it contains no run: `threadping report` did not make it, or it was cut off")
    parts = [one.partition(CLOSE.encode()) for one in carried]
    is_page = before.strip()  # what is no page holds runs alone, those of several files where they were put together
    if not all(whole and (is_page or not rest.strip()) for _, whole, rest in parts):
        raise PageUnreadable(page, "its end is missing. Copy it again")
    packed: list[Packed] = []
    try:
        for data, _, _ in parts:
            if (given := msgspec.json.decode(data, type=Format).format) != FORMAT:
                why = f"{'a newer' if given > FORMAT else 'an older'} threadping made it (format {given})"
                raise PageUnreadable(page, f"{why}. Use that version: this one reads format {FORMAT}")
            packed.extend(msgspec.json.decode(data, type=Envelope).runs)
        if len(packed) > MOST_RUNS:
            raise ValueError(f"more than {MOST_RUNS} runs")
        runs = list(_runs(packed))
    except PAGE_DAMAGE as error:
        raise PageUnreadable(page, f"the run in it was changed ({cause_of(error)}). Ask for another copy") from error
    if not runs:
        raise PageUnreadable(page, "it contains no run")
    return runs


def _runs(packed: Sequence[Packed]) -> Iterator[Stored]:
    """Read runs, all of them together within the bounds; raise a ValueError for one that is beyond them, or damaged."""
    bytes_left, values_left = LARGEST_RUN, MOST_OF_ALL
    decode = msgspec.msgpack.Decoder(Observation).decode
    for one in packed:
        data, bounded = base64.b64decode(one.data, validate=True), bz2.BZ2Decompressor()
        if hashlib.sha256(data).hexdigest() != one.sha256:
            raise ValueError("its digest does not match")
        encoded = bounded.decompress(data, min(bytes_left, SLACK_BYTES + DENSEST * len(data)))
        if not bounded.eof:
            raise ValueError("it is too large, or ends too soon")
        bytes_left -= len(encoded)
        parts = msgspec.msgpack.decode(encoded, type=Parts)
        run, seen = msgspec.msgpack.decode(parts.run, type=Run), list[Observation]()
        check_run(run)
        for part in parts.observations:
            seen.append(decode(part))
            values_left -= sum(len(of.values) for of in seen[-1].distributions.values())
            if values_left < 0:
                raise ValueError("it has more figures than any run")
            if any(abs(figure) > MOST_OF_FIGURES for figure in seen[-1].figures.values()):
                raise ValueError("its values contradict each other")
            check_texts(*_texts(seen[-1].case), *(of.unit for of in seen[-1].distributions.values()))
        yield _changed(Stored(run, tuple(seen), parts.pings), _from_steps)


def check_run(run: Run) -> None:
    """Raise a ValueError where a run that came from elsewhere cannot have ended so, or on such a machine."""
    if run.status == "running":
        raise ValueError("its status is `running`")
    topology = run.machine.topology
    cpus = [one.cpu for one in topology.cpus]
    check_texts(topology.source, *(text for case in (*run.cases, *run.left_out) for text in _texts(case)))
    if len(set(cpus)) < len(cpus) or not {*topology.allowed} <= {*cpus}:
        raise ValueError("its machine has CPUs twice, or may use some that it has not")


def _texts(case: Case) -> Iterator[str]:
    yield from (text for pair in case.params.items() for text in pair if isinstance(text, str))


def check_texts(*texts: str) -> None:
    """Raise a ValueError where one is longer than any name, of those that the contract does not bound."""
    if any(len(text) > LONGEST_WORD for text in texts):
        raise ValueError("a name in it is longer than any")


def _changed(one: Stored, change: Callable[[Distribution], Distribution]) -> Stored:
    seen = (
        replace(seen, distributions={name: change(of) for name, of in seen.distributions.items()})
        for seen in one.observations
    )
    return replace(one, observations=tuple(seen))


def _in_steps(of: Distribution) -> Distribution:
    """Store the step from each value to the next in place of the values: most are alike, so it takes a third less."""
    return replace(of, values=tuple(map(sub, of.values, (0, *of.values))))


def _from_steps(of: Distribution) -> Distribution:
    """Read what was stored in steps; a ValueError where values do not ascend, lack a count, or are too many."""
    if len(of.values) > MOST_VALUES or 0 in of.values[1:] or len(of.values) != len(of.counts):
        raise ValueError("its values contradict each other")
    values = tuple(accumulate(of.values))
    if (values and values[-1] >= MOST_EXACT) or sum(of.counts) + of.censored + of.negative >= MOST_EXACT:
        raise ValueError("its values contradict each other")
    return replace(of, values=values)
