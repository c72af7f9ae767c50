"""Pages in a headless Chromium: what is seen, switched and sorted, in every scheme, on a phone, on paper."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.output.page.browser import CHROMIUM, Browser, browser
from tests.unit.output.page.test_page import made

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
PAGES: tuple[tuple[str, ...], ...] = (("calls",), ("matrix",), ("moved", "minute"))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Path]:
    folder, found = tmp_path_factory.mktemp("pages"), dict[tuple[str, ...], Path]()
    for names in (*PAGES, ("moved",), ("minute",)):
        found[names] = folder / f"{'-'.join(names)}.html"
        found[names].write_text(made(*names), encoding="utf-8")
    return found


def see(opened: Browser, page: Path, *, width: int = 1200, scheme: str = "light", media: str = "screen") -> None:
    opened("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    opened("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
    opened.open(page)


@pytest.mark.parametrize("names", PAGES)
def test_a_phone_shows_a_page_without_a_complaint_a_request_or_sideways_scrolling(
    opened: Browser, pages: dict[tuple[str, ...], Path], names: tuple[str, ...]
) -> None:
    see(opened, pages[names], width=390)
    opened.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.run("[document.documentElement.scrollWidth, visualViewport.width]") == [390, 390]
    assert (opened.complaints, opened.requests) == ([], [pages[names].as_uri()])
    heights = "[...document.querySelectorAll('svg text')].map((one) => one.getBoundingClientRect().height)"
    assert min(opened.run(heights)) >= 9


def test_both_schemes_are_legible_and_pictures_follow(opened: Browser, pages: dict[tuple[str, ...], Path]) -> None:
    colours = (
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,"
        " getComputedStyle(document.querySelector('svg text')).fill,"
        " getComputedStyle(document.querySelector('#signal .s0')).stroke]"
    )
    seen = {}
    for scheme in ("light", "dark"):
        see(opened, pages[("minute",)], scheme=scheme)
        paper, ink, text, mark = opened.run(colours)
        assert text == ink
        light = [sum(map(int, re.findall(r"\d+", one)[:3])) for one in (paper, ink)]
        assert (light[0] > light[1] + 400) == (scheme == "light")
        seen[scheme] = mark
    assert seen["light"] != seen["dark"]
    see(opened, pages[("minute",)], scheme="dark", media="print")
    assert opened.run(colours)[0] == "rgb(255, 255, 255)"
    inside = "document.querySelector('details > :not(summary)')"
    assert opened.run(f"{inside}.checkVisibility({{contentVisibilityAuto: true}})")
    assert opened("Page.printToPDF")["data"]


def test_a_switch_hides_its_subject_and_only_that(opened: Browser, pages: dict[tuple[str, ...], Path]) -> None:
    see(opened, pages[("minute",)])
    shown = (
        "[...document.querySelectorAll('figure')].map((one) => [...one.querySelectorAll('[class^=s]')]"
        ".filter((mark) => getComputedStyle(mark).display !== 'none').length)"
    )
    before = opened.run(shown)
    opened.run("document.querySelector('#signal-percentiles input').click()")
    after = opened.run(shown)
    changed = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert len(changed) == 1
    assert before[changed[0]] - after[changed[0]] == 4  # a line and the mark at its end in each runtime's panel


def test_a_table_is_sorted_by_what_its_figures_are_worth(opened: Browser, pages: dict[tuple[str, ...], Path]) -> None:
    see(opened, pages[("moved",)])
    cells = """(() => {
      const found = [...document.querySelectorAll("#signal table")].find((one) => one.tHead.textContent[0] === "#");
      const at = [...found.rows[0].cells].findIndex((one) => one.textContent === "median");
      const head = found.rows[0].cells[at];
      head.querySelector("button").click();
      const rows = [...found.tBodies[0].rows];
      return [head.ariaSort, rows.map((row) => (row.cells[at] ?? row.lastChild).textContent)];
    })()"""
    for order in ("ascending", "descending"):
        sort, column = opened.run(cells)
        assert sort == order
        scales = {"ns": 1, "\N{MICRO SIGN}s": 1e3, "ms": 1e6}
        figures = (one.split() for one in column if re.match(r"[\d.]+ \S+$", one))
        values = [float(digits) * scales[unit] for digits, unit in figures]
        assert len(values) >= 6
        assert values == sorted(values, reverse=order == "descending")
        assert column[-1].startswith("no figure")


def test_without_script_all_but_its_buttons_is_there(opened: Browser, pages: dict[tuple[str, ...], Path]) -> None:
    def number(selector: str) -> int:
        root = opened("DOM.getDocument")["root"]["nodeId"]
        return len(opened("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

    see(opened, pages[("minute",)])
    parts = {selector: number(selector) for selector in ("svg", "table", "details", "button")}
    opened("Emulation.setScriptExecutionDisabled", value=True)
    see(opened, pages[("minute",)])
    without = {selector: number(selector) for selector in parts}
    opened("Emulation.setScriptExecutionDisabled", value=False)
    assert parts["button"] > 50
    assert without == {**parts, "button": 0}
