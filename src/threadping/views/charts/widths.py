"""How wide a text is at most, without a font at hand: who reads a page may have another one than who wrote it."""

REGULAR = {
    0.3: "'IJijl",
    0.35: r" ,./:;\|",
    0.4: "()-[]ft",
    0.45: "!r",
    0.5: '"*_`',
    0.55: "?csz",
    0.6: "FLkvxy",
    0.65: "$0123456789EPSTYabdeghnopqu{}\N{MICRO SIGN}",
    0.7: "ABCKRVXZ",
    0.75: "NU",
    0.8: "&DGHOQ",
    0.85: "#+<=>^w~",
    0.9: "M",
}
"""Of DejaVu Sans, the widest font that browsers fall back to: which characters are at most so wide, in its size."""

BOLD = {
    0.35: " 'ijl",
    0.4: r",./:;IJ\|",
    0.45: "-f",
    0.5: "!()[]_`rt",
    0.55: '"*',
    0.6: "?csz",
    0.65: "Lx",
    0.7: "$0123456789EFTaekovy",
    0.75: "CPSYZbdghnpqu{}\N{MICRO SIGN}",
    0.8: "ABKRVX",
    0.85: "#+<=>DGHNU^~",
    0.9: "&OQ",
    0.95: "w",
}

WIDEST = 1.15
"""An ellipsis, `m`, `W`, `%`, `@`, and what is in no table. Letters of East Asia are as wide as high."""

WIDTHS, BOLD_WIDTHS = (
    {character: width for width, characters in table.items() for character in characters} for table in (REGULAR, BOLD)
)


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text of this size is at most, in the unit of the size."""
    widths = BOLD_WIDTHS if bold else WIDTHS
    return size * sum(widths.get(character, WIDEST) for character in text)


def fitting(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """A text that is at most so wide, with an ellipsis at its end where something is left out."""
    if width_of(text, size, bold=bold) <= room:
        return text
    left = room - width_of("…", size, bold=bold)
    end = len(text)
    while end and width_of(text[:end], size, bold=bold) > left:
        end -= 1
    return f"{text[:end].rstrip()}…"
