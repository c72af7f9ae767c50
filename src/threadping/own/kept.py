"""Probes of the user's own mechanisms, each kept by the hash of all that went in: what is the same is built once."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from threadping.errors import OutputUnwritable, UsageError
from threadping.own.sources import OwnSource
from threadping.probes.process import NotStarted
from threadping.probes.scratch import scratch_folder

MOST_KEPT = 40
"""So many probes are kept, some 6 MB each, those that were used last."""

KEPT_SECONDS = 90 * 24 * 3600.0
"""So long what is kept is kept unused."""


class BuiltProgram(Struct, frozen=True):
    """A program that was built, and the files that went in."""

    program: Path
    files: tuple[str, ...]


class _Kept(Struct, frozen=True):
    """Of a source that was built: which files went in, and what probe they made."""

    files: tuple[str, ...]
    digest: str


def kept_probe(
    folder: Path, source: OwnSource, said: Sequence[str], build: Callable[[Path], BuiltProgram]
) -> tuple[Path, str]:
    """The probe of a source that was built as `said`, and the hash of all that went in.

    It is from `folder` if it was built before; otherwise `build` builds it in a scratch folder there, and may raise.

    Raises:
        UsageError: what builds it does not start.
        OutputUnwritable: there is no room for it, or it cannot be read.
    """
    known = folder / f"{_digest((source.file, str(Path.cwd()), *said))}.json"  # flags name folders from here
    kept = _read(known)
    if not kept or kept.digest != _digest_of(kept.files, said) or not _probe(folder, kept.digest).exists():
        try:
            kept = _keep(folder, said, build)
            _replace(known, msgspec.json.encode(kept))
        except NotStarted as error:
            raise UsageError(str(error)) from error
        except OSError as error:
            raise OutputUnwritable(
                f"'{source.given}' cannot be compiled: '{error.filename or folder}': {error.strerror or error}. Free "
                "some space, or name another folder for what is compiled in XDG_CACHE_HOME."
            ) from error
        forget_oldest(folder, kept.digest)
    probe = _probe(folder, kept.digest)
    with suppress(OSError):
        known.touch()
        probe.parent.touch()
    return probe, kept.digest


def _keep(folder: Path, said: Sequence[str], build: Callable[[Path], BuiltProgram]) -> _Kept:
    folder.mkdir(parents=True, exist_ok=True)
    with scratch_folder(str(folder)) as here:
        built = build(here)
        kept = _Kept(built.files, _digest_of(built.files, said) or "")
        there = _probe(folder, kept.digest)
        there.parent.mkdir(exist_ok=True)
        built.program.replace(there)
    return kept


def _digest_of(files: Iterable[str], said: Iterable[str]) -> str | None:
    """Of what these files hold; None where one is gone."""
    try:
        return _digest((*said, *(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files)))
    except OSError:
        return None


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]


def _probe(folder: Path, digest: str) -> Path:
    return folder / digest / "probe"


def _read(known: Path) -> _Kept | None:
    try:
        return msgspec.json.decode(known.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return None


def _replace(file: Path, content: bytes) -> None:
    beside = file.with_suffix(f".{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(file)


def forget_oldest(folder: Path, used: str = "") -> None:
    """Remove the probes that are too many, and all else that nobody has used for long."""
    with suppress(OSError):
        last_used = {one: one.stat().st_mtime for one in folder.iterdir() if one.name != used}
        by_use = sorted(last_used, key=last_used.__getitem__, reverse=True)
        old = [one for one in by_use if last_used[one] < time.time() - KEPT_SECONDS]
        for one in (*old, *[one for one in by_use if (one / "probe").exists()][MOST_KEPT - 1 :]):
            shutil.rmtree(one, ignore_errors=True) if one.is_dir() else one.unlink(missing_ok=True)
