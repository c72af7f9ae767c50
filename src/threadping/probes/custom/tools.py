"""What building a mechanism of the user's own needs in any language."""

import re
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path

from threadping.model.errors import UsageError
from threadping.probes.language import probes_folder

Telling = Callable[[str], None]
"""Is told what takes time, before it does."""


def files_in(rule: str) -> list[str]:
    """The files that a rule for make says something depends on, those of the system too."""
    words = re.findall(r"(?:\\ |\S)+", rule.replace("\\\n", " ").partition(":")[2])
    return [str(Path(word.replace("\\ ", " ").replace("$$", "$")).absolute()) for word in words]


def built_with(part: str) -> Path:
    """A file or folder of what comes with threadping for this; UsageError where it is not there."""
    found = probes_folder() / "dev" / part
    if not found.exists():
        raise UsageError(
            f"What a mechanism of your own is built with is missing: '{found}'. Run `make setup`, or reinstall "
            "threadping."
        )
    return found


NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")


def check_room(said: str) -> None:
    """Raise an OSError where a compiler says that the disk is full: the source is not to blame."""
    if full := NO_ROOM.search(said):
        raise OSError(ENOSPC, full[0])
