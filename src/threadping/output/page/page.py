"""The page: articles, their pictures, and the runs that it carries."""

import atexit
import base64
import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from importlib.resources import files
from itertools import cycle, pairwise
from subprocess import PIPE, Popen
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from rich.text import Span, Text

from threadping.model.errors import OutputUnwritable
from threadping.model.run import Stored
from threadping.output import charts
from threadping.output.bundle import embed_runs
from threadping.output.layout import Article, Block, Chart, Json, Lead, Section
from threadping.output.printing import NO_DEFINITIONS, Definitions, flat

OF_PAGE = {charts.INK: "currentColor", charts.FAINT: "var(--faint)", charts.GRID: "var(--grid)"}

NOISE = re.compile(
    r' (?:aria-\w+|pointer-events|font-family|role|stroke-miterlimit|xmlns(?::xlink)?|version)="[^"]*"'
    r'| opacity="1"| font-size="-?12px"|(?<= font-size=")-'
)
EMPTY = re.compile(r'<path class="(back|fore)ground"[^>]*/>')
DIGITS = re.compile(r"(\.\d\d)\d+")
SVG_COLOUR = re.compile(r'(fill|stroke)="#0000([0-9a-f]{2})"')
LARGER = 1.2  # factor by which a page enlarges charts, where they fit
KEYS = "●■▲◆✚▼▶◀"  # signs of the shapes, in their order


def legend(chart: Chart) -> list[tuple[int, str, str]]:
    layers = [layer for panel in chart.panels for layer in panel.get("layer", [panel])]
    keys = KEYS if any("shape" in layer.get("encoding", {}) for layer in layers) else KEYS[:1]
    return [(place, key, one) for place, (one, key) in enumerate(zip(chart.legend, cycle(keys), strict=False)) if one]


_beside = ThreadPoolExecutor(1)  # waits for pictures while the rest of a page is made


def begin() -> None:
    """Start the engine, which takes a third of a second, before there is anything to draw."""
    _beside.submit(_drawn, {"mark": "point"}, "")


def drawn(chart: Chart) -> tuple[Chart, Sequence[Future[Markup]]]:
    return chart, [_beside.submit(_drawn, panel, chart.title) for panel in chart.panels]


@cache
def _engine() -> Popen[bytes]:
    """Vega in a process of its own, which ends with this one: the binding keeps the interpreter's lock as it draws."""
    engine = Popen([sys.executable, "-m", __name__], stdin=PIPE, stdout=PIPE, start_new_session=True)
    atexit.register(engine.communicate)
    return engine


def _drawn(panel: Json, title: str) -> Markup:
    """Draw a panel for a page, without its legend; colours of its legend's places have the class `s0`, `s1`, …."""
    engine = _engine()
    assert engine.stdin is not None and engine.stdout is not None
    with suppress(BrokenPipeError):
        engine.stdin.write(msgspec.json.encode((panel, title)) + b"\n")
        engine.stdin.flush()
    if not (drawn := engine.stdout.readline()):
        raise OutputUnwritable(f"The page has no charts: the process that draws them ended ({engine.wait()}).")
    return Markup(msgspec.json.decode(drawn, type=str))


