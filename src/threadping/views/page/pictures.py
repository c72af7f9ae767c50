"""Charts as SVG inside a page: its colours follow the page's scheme, its legend is the page's."""

import atexit
import re
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from itertools import cycle
from subprocess import PIPE, Popen
from typing import Any

import msgspec
from markupsafe import Markup, escape

from threadping.errors import OutputUnwritable
from threadping.views.charts import style

OF_PAGE = {style.INK: "currentColor", style.FAINT: "var(--faint)", style.GRID: "var(--grid)"}

NOISE = re.compile(
    r' (?:aria-\w+|pointer-events|font-family|role|stroke-miterlimit|xmlns(?::xlink)?|version)="[^"]*"'
    r'| opacity="1"| font-size="-?12px"|(?<= font-size=")-'
)
EMPTY = re.compile(r'<path class="(back|fore)ground"[^>]*/>')
DIGITS = re.compile(r"(\.\d\d)\d+")
SVG_COLOUR = re.compile(r'(fill|stroke)="#0000([0-9a-f]{2})"')

LARGER = 1.2
"""A page shows charts by so much larger than they are as files, where it has room."""

KEYS = "●■▲◆✚▼▶◀"
"""Of the shapes, in their order."""


def legend(chart: style.Chart) -> list[tuple[int, str, str]]:
    """The place of each entry that has a use, its shape, where the chart has several, and the entry."""
    layers = [layer for panel in chart.panels for layer in panel.get("layer", [panel])]
    keys = KEYS if any("shape" in layer.get("encoding", {}) for layer in layers) else KEYS[:1]
    return [(place, key, one) for place, (one, key) in enumerate(zip(chart.legend, cycle(keys), strict=False)) if one]


DrawnChart = tuple[style.Chart, Sequence[Future[Markup]]]
"""A chart, and its panels as SVG."""

_beside = ThreadPoolExecutor(1)
"""What waits for pictures while the rest of a page is made."""


def begin() -> None:
    """Start the engine, which takes a third of a second, before there is anything to draw."""
    inline({"mark": "point"}, "")


def drawn(charts: Sequence[style.Chart]) -> list[DrawnChart]:
    """Draw charts for a page, each panel while the rest of the page is made."""
    return [(chart, [inline(panel, chart.title) for panel in chart.panels]) for chart in charts]


def inline(panel: style.Json, title: str) -> Future[Markup]:
    """Draw a panel for a page, without its legend; colours of its legend's places have the class `s0`, `s1`, …."""
    return _beside.submit(_drawn, panel, title)


@cache
def _engine() -> Popen[bytes]:
    """Vega in a process of its own, which ends with this one: the binding keeps the interpreter's lock as it draws."""
    engine = Popen([sys.executable, "-m", __name__], stdin=PIPE, stdout=PIPE, start_new_session=True)
    atexit.register(engine.communicate)
    return engine


def _drawn(panel: style.Json, title: str) -> Markup:
    engine = _engine()
    assert engine.stdin is not None and engine.stdout is not None
    with suppress(BrokenPipeError):
        engine.stdin.write(msgspec.json.encode((panel, title)) + b"\n")
        engine.stdin.flush()
    if not (drawn := engine.stdout.readline()):
        raise OutputUnwritable(f"The page has no charts: the process that draws them ended ({engine.wait()}).")
    return Markup(msgspec.json.decode(drawn, type=str))


def _inline(panel: style.Json, title: str) -> Markup:
    import vl_convert

    made = style.top({**_numbered(panel), "background": None, "padding": 4})
    svg = EMPTY.sub("", vl_convert.vegalite_to_svg(made))
    svg = re.sub(r"<[^>]*>", lambda tag: DIGITS.sub(r"\1", NOISE.sub("", tag[0])), svg)
    for colour, variable in OF_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    svg = SVG_COLOUR.sub(lambda found: f'{found[1]}="var(--c{place(found[2])})" class="s{int(found[2], 16)}"', svg)
    size = re.search(r' width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None, "an SVG begins with its size"
    image = f' role="img" width="{LARGER * float(size[1]):.0f}"'
    return Markup(svg.replace(size[0], image, 1).replace(">", f"><title>{escape(title)}</title>", 1))


def place(number: str) -> int:
    """Which of the colours a place of a legend, in hexadecimal, has."""
    return int(number, 16) % len(style.COLOURS)


def _numbered(made: Any) -> Any:
    """Colours by their place in the legend, so that the picture says what each is of.

    Texts of marks get a size below 0, which NOISE takes back: the engine measures such a text as empty, and opens the
    font's file for each letter of others, which took half of the time of drawing. Their place must not depend on it.
    """
    numbers: list[str] = []
    if isinstance(made, dict):
        if made.get("type") == "text":
            made["fontSize"] = -made.get("fontSize", style.CONFIG["text"]["fontSize"])
        looks_of = [one for name in ("color", "shape") if isinstance(one := made.get(name), dict) and "scale" in one]
        for one in looks_of:
            one["legend"] = None
        scale = (made["color"]["scale"] if made.get("color") in looks_of else None) or {}
        if "domain" in scale and set(looks := scale.get("range", [""])) <= set(style.COLOURS):
            for number in range(len(scale["domain"])):
                among = style.COLOURS.index(looks[number % len(looks)])
                numbers.append(f"#0000{number - number % len(style.COLOURS) + among:02x}")
            scale["range"] = numbers
        for one in made.values():
            _numbered(one)
    elif isinstance(made, list):
        for one in made:
            _numbered(one)
    return made


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(str(_inline(*msgspec.json.decode(line)))) + b"\n")
        sys.stdout.buffer.flush()
