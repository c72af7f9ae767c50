"""Budgets of a reader: how many functions and files a command enters, from its words to its exit code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import FrameType

import pytest

import threadping
from tests.end_to_end.conftest import Command

ROOT = str(Path(threadping.__file__).parent)
SIGNAL = ("run", "signal", "--mechanism", "steady", "--cpus", "0,1", "--runtime", "cpp", "--budget", "2s")


@contextmanager
def entered(functions: set[tuple[str, int]]) -> Iterator[None]:
    """Collect the functions with a name that are entered meanwhile, by file and line."""

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        named = code.co_flags & CO_NEWLOCALS and not code.co_name.startswith("<")
        if event == "call" and named and code.co_filename.startswith(ROOT):
            functions.add((code.co_filename, code.co_firstlineno))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(
    ("arguments", "most_functions", "most_files"),
    [
        (SIGNAL, 584, 66),  # to become 400 in 70
        (("show", "1"), 269, 40),  # to become 190 in 45
    ],
)
def test_a_command_enters_no_more_functions_and_files(
    arguments: tuple[str, ...], most_functions: int, most_files: int, with_fake: Command
) -> None:
    if arguments != SIGNAL:
        with_fake(*SIGNAL)
    functions: set[tuple[str, int]] = set()
    with entered(functions):
        done = with_fake(*arguments)
    assert done.returncode == 0
    assert len(functions) <= most_functions
    assert len({file for file, _ in functions}) <= most_files
