r"""Text made fit to print: for terminals that cannot print all of ours, and where a stranger wrote it.

Every character of ours has a stand-in of ASCII. Bytes of a name that are no UTF-8, which Python keeps as halves of
surrogate pairs, are shown as `\xe9`.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

STAND_INS = {  # of every printed character, ours and rich's: a test looks for more
    "±": "+-",
    "µ": "u",
    "·": ".",
    "×": "x",  # noqa: RUF001
    "–": "-",  # noqa: RUF001
    "…": "...",
    "‹": "<",  # noqa: RUF001
    "›": ">",  # noqa: RUF001
    "→": "->",
    "⇄": "<>",
    **dict.fromkeys("─━╸╺", "-"),
    "│": "|",
    "┼": "+",
    **dict(zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)),
    "▀": "#",
    "░": ".",
    "▒": ":",
    "■": "#",
    "▲": "^",
    "▶": ">",
    "▼": "v",
    "◀": "<",
    "◆": "*",
    "●": "o",
    "✚": "+",
    "≈": "~",
    "✓": "ok",
    "✗": "x",
    "⚪": "(white)",
    "🔴": "(red)",
    "🟡": "(yellow)",
    "🟢": "(green)",
    "\N{REPLACEMENT CHARACTER}": "?",
}

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
        shown += f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else STAND_INS.get(char, UNKNOWN)
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


def escape(text: str) -> str:
    r"""Write characters that cannot be printed as a programmer does: `\x1b`, `\u202e`; line ends stay."""

    def escaped(char: str) -> str:
        shown = visible(char)
        return str(shown) if shown.isascii() and shown.isprintable() else char.encode("unicode_escape").decode()

    return _rewritten(text, escaped)


def in_json(encoded: str) -> str:
    r"""Write what cannot be printed, in JSON that is encoded already, as JSON does: `\u009b`."""

    def escaped(char: str) -> str:  # beyond 16 bits two escapes
        halves = char.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{halves[at : at + 2].hex()}" for at in range(0, len(halves), 2))

    return _rewritten(encoded, escaped)


def in_cell(text: str) -> str:
    """Write a cell of CSV that no spreadsheet takes for a formula: with an apostrophe before what begins like one."""
    shown = escape(text).replace("\n", "\\n")
    return f"'{shown}" if FORMULA.match(shown) else shown


def _rewritten(text: str, write: Callable[[str], str]) -> str:
    """Apply `write` to each character that moves a cursor or the direction of text, or is invisible; line ends stay."""
    if text.isprintable():
        return text  # a run has 30 MB
    return text.translate({ord(char): write(char) for char in {*text} if not char.isprintable() and char != "\n"})
