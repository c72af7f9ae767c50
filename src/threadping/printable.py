"""Text that is not ours, such as the names in a stranger's run: made safe to print, in whatever format."""

import re

FORMULA = re.compile(r"[=+\-@\t\r]")
"""What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection)."""


def plain(foreign: str) -> str:
    """Make a foreign string safe to show: on one line, and without anything that moves the cursor or the direction."""
    return visible(" ".join(foreign.split()))


def visible(text: str) -> str:
    r"""Write characters that cannot be printed as a programmer does: `\x1b`, `\u202e`; line ends stay."""
    return text.translate({ord(char): _in_python(char) for char in _unprintable(text, but="\n")})


def in_json(encoded: str) -> str:
    r"""Write what cannot be printed, in JSON that is encoded already, as JSON does: `\u009b`."""
    return encoded.translate({ord(char): _in_utf16(char) for char in _unprintable(encoded, but="\n")})


def _unprintable(text: str, but: str) -> list[str]:
    return [] if text.isprintable() else [char for char in {*text} if not char.isprintable() and char not in but]


def _in_python(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # how Python keeps a byte of a name that is no UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()


def _in_utf16(char: str) -> str:
    """A character as JSON escapes it: beyond 16 bits as two."""
    encoded = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{encoded[at : at + 2].hex()}" for at in range(0, len(encoded), 2))


def in_cell(text: str) -> str:
    """Write a cell of CSV that no spreadsheet takes for a formula: with an apostrophe before what begins like one."""
    shown = visible(text).replace("\n", "\\n")
    return f"'{shown}" if FORMULA.match(shown) else shown
