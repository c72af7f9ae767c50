"""Probes of the user's own mechanisms, each kept by the hash of all that went in: what is the same is built once."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from threadping.probes.scratch import scratch_folder

MOST_KEPT = 40
"""So many probes are kept, some 6 MB each, those that were used last."""


class Built(Struct, frozen=True):
    """A program that was built, and the files that went in."""

    program: Path
    files: tuple[str, ...]


class _Kept(Struct, frozen=True):
    """Of a source that was built: which files went in, and what probe they made."""

    files: tuple[str, ...]
    digest: str


def kept_probe(folder: Path, file: str, said: Sequence[str], build: Callable[[Path], Built]) -> tuple[Path, str]:
    """The probe of a file that was built as `said`, and the hash of all that went in.

    It is from `folder` if it was built before; otherwise `build` builds it in a scratch folder there, and may raise.
    """
    known = folder / f"{_digest((file, *said))}.json"
    kept = _read(known)
    if not kept or kept.digest != _digest_of(kept.files, said) or not _probe(folder, kept.digest).exists():
        folder.mkdir(parents=True, exist_ok=True)
        with scratch_folder(str(folder)) as here:
            built = build(here)
            kept = _Kept(built.files, _digest_of(built.files, said) or "")
            _probe(folder, kept.digest).parent.mkdir(exist_ok=True)
            built.program.replace(_probe(folder, kept.digest))
        _replace(known, msgspec.json.encode(kept))
        _forget_oldest(folder, kept.digest)
    probe = _probe(folder, kept.digest)
    with suppress(OSError):
        probe.parent.touch()
    return probe, kept.digest


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


def _forget_oldest(folder: Path, used: str) -> None:
    with suppress(OSError):
        by_use = sorted(folder.glob("*/probe"), key=lambda one: one.parent.stat().st_mtime_ns, reverse=True)
        for oldest in by_use[MOST_KEPT:]:
            if oldest.parent.name != used:
                shutil.rmtree(oldest.parent, ignore_errors=True)
