"""What changed where runs are not compared, since figures of a mechanism mean something else in one of them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from threadping.analysis.answer import Answer
from threadping.analysis.runs import Changed, changed_between
from threadping.errors import ProbeUnusable
from threadping.model.run import Run
from threadping.probes.words import words
from threadping.sheets.names import plain


def changes_between(answers: Sequence[Answer]) -> list[str]:
    """What of these runs is not compared, a sentence each with what changed; nothing where all is."""
    runs = {answer.run.id: answer.run for answer in answers}
    return [_sentence(one, runs[one.of[1][0]]) for one in changed_between(answers)]


def _sentence(one: Changed, run: Run) -> str:
    (first, before), (second, now) = one.of
    more = len(one.mechanisms) - MOST_CHANGED
    names = ", ".join(one.mechanisms[:MOST_CHANGED]) + (f" and {more} more" if more > 0 else "")
    are = "is" if len(one.mechanisms) == 1 else "are"
    what = " ".join(_what(one, run))
    versions = f"version {before} in run {first} and {now} in run {second}"
    return plain(f"Not compared: {one.experiment} {names} in {one.runtime} {are} {versions}. {what}".rstrip())


MOST_CHANGED = 3


def _what(one: Changed, run: Run) -> Iterator[str]:
    """What changed between the two versions, as far as it is known here."""
    probe = next((each.probe for each in run.runtimes if each.label == one.runtime), one.runtime)
    low, high = sorted(tuple(map(int, version.split("."))) for _, version in one.of)
    with suppress(ProbeUnusable):
        known = (each for each in words().changes if each.is_of(one.experiment, one.mechanisms[0], probe))
        yield from (each.what for each in known if low < tuple(map(int, each.version.split("."))) <= high)
