"""Flags as they are given, and those of virtual machines as they may be shown and stored: without secrets."""

import re
import shlex
from collections.abc import Iterable, Mapping

from threadping.model.errors import UsageError

LEFT_OUT = "\N{HORIZONTAL ELLIPSIS}"  # in place of a secret value

# Properties that change how a JVM runs threads, if their value is a number or a switch
_TUNES_THE_JVM = r"(?:jdk|java\.util\.concurrent|threadping)\.[\w.-]{1,200}=(?:\d+|true|false)"

_SECRET = re.compile(  # start of a value that may be a password: of a property, an agent's options, a command
    rf"-D(?!{_TUNES_THE_JVM}(?![^\s'\"]))[^=\s'\"]{{1,200}}="
    r"|-(?:javaagent|agentlib|agentpath):[^=\s'\"]{1,1000}="
    r"|-Xrun\w+:"
    r"|-XX:On(?:OutOfMemory)?Error="
)

_VALUE = r"(?:\"[^\"]*\"|'[^']*'|\\.|[^\s'\"\\])*"
_IN_TEXT = re.compile(
    rf"(?P<quote>['\"])(?P<quoted>{_SECRET.pattern})(?:\\.|(?!(?P=quote)).)*|(?P<plain>{_SECRET.pattern}){_VALUE}"
)


def shell_words(what: str, text: str) -> tuple[str, ...]:
    """Split a text as a shell does; raise UsageError, which names it, if that fails."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{what} '{text}' cannot be read: {error}.") from error


def without_secrets(flag: str) -> str:
    """Remove the value of a flag if it may be secret: `-Ddb.password=…`, `-javaagent:agent.jar=…`."""
    found = _SECRET.match(flag)
    return f"{found[0]}{LEFT_OUT}" if found else flag


def text_without_secrets(text: str) -> str:
    """Remove such values from a text with flags, such as a command line or a JVM's output."""
    return _IN_TEXT.sub(lambda found: f"{found['quote'] or ''}{found['quoted'] or found['plain']}{LEFT_OUT}", text)


# Variables that change the C library of every probe: its functions, mutexes, allocator
_OF_ALL = r"LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|GLIBC_TUNABLES|MALLOC_\w+"

_OF_LANGUAGES = (  # variables that change the runtime of a custom probe: its threads, collector, compiler
    r"GO(?:MAXPROCS|GC|DEBUG|MEMLIMIT)|NODE_OPTIONS|UV_THREADPOOL_SIZE|PYTHON(?:_GIL|GIL|_JIT|MALLOC)"
    r"|(?:DOTNET|COMPlus)_(?!ROOT|CLI_|NOLOGO)\w+"
)

MOST_OF_VALUE = 80  # characters kept of such a variable; of libraries their file names


def variables_that_count(environment: Mapping[str, str], *, own_probe: bool = False) -> list[str]:
    """Return what the environment sets below a probe, such as `LD_PRELOAD=libjemalloc.so.2`."""
    counts = f"{_OF_ALL}|{_OF_LANGUAGES}" if own_probe else _OF_ALL
    names = sorted(name for name, value in environment.items() if re.fullmatch(counts, name) and value.strip())
    # Files are named without their folders, between colons
    values = {name: ",".join(re.sub(r"[^\s:]*/", "", environment[name]).split()) for name in names}
    return [f"{name}={value[:MOST_OF_VALUE]}" for name, value in values.items()]


def variables_in(version: str) -> list[str]:
    return re.findall(rf"(?<!\S)(?:{_OF_ALL}|{_OF_LANGUAGES})=\S+", version)


def added(label: str, command: Iterable[str]) -> tuple[str, ...]:
    """Return the flags of a JVM's label that its command lacks: the environment adds them."""
    own = {word for flag in command for word in without_secrets(flag).split()}
    return tuple(word for word in label.split()[1:] if word not in own)
