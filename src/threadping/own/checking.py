"""Whether a mechanism of the user's own keeps its promises: asked of its probe before anything is measured."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from threadping.characters import plain
from threadping.errors import PromiseBroken, UsageError
from threadping.model.cases import OwnMechanism
from threadping.probes.own_java import CHECK_SECONDS
from threadping.probes.process import NotStarted, describe_status, run_bounded, temporary_folder

CHECKED = "checked"


def check_once(kept: Path, check: Callable[[], object]) -> None:
    """Check what is not noted to be good in the folder where its probe is kept; note it, unless the check raises."""
    if (kept / CHECKED).exists():
        return
    check()
    with suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
        (kept / CHECKED).touch()


def check(own: OwnMechanism) -> None:
    """See that it keeps them.

    Raises:
        UsageError: it is nothing that could be measured.
        PromiseBroken: it breaks one.
    """
    try:
        with temporary_folder() as folder:
            ended = run_bounded((*own.command, "check"), folder=folder, seconds=CHECK_SECONDS)
    except NotStarted as error:
        raise UsageError(str(error)) from error
    said = plain(" ".join(ended.log.split()))
    if ended.status == 2:
        raise UsageError(said)
    if ended.status != 0:
        raise PromiseBroken(f"'{own.source}' is not measured. {_seen(ended.status, said)}")


def _seen(status: int | None, said: str) -> str:
    if status is None:
        return f"Its check had not ended after {CHECK_SECONDS:.0f} s: it hangs."
    if status != 1 or not said:
        return f"It crashed while it was checked ({describe_status(status)}){f': {said}' if said else ''}."
    return said
