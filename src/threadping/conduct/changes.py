"""What changed between runs that are set beside each other.

Where figures of a mechanism mean something else in one of them they are not compared; where its timed loops are only
other machine code they are, and it is said.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from threadping.analysis.answer import Answer
from threadping.analysis.runs import Changed, CompiledApart, changed_between, compiled_apart
from threadping.errors import ProbeUnusable
from threadping.grouping import gathered
from threadping.model.run import Run
from threadping.probes.words import words
from threadping.sheets.names import plain


def changes_between(answers: Sequence[Answer]) -> list[str]:
    """What of these runs is not compared, a sentence each with what changed; nothing where all is."""
    runs = {answer.run.id: answer.run for answer in answers}
    return [_sentence(one, runs[one.of[1][0]]) for one in changed_between(answers)]


def _sentence(one: Changed, run: Run) -> str:
    (first, before), (second, now) = one.of
    are = "is" if len(one.mechanisms) == 1 else "are"
    what = " ".join(_what(one, run))
    names, versions = _named(one.mechanisms), f"version {before} in run {first} and {now} in run {second}"
    return plain(f"Not compared: {one.experiment} {names} in {one.runtime} {are} {versions}. {what}".rstrip())


MOST_CHANGED = 3


def compiled_between(answers: Sequence[Answer]) -> list[str]:
    """What of these runs was compiled differently though its version is the same, a remark for each two of them.

    Runs that differ from one in the same mechanisms have one remark.
    """
    return [_remark(one) for one in compiled_apart(answers)]


def _remark(one: CompiledApart) -> str:
    by_runtime = gathered((runtime, mechanism) for mechanism, runtime in one.mechanisms)
    names = "; ".join(f"{_named([*dict.fromkeys(each)])} ({runtime})" for runtime, each in by_runtime.items())
    runs = f"run{'s' * (len(one.runs) > 1)} {_named([*map(str, one.runs)])}"
    return plain(f"Compiled differently in {runs} than in run {one.first}, of the same version: {names}.")


def _named(names: Sequence[str]) -> str:
    """The first ones, and how many there are more."""
    more = len(names) - MOST_CHANGED
    return ", ".join(names[:MOST_CHANGED]) + (f" and {more} more" if more > 0 else "")


def _what(one: Changed, run: Run) -> Iterator[str]:
    """What changed between the two versions, as far as it is known here."""
    probe = next((each.probe for each in run.runtimes if each.label == one.runtime), one.runtime)
    low, high = sorted(tuple(map(int, version.split("."))) for _, version in one.of)
    with suppress(ProbeUnusable):
        known = (each for each in words().changes if each.is_of(one.experiment, one.mechanisms[0], probe))
        yield from (each.what for each in known if low < tuple(map(int, each.version.split("."))) <= high)
