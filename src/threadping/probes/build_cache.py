"""Probes of the user's own mechanisms, each kept by the hash of all that went in: what is the same is built once."""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from errno import ENOSPC
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path

import msgspec

from threadping.model.cases import OwnMechanism
from threadping.model.errors import OutputUnwritable, UsageError
from threadping.model.files import replace
from threadping.model.text import digest_of
from threadping.probes.builds import OwnSource
from threadping.probes.language import probes_folder
from threadping.probes.process import NotStarted, scratch_folder

MOST_KEPT = 40  # probes in the cache, about 6 MB each, the most recently used ones
KEPT_SECONDS = 90 * 24 * 3600.0  # maximum age of unused cache entries, in seconds


Telling = Callable[[str], None]  # is called before anything that takes time
BuiltProgram = tuple[Path, tuple[str, ...]]  # a program that was built, and the files that went in


def cached_probe(
    folder: Path,
    source: OwnSource,
    said: Sequence[str],
    build: Callable[[Path], BuiltProgram],
    tell: Callable[[], object],
    made_by: str,
    *,
    read: Sequence[str] = (),
    place: Sequence[str],
) -> OwnMechanism:
    """Return the mechanism of a source built as `said`, by the compiler `made_by`, with the hash of all that went in.

    Its probe is from `folder` if it was built before; otherwise, after `tell`, `build` builds it in a scratch folder
    there, and may raise. Raises UsageError where what builds it does not start, OutputUnwritable where the disk is full
    or unreadable.
    """
    digest = ""
    try:
        said = (*said, *map(_sha256, read))
        known = folder / f"{digest_of(*place, *said)}.json"  # the files that only building names, and the digest
        with suppress(OSError, msgspec.DecodeError):
            files, kept = msgspec.json.decode(known.read_bytes(), type=tuple[tuple[str, ...], str])
            digest = kept if kept == digest_of(*said, *map(_sha256, files)) else ""  # a file that has gone builds anew
        if not digest or not _is_whole(_probe(folder, digest)):
            folder.mkdir(parents=True, exist_ok=True)
            with scratch_folder(str(folder)) as here:
                tell()
                program, every = build(here)
                files = tuple(file for file in every if file not in read)
                digest = digest_of(*said, *map(_sha256, files))
                if not _is_whole(there := _probe(folder, digest)):  # what another process made meanwhile is the same
                    shutil.rmtree(there, ignore_errors=True)
                    there.parent.mkdir(exist_ok=True)
                    replace(there.with_suffix(DIGEST), _sha256(program).encode())
                    replace(there, program.read_bytes(), mode=0o755)
            replace(known, msgspec.json.encode((files, digest)))
    except NotStarted:
        raise
    except OSError as error:
        raise OutputUnwritable(
            f"'{source.given}' cannot be compiled: '{error.filename or folder}': {error.strerror or error}. Free "
            "some space, or name another folder for what is compiled in XDG_CACHE_HOME."
        ) from error
    probe = _probe(folder, digest)
    with suppress(OSError):
        known.touch()
        probe.parent.touch()
        _HELD.append(os.open(probe.parent, os.O_RDONLY | os.O_CLOEXEC))
        flock(_HELD[-1], LOCK_SH)
    evict(folder)
    return OwnMechanism(source.name, source.given, (str(probe), "--name", source.name), digest, made_by)


def _sha256(file: str | Path) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _probe(folder: Path, digest: str) -> Path:
    return folder / digest / "probe"


DIGEST = ".sha256"  # ending of the file next to a probe with its hash: a power cut may leave half of one


def _is_whole(probe: Path) -> bool:
    """Return whether a probe is what was built: anything else may lie there, and would be run."""
    with suppress(OSError, ValueError):
        return probe.with_suffix(DIGEST).read_text() == _sha256(probe) and os.access(probe, os.X_OK)
    return False


# Locked folders of the probes that this process uses: none is evicted while it lives, however many are compiled
_HELD: list[int] = []


def evict(folder: Path) -> None:
    """Remove the probes that are too many, but none in use, and all else that nobody has used for long."""
    with suppress(OSError):
        last_used = {one: one.stat().st_mtime for one in folder.iterdir()}
        by_use = sorted(last_used, key=last_used.__getitem__, reverse=True)
        old = [one for one in by_use if last_used[one] < time.time() - KEPT_SECONDS]
        for one in (*old, *[one for one in by_use if (one / "probe").exists()][MOST_KEPT:]):
            if not one.is_dir():
                one.unlink(missing_ok=True)
                continue
            kept = os.open(one, os.O_RDONLY | os.O_CLOEXEC)
            try:
                with suppress(BlockingIOError):  # it is in use
                    flock(kept, LOCK_EX | LOCK_NB)
                    shutil.rmtree(one, ignore_errors=True)
            finally:
                os.close(kept)


def files_in(rule: str) -> list[str]:
    """Return the files that a rule for make depends on, including the system's."""
    words = re.findall(r"(?:\\ |\S)+", rule.replace("\\\n", " ").partition(":")[2])
    return [str(Path(word.replace("\\ ", " ").replace("$$", "$")).absolute()) for word in words]


def built_with(part: str) -> Path:
    """Return a file or folder of threadping's development files; raise UsageError if it is missing."""
    found = probes_folder() / "dev" / part
    if not found.exists():
        raise UsageError(
            f"'{found}', which custom mechanisms need, is missing. Run `make setup`, or reinstall threadping."
        )
    return found


NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")


def check_room(said: str) -> None:
    if full := NO_ROOM.search(said):
        raise OSError(ENOSPC, full[0])
