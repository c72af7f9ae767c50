"""Data flows one way: a room imports no room to its left, nor one that stands beside it."""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent.parent / "src" / "threadping"
SHARED = {"model", "contract", "errors", "numbers", "quantities", "files", "relation", "extras"}
ORDER = [
    *("cli", "experiments", "selection", "runner", "probes", "machine", "plan", "store"),
    *("views", "published", "analysis"),
]


def room_of(file: Path) -> str:
    return file.relative_to(SOURCES).with_suffix("").parts[0]


def imported_rooms(file: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            modules.add(node.module)
            modules.update(f"{node.module}.{alias.name}" for alias in node.names if node.module == "threadping")
        elif isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
    return {name.split(".")[1] for name in modules if name.startswith("threadping.")}


@pytest.mark.parametrize("file", sorted(SOURCES.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCES)))
def test_no_room_imports_to_its_left(file: Path) -> None:
    room = room_of(file)
    others = imported_rooms(file) - SHARED - {room}
    if room in SHARED or room == "__init__":
        assert not others
        return
    assert room in ORDER, f"{room} is a new room: give it a place in the order"
    assert {other for other in others if ORDER.index(other) < ORDER.index(room)} == set()
