"""What a terminal cannot print has a stand-in: every character of ours, and each byte of a name that is no UTF-8."""

import ast
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.text import Text

from tests.conftest import CONTRACT, ROOT
from threadping.model.characters import LEGIBLE, STAND_INS, in_columns, visible
from threadping.output.charts import LESS_THAN
from threadping.output.printing import TrimmingConsole

OURS = ROOT / "src" / "threadping"


def texts(file: Path) -> Iterator[str]:
    """All strings of a source, or all of a file of words."""
    content = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield content
        return
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


READS = OURS / "studies" / "matrix" / "pasted.py"
"""Its characters are looked for in what others wrote."""


def test_every_character_that_we_print_has_a_stand_in() -> None:
    files = {*OURS.rglob("*.py"), *OURS.rglob("*.toml"), CONTRACT / "words.json"} - {READS}
    ours = {char for file in files for text in texts(file) for char in text if not char.isascii()}
    assert ours - STAND_INS.keys() == {LESS_THAN[0]}, "a character that a terminal may not have needs a stand-in"
    assert all(stand_in.isascii() and stand_in.isprintable() for stand_in in STAND_INS.values())


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("ascii", rb"12 +-1 us ? ch\xe9"), ("latin-1", b"12 \xb1" + rb"1 " + b"\xb5" + rb"s ? ch\xe9")],
)
def test_only_what_an_encoding_lacks_is_replaced(encoding: str, expected: bytes) -> None:
    assert "12 ±1 µs 字 ch\udce9".encode(encoding, LEGIBLE) == expected


def test_names_that_are_no_utf_8_are_visible_in_all_of_a_record() -> None:
    odd, shown = "caf\udce9/µ", r"caf\xe9/µ"
    assert visible({odd: [odd, (odd, 1, None)], "x": odd}) == {shown: [shown, [shown, 1, None]], "x": shown}
    json.dumps(visible(odd)).encode()


def test_columns_stand_where_they_stood() -> None:
    """What is longer takes of the blanks behind it, in whichever part of the line they are, and leaves one."""
    assert [*in_columns(["12 ±1  ", "  34 ±2", " → b"], "ascii")] == ["12 +-1 ", "  34 +-2", " -> b"]
    assert [*in_columns(["… ", "a  b    c"], "ascii")] == ["... ", "a b   c"]
    assert [*in_columns(["12 ±1    ", "34 ±2"], "latin-1")] == ["12 ±1    ", "34 ±2"]


def test_a_console_without_utf_8_prints_rules_and_signs_in_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors=LEGIBLE, newline="")
    console = TrimmingConsole(file=stream, markup=False, highlight=False, emoji=False, width=40)
    console.print(Text("─────────  ───\nTell → it  12\n▇▁ 3 ±1    13"))
    stream.flush()
    assert raw.getvalue().decode() == "---------  ---\nTell -> it 12\n*_ 3 +-1   13\n"
