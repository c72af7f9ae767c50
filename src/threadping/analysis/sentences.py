"""The sentences that outputs and `threadping explain` print: data, in two files, read when one is needed."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct
from msgspec.structs import replace


class Wording(Struct, frozen=True):
    """The words for a finding; its facts stand in them as `{fact:spec}`, which `warnings.words` writes.

    Attributes:
        means: what it means for the figure, in sentences.
        brief: the facts in a few words, behind the code.
        remedy: what to do about it.
        costs: what that costs, where it is known.
        why: the finding as a clause, where it may forbid to use a figure.
    """

    means: str
    brief: str = ""
    remedy: str = ""
    costs: str = ""
    why: str = ""


class Sentences(Struct, frozen=True):
    """For each code, cause of outliers, figure, and word that no experiment declares.

    Attributes:
        findings: by code.
        causes: by cause.
        figures: by name.
        words: by word, those of the field too.
        first: what stands before all else that is said of a word.
        same: for other words of the field the one that is explained.
    """

    findings: Mapping[str, Wording] = {}
    causes: Mapping[str, str] = {}
    figures: Mapping[str, str] = {}
    words: Mapping[str, str] = {}
    first: Mapping[str, str] = {}
    same: Mapping[str, str] = {}


@cache
def sentences() -> Sentences:
    """Read the words of findings, causes and figures, and those of the field, once."""
    ours, field = (
        msgspec.toml.decode((files(__package__) / name).read_bytes(), type=Sentences)
        for name in ("words.toml", "field.toml")
    )
    return replace(ours, words={**ours.words, **field.words}, first=field.first, same=field.same)
