"""The page: prints articles, each with its lead and sections, and carries their runs. What one lacks has no heading."""

import base64
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from threadping.model.run import Stored
from threadping.sheets.grid import Block
from threadping.sheets.html import as_html
from threadping.views.carried import embed_runs
from threadping.views.page import pictures
from threadping.views.page.sections import Article, Section

MEASURED_APART = "Measured apart: machines, and days on one machine, differ in more than what is compared here."

MOST_SWITCHES = 56
"""So many lines of a chart look different, and can be switched off."""


def page(articles: Sequence[Article], together: Sequence[Section], carried: Sequence[Stored]) -> str:
    """Write the page of articles, with sections of all of them together, and the runs that they are of."""
    with ThreadPoolExecutor(1) as beside:  # compressing holds no lock of the interpreter
        packed = beside.submit(embed_runs, carried)
        return fill(
            "page.html",
            _switches(),
            title=" | ".join(one.title for one in articles),
            articles=[(one, [(each, pictures.drawn(each.charts)) for each in one.sections]) for one in articles],
            together=together,
            apart=MEASURED_APART,
            carried=Markup(packed.result()),
        )


def fill(template: str, rules: str, **fields: Any) -> str:
    """Fill a template with its fields; `rules` of its style are its own."""
    room = files(__package__)
    style_sheet = (room / "page.css").read_text("utf-8") + rules
    script = (room / "page.js").read_text("utf-8")
    environment = Environment(
        loader=PackageLoader("threadping", "views/page"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    hashes = {"style": _hash(style_sheet), "script": _hash(script)}
    fields |= {"css": Markup(style_sheet), "js": Markup(script), "hashes": hashes}
    return environment.get_template(template).render(printed=_printed, legend=pictures.legend, **fields)


def _printed(blocks: Sequence[Block], label: str = "") -> Markup:
    return Markup(as_html(*blocks, label=label))


def _switches() -> str:
    """A rule for each place of a legend: what is not checked is not drawn. So no script is needed for it."""
    every = range(MOST_SWITCHES)
    return "\n".join(f'figure:has([value="{n}"]:not(:checked)) .s{n}{{display:none}}' for n in every)


def _hash(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")
