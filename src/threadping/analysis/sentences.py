"""The sentences that outputs and `threadping explain` print: data, in `words.toml`, read when one is needed."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct


class Wording(Struct, frozen=True):
    """The words for a finding; its facts stand in them as `{fact:spec}`, which `warnings.words` writes.

    Attributes:
        means: what it means for the figure, in sentences.
        brief: the facts in a few words, behind the code.
        remedy: what to do about it.
    """

    means: str
    brief: str = ""
    remedy: str = ""


class Sentences(Struct, frozen=True):
    """For each code, cause of outliers, figure, and word that no experiment declares."""

    findings: Mapping[str, Wording]
    causes: Mapping[str, str]
    figures: Mapping[str, str]
    words: Mapping[str, str]


@cache
def sentences() -> Sentences:
    """Read the words of findings, causes and figures from words.toml, once."""
    return msgspec.toml.decode((files(__package__) / "words.toml").read_bytes(), type=Sentences)
