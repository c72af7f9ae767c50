"""Charts as SVG inside a page: its colours follow the page's scheme, its legend is the page's."""

import re
from copy import deepcopy
from typing import Any

from threadping.views.charts import style

OF_PAGE = {style.INK: "currentColor", style.FAINT: "var(--faint)", style.GRID: "var(--grid)"}

NOISE = re.compile(
    r' (?:aria-\w+|pointer-events|font-family|role|stroke-miterlimit|xmlns(?::xlink)?|version)="[^"]*"'
    r'| opacity="1"| font-size="12px"'
)
EMPTY = re.compile(r'<path class="(back|fore)ground"[^>]*/>')
DIGITS = re.compile(r"(\.\d\d)\d+")
COLOUR = re.compile(r'(fill|stroke)="#0000([0-9a-f]{2})"')
KEYS = dict(zip(style.SHAPES, "●■▲◆✚▼▶◀", strict=True))


def inline(panel: style.Json, title: str) -> str:
    """Draw a panel for a page, without its legend; colours of its legend's places have the class `s0`, `s1`, …."""
    import vl_convert

    made = style.top({**_numbered(deepcopy(panel)), "background": None, "padding": 4})
    svg = EMPTY.sub("", vl_convert.vegalite_to_svg(made))
    svg = re.sub(r"<[^>]*>", lambda tag: DIGITS.sub(r"\1", NOISE.sub("", tag[0])), svg)
    for colour, variable in OF_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    svg = COLOUR.sub(lambda found: f'{found[1]}="var(--c{place(found[2])})" class="s{int(found[2], 16)}"', svg)
    size = re.search(r' width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None, "an SVG begins with its size"
    return svg.replace(size[0], ' role="img"', 1).replace(">", f"><title>{_escaped(title)}</title>", 1)


def place(number: str) -> int:
    """Which of the colours a place of a legend, in hexadecimal, has."""
    return int(number, 16) % len(style.COLOURS)


def _numbered(made: Any) -> Any:
    """Colours by their place in the legend, so that what each is of can be told from the picture."""
    if isinstance(made, dict):
        looks_of = [one for name in ("color", "shape") if isinstance(one := made.get(name), dict) and "scale" in one]
        for one in looks_of:
            one["legend"] = None
        for scale in [one["scale"] for one in looks_of if one is made.get("color")]:
            looks = scale["range"]
            every = [looks[number % len(looks)] for number in range(len(scale["domain"]))]
            scale["range"] = [
                f"#0000{number:02x}" if colour in style.COLOURS else colour for number, colour in enumerate(every)
            ]
        for one in made.values():
            _numbered(one)
    elif isinstance(made, list):
        for one in made:
            _numbered(one)
    return made


def _escaped(text: str) -> str:
    from markupsafe import escape

    return str(escape(text))
