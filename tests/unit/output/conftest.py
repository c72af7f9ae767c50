"""Tests make many pages of the same few runs, and drawing takes most of their time: each panel is drawn once."""

from collections.abc import Iterator
from functools import wraps

import msgspec
import pytest
from markupsafe import Markup

from threadping.output.layout import Json
from threadping.output.page import page


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is asked of a page's texts alone."""
    monkeypatch.setattr(page, "_drawn", lambda *_: Markup())


@pytest.fixture(autouse=True, scope="session")
def _each_panel_is_drawn_once() -> Iterator[None]:
    pictures: dict[bytes, Markup] = {}
    draw = page._drawn

    @wraps(draw)
    def once(panel: Json, title: str) -> Markup:
        key = msgspec.json.encode((panel, title))
        if key not in pictures:
            pictures[key] = draw(panel, title)
        return pictures[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_drawn", once)
        yield