def _inline(panel: Json, title: str) -> Markup:
    import vl_convert

    made = charts.top({**_numbered(panel), "background": None, "padding": 4})
    svg = EMPTY.sub("", vl_convert.vegalite_to_svg(made))
    svg = re.sub(r"<[^>]*>", lambda tag: DIGITS.sub(r"\1", NOISE.sub("", tag[0])), svg)
    for colour, variable in OF_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    svg = SVG_COLOUR.sub(
        lambda at: f'{at[1]}="var(--c{int(at[2], 16) % len(charts.COLOURS)})" class="s{int(at[2], 16)}"', svg
    )
    size = re.search(r' width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None, "an SVG begins with its size"
    image = f' role="img" width="{LARGER * float(size[1]):.0f}"'
    return Markup(svg.replace(size[0], image, 1).replace(">", f"><title>{escape(title)}</title>", 1))


def _numbered(made: Any) -> Any:
    """Colours by their place in the legend, so that the picture says what each is of.

    Texts of marks get a size below 0, which NOISE takes back: the engine measures such a text as empty, and opens the
    font's file for each letter of others, which took half of the time of drawing. Their place must not depend on it.
    """
    numbers: list[str] = []
    if isinstance(made, dict):
        if made.get("type") == "text":
            made["fontSize"] = -made.get("fontSize", charts.CONFIG["text"]["fontSize"])
        looks_of = [one for name in ("color", "shape") if isinstance(one := made.get(name), dict) and "scale" in one]
        for one in looks_of:
            one["legend"] = None
        scale = (made["color"]["scale"] if made.get("color") in looks_of else None) or {}
        if "domain" in scale and set(looks := scale.get("range", [""])) <= set(charts.COLOURS):
            for number in range(len(scale["domain"])):
                among = charts.COLOURS.index(looks[number % len(looks)])
                numbers.append(f"#0000{number - number % len(charts.COLOURS) + among:02x}")
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


MEASURED_APART = "Measured apart: machines, and days on one machine, differ in more than what is compared here."
MOST_SWITCHES = 56  # maximum number of lines of a chart that look different, and can be switched off


def page(
    articles: Sequence[Article], together: Sequence[Section], carried: Sequence[Stored], words: Definitions
) -> str:
    with ThreadPoolExecutor(1) as executor:  # compressing holds no lock of the interpreter
        packed = executor.submit(embed_runs, carried)
        return fill(
            "page.html",
            # a rule for each place of a legend: what is not checked is not drawn. So no script is needed for it
            "\n".join(f'figure:has([value="{n}"]:not(:checked)) .s{n}{{display:none}}' for n in range(MOST_SWITCHES)),
            title=" | ".join(one.title for one in articles),
            articles=[(one, [(each, [*map(drawn, each.charts)]) for each in one.sections]) for one in articles],
            together=together,
            apart=MEASURED_APART,
            printed=partial(as_html, words=words),
            linked=lambda text: Markup(words.with_links(str(escape(text)))),
            carried=Markup(packed.result()),
        )


def fill(template: str, rules: str, **fields: Any) -> str:
    """Fill a template with its fields; `rules` of its style are its own."""
    folder = files(__package__)
    style_sheet = (folder / "page.css").read_text("utf-8") + rules
    script = (folder / "page.js").read_text("utf-8")
    hashes = {"style": _hash(style_sheet), "script": _hash(script)}
    fields |= {"css": Markup(style_sheet), "js": Markup(script), "hashes": hashes}
    return _environment().get_template(template).render(legend=legend, **fields)


@cache
def _environment() -> Environment:
    loader = PackageLoader("threadping", "output/page")
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def as_html(blocks: Iterable[Block], label: str = "", words: Definitions = NO_DEFINITIONS) -> Markup:
    """Write blocks below each other; a table is called by its label; `words` are defined where they appear."""
    parts = [Text(one.text, one.style) if isinstance(one, Lead) else one for one in flat(blocks)]
    html = _environment().get_template("blocks.html").render(blocks=parts, label=label, words=words, styled=_styled)
    return Markup(words.with_links(html.rstrip("\n")))


LINK = "link "  # the beginning of a style that is an address


def _styled(text: Text | str) -> Markup:
    """Write a text with its styles as classes; blanks at its beginning, which only align it on a terminal, go."""
    text = Text(text) if isinstance(text, str) else text
    spans = [Span(0, len(text), text.style), *text.spans] if text.style else text.spans
    ends = sorted({0, len(text), *(end for span in spans for end in (span.start, span.end) if end <= len(text))})
    written = ""
    for begin, end in pairwise(ends):
        if not written and not text.plain[begin:end].strip():
            continue
        every = [str(span.style) for span in spans if span.start <= begin and end <= span.end]
        styles = " ".join(one for one in every if not one.startswith(LINK))
        piece = str(escape(text.plain[begin:end]))
        piece = f"<i>{piece}</i>" if styles == "dim" else f'<b class="{styles}">{piece}</b>' if styles else piece
        address = next((one.removeprefix(LINK) for one in every if one.startswith(LINK)), None)
        written += f'<a href="{escape(address)}" rel="noreferrer">{piece}</a>' if address else piece
    return Markup(written)


def _hash(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
