r"""Text for terminals that cannot print all of it: every character of ours has a stand-in of ASCII.

Bytes of a name that are no UTF-8, which Python keeps as halves of surrogate pairs, are shown as `\xe9`.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Any

STAND_INS = {
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
    "✓": "ok",
    "✗": "x",
    "⚪": "(white)",
    "🔴": "(red)",
    "🟡": "(yellow)",
    "🟢": "(green)",
    "\N{REPLACEMENT CHARACTER}": "?",
}
"""Of every character that is printed, ours and rich's: a test looks for more."""

LEGIBLE = "threadping-legible"
"""The name of the error handler that takes a stand-in for what an encoding does not have."""

UNKNOWN, FIRST_BYTE = "?", 0xDC00


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


def _stand_in(char: str) -> str:
    byte = ord(char) - FIRST_BYTE
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else STAND_INS.get(char, UNKNOWN)


def _stand_ins(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_stand_in, error.object[error.start : error.end])), error.end


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
