"""What a stranger may see of a run: no host, no user, no folder, and no value that somebody gave a JVM."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.flags import LEFT_OUT, text_without_secrets
from threadping.model.run import Failure, Observation, ReferencePing, Run, Stored

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
"""What a JVM's property, or an agent, was given: up to the next flag, for a value may have blanks.

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
    words.files = {file: words.argument(file) for word in said if " " in (file := _file(word))}
    return words


def _file(word: str) -> str:
    """The file that a word of a command names, where it does."""
    found = word[word.find("/") :] if re.match(r"([^\s/]*=)?/", word) else ""
    return "" if " -" in found else found


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


def without_names(record: _Anonymous, hosts: Iterable[str] = ()) -> _Anonymous:
    """A record, without these hosts and without folders in any of its texts."""
    return _Words({*hosts}, {}).record(record)


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
    """What becomes of the texts of a run, of which most are there thousands of times."""

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
        """What a trial says; the very record where there is no name in it."""
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
