r"""Text that is printed or stored: characters that a terminal lacks, flags without secrets, commands to type.

Each of our characters has an ASCII substitute. Bytes of a name that are no UTF-8, which Python keeps as halves of
surrogate pairs, are shown as `\xe9`.
"""

import codecs
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from threadping.model.errors import UsageError


@cache
def stand_ins() -> dict[str, str]:
    """Return what is printed in place of each of our characters, and rich's: a test looks for more."""
    lines = Path(__file__).with_name("stand_ins.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines)


LEGIBLE = "threadping-legible"  # name of the error handler that replaces characters an encoding lacks
UNKNOWN, FIRST_BYTE = "?", 0xDC00
FORMULA = re.compile(r"[=+\-@\t\r]")  # start of a formula in a spreadsheet (OWASP, CSV injection)


def visible(record: Any) -> Any:
    r"""Show the bytes of names that are no UTF-8, `ch\xe9.svg`, in a text or in all texts of a tree of JSON."""
    match record:
        case str():
            return record.encode("utf-8", LEGIBLE).decode()
        case dict():
            return {visible(name): visible(value) for name, value in record.items()}
        case list() | tuple():
            return [visible(value) for value in record]
    return record


def _stand_ins(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    shown = ""
    for char in error.object[error.start : error.end]:
        byte = ord(char) - FIRST_BYTE
        shown += f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else stand_ins().get(char, UNKNOWN)
    return shown, error.end


codecs.register_error(LEGIBLE, _stand_ins)


def in_columns(parts: Iterable[str], encoding: str) -> Iterator[str]:
    """Parts of a line in an encoding; columns stay where they are: what is longer takes of the blanks behind it."""
    longer = 0

    def shortened(blanks: re.Match[str]) -> str:
        nonlocal longer
        taken = min(longer, len(blanks[0]) - 1)
        longer -= taken
        return " " * (len(blanks[0]) - taken)

    for part in parts:
        words = []
        for piece in re.split(r"( {2,})", part):
            if piece.startswith("  "):
                words.append(re.sub(" +", shortened, piece))
            else:
                words.append(piece.encode(encoding, LEGIBLE).decode(encoding))
                longer += len(words[-1]) - len(piece)
        yield "".join(words)


def plain(foreign: str) -> str:
    """Make a foreign string safe to show: on one line, and without anything that moves the cursor or the direction."""
    return escape(" ".join(foreign.split()))


def digest_of(*words: str) -> str:
    """Return 64 bits of a hash, which tell as many things apart as there will be."""
    import hashlib  # OpenSSL takes 15 ms that `--version`, and who reads a store, do not wait for

    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def escape(text: str) -> str:
    r"""Write characters that cannot be printed as a programmer does: `\x1b`, `\u202e`; line ends stay."""

    def escaped(char: str) -> str:
        shown = visible(char)
        return str(shown) if shown.isascii() and shown.isprintable() else char.encode("unicode_escape").decode()

    return text if text.isprintable() else _rewritten(text, escaped)


def in_json(encoded: str) -> str:
    r"""Write what cannot be printed, in JSON that is encoded already, as JSON does: `\u009b`."""

    def escaped(char: str) -> str:  # beyond 16 bits two escapes
        halves = char.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{halves[at : at + 2].hex()}" for at in range(0, len(halves), 2))

    return encoded if encoded.isprintable() else _rewritten(encoded, escaped)  # a run has 30 MB


def in_cell(text: str) -> str:
    """Write a cell of CSV that no spreadsheet takes for a formula: with an apostrophe before what begins like one."""
    shown = escape(text).replace("\n", "\\n")
    return f"'{shown}" if FORMULA.match(shown) else shown


def _rewritten(text: str, write: Callable[[str], str]) -> str:
    """Apply `write` to each character that moves a cursor or the direction of text, or is invisible; line ends stay."""
    return text.translate({ord(char): write(char) for char in {*text} if not char.isprintable() and char != "\n"})


LEFT_OUT = "\N{HORIZONTAL ELLIPSIS}"  # in place of a secret value

# Properties that change how a JVM runs threads, if their value is a number or a switch
_TUNES_THE_JVM = r"(?:jdk|java\.util\.concurrent|threadping)\.[\w.-]{1,200}=(?:\d+|true|false)"

_SECRET = (  # start of a value that may be a password: of a property, an agent's options, a command
    rf"-D(?!{_TUNES_THE_JVM}(?![^\s'\"]))[^=\s'\"]{{1,200}}="
    r"|-(?:javaagent|agentlib|agentpath):[^=\s'\"]{1,1000}="
    r"|-Xrun\w+:"
    r"|-XX:On(?:OutOfMemory)?Error="
)

_VALUE = r"(?:\"[^\"]*\"|'[^']*'|\\.|[^\s'\"\\])*"
_IN_TEXT = rf"(?P<quote>['\"])(?P<quoted>{_SECRET})(?:\\.|(?!(?P=quote)).)*|(?P<plain>{_SECRET}){_VALUE}"


def shell_words(what: str, text: str) -> tuple[str, ...]:
    """Split a text as a shell does; raise UsageError, which names it, if that fails."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{what} '{text}' cannot be read: {error}.") from error


def without_secrets(flag: str) -> str:
    """Remove the value of a flag if it may be secret: `-Ddb.password=…`, `-javaagent:agent.jar=…`."""
    found = re.match(_SECRET, flag)
    return f"{found[0]}{LEFT_OUT}" if found else flag


def text_without_secrets(text: str) -> str:
    """Remove such values from a text with flags, such as a command line or a JVM's output."""
    return re.sub(_IN_TEXT, lambda found: f"{found['quote'] or ''}{found['quoted'] or found['plain']}{LEFT_OUT}", text)


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


STORELESS = ("ping", "info", "new", "completion", "help")  # commands that open no store
_named_store: list[str] = []  # words that name this process's store; none if it is the user's own or the environment's


def keep_store(location: str | None) -> None:
    """Have every proposed command name this store; None is the default."""
    without_password = re.sub(r"(?<=://)([^:/@]*):[^/]*@", r"\1@", location or "")
    _named_store[:] = ["--store", without_password] if location else []


_verbosity = [0]  # -1 where only the answer is wanted, 1 where each trial is named


def keep_verbosity(level: int) -> None:
    """Have standard error name each trial (1), or nothing but errors (-1)."""
    _verbosity[0] = level


def verbosity() -> int:
    return _verbosity[0]


def proposed(name: str, *words: str) -> str:
    """Return a command with its words, quoted for a shell."""
    without_store = name in STORELESS or {"--store", "--help"} & {*words}
    return shlex.join(["threadping", name, *words, *([] if without_store else _named_store)])


def made_literal(text: str, run: int = 0) -> str:
    """Return a text whose commands can be typed: RUN becomes the run's number, or `last`; the store is named."""

    def literal(quoted: re.Match[str]) -> str:
        try:
            name, *words = shlex.split(quoted[1])
        except ValueError:  # quoted of somebody
            return quoted[0]
        return f"`{proposed(name, *(str(run or 'last') if word == 'RUN' else word for word in words))}`"

    return re.sub(r"`threadping ([^`]+)`", literal, text)
