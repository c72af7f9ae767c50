"""Whether a mechanism of the user's own keeps its promises: asked of its probe before anything is measured."""

import re
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from threadping.characters import plain
from threadping.errors import PromiseBroken, UsageError
from threadping.model.cases import OwnMechanism
from threadping.probes.process import NotStarted, ProcessEnd, describe_status, run_bounded, temporary_folder
from threadping.probes.refusals import telling_line

CHECKED = "checked"

CLOSED_PACKAGE = re.compile(r'module (?P<module>[\w.]+) does not "(?:opens|exports) (?P<package>[\w.]+)"')
"""What a JVM says of a package that reflection may not enter."""

CHECK_SECONDS = 60.0
"""A check takes some seconds, and gives up by itself what hangs."""


def check_once(kept: Path, check: Callable[[], object]) -> None:
    """Check what is not noted to be good in the folder where its probe is kept; note it, unless the check raises."""
    if not (kept / CHECKED).exists():
        check()
    with suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
        (kept / CHECKED).touch()
        kept.touch()  # it is used, and so kept on


def check(own: OwnMechanism) -> None:
    """Have the probe of a mechanism try whether it keeps them.

    Raises:
        UsageError: it is nothing that could be measured, or its probe does not start.
        PromiseBroken: it breaks one.
    """
    try:
        with temporary_folder() as folder:
            ended = run_bounded((*own.command, "check"), folder=folder, seconds=CHECK_SECONDS)
    except NotStarted as error:
        raise UsageError(str(error)) from error
    said = plain((ended.log.strip().splitlines() or [""])[-1])
    if opened := CLOSED_PACKAGE.search(said):
        said += f" Open it: --runtime 'java --add-opens={opened['module']}/{opened['package']}=ALL-UNNAMED'."
    if ended.status == 2:
        raise UsageError(said)
    if ended.status != 0:
        raise PromiseBroken(f"'{own.source}' is not measured. {_seen(own, ended, said)}")


def _seen(own: OwnMechanism, ended: ProcessEnd, said: str) -> str:
    """What its probe says, in its last line, or how it ended without a word."""
    if ended.status is None:
        return f"Its check had not ended after {CHECK_SECONDS:.0f} s: it hangs."
    if ended.status == 1 and said:
        return said
    line = plain(telling_line(ended.log))
    crashed = f"It crashed while it was checked ({describe_status(ended.status)}){f': {line}' if line else ''}."
    if ended.status > 0 or "java" in Path(own.command[0]).name:
        return crashed
    return f"{crashed} See on which line: `gdb -batch -ex run -ex bt --args {shlex.join(own.command)} check`."
