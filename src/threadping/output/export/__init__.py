"""An answer for programs, in formats that only runs have: a module for each family; `output/formats.py` lists them."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module

from threadping.analysis.answer import Answer
from threadping.output.formats import EXPORTS


def _write(writer: str, answer: Answer, trials: bool) -> str:
    module, _, name = writer.partition(".")
    written: str = getattr(import_module(f"{__name__}.{module}"), name)(answer, trials)
    return written


FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {
    name: partial(_write, one.writer) for name, one in EXPORTS.items() if one.writer
}
"""What writes the rows of an answer, or its trials one by one."""
