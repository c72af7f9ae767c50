"""Which build of a probe it is: another one may measure something else under the same version."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from threadping.model.cases import Runtime
from threadping.probes.own_java import files_of_own


def build_of(runtime: Runtime) -> str:
    """A digest of the files of its probe, and of those of the user's own mechanisms.

    Of one that cannot be read nothing is known, which shows when it is started.
    """
    found = hashlib.sha256()
    for file in chain.from_iterable(map(_files, (runtime.command, *(own.command for own in runtime.own)))):
        try:
            with file.open("rb") as content:
                found.update(hashlib.file_digest(content, "sha256").digest())
        except OSError:
            return ""
    for own in runtime.own:
        found.update(own.digest.encode())
    return found.hexdigest()[:16]


def _files(command: Sequence[str]) -> Iterator[Path]:
    """The program; or the archive that a virtual machine runs, the native code beside it, and the user's classes."""
    if "-jar" not in command:
        yield Path(command[0])
        return
    archive = Path(command[command.index("-jar") + 1])
    yield archive
    yield from sorted(archive.parent.glob("*.so"))
    yield from files_of_own(command)
