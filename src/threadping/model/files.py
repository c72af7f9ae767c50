"""Files that a person names: written whole or not at all; foreign ones read within a bound, known by their content."""

import os
import re
import shlex
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from errno import EACCES, EBUSY, ELOOP, EPERM, EROFS, EXDEV
from pathlib import Path
from typing import Literal

import msgspec

from threadping.model.errors import OutputUnwritable, Unreadable, UsageError, either, system_cause
from threadping.model.quantities import memory
from threadping.model.text import plain

# Paths whose links are followed and appended to, never replaced: the file behind /dev/stdout is the shell's
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
MOST_LINKS = 40  # as Linux
NO_NEW_FILE = (EACCES, EBUSY, EPERM, EROFS, EXDEV)  # errors of a bind-mounted file: writable, but its folder is not


def check(path: Path, endings: Sequence[str], what: str) -> None:
    """See that a file can be written; UsageError for another ending, OutputUnwritable for all else."""
    if not path.name.lower().endswith(tuple(endings)):
        named = f"{what[:1].upper()}{what[1:]}'s file"
        raise UsageError(f"{named} must end in {either(endings)}, not '{path if path.name else ''}'.")
    try:
        target = _target(path)
    except OSError as error:
        raise _unwritable(path, what, system_cause(error)) from error
    where = target if target.exists() else target.parent
    if target.is_dir():
        raise _unwritable(path, what, "it is a folder. Name a file in it")
    if not where.exists():
        raise _unwritable(path, what, f"there is no folder {where}. Make it with `mkdir -p {shlex.quote(str(where))}`")
    if not os.access(where, os.W_OK):
        raise _unwritable(path, what, f"{where} may not be written")


# Bytes: SQLite takes 32 KiB at once for the index of its log, and a trial's result is as large
NEXT_TO_NOTHING = 64 * 1024


def is_full(folder: Path) -> bool:
    """Return whether the disk of a folder is full: neither bytes nor files are left."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < NEXT_TO_NOTHING or (disk.f_files > 0 and disk.f_favail == 0)


def user_folder(kind: Literal["CACHE", "DATA"]) -> Path:
    """Return threadping's folder of this user, by the XDG Base Directory specification."""
    usual = {"CACHE": "~/.cache", "DATA": "~/.local/share"}[kind]
    named = os.environ.get(f"XDG_{kind}_HOME", "")
    return Path(named if os.path.isabs(named) else os.path.expanduser(usual), "threadping")  # noqa: PTH111, PTH117


def write(path: Path, content: bytes, what: str) -> None:
    """Write all of it, or leave what was there; raises OutputUnwritable if that fails.

    A link is written through, to the file that it names: somebody put it there for that. Of hard links only this one is
    the new file.
    """
    try:
        target = _target(path)
        there = _status(target)
        if there is None or stat.S_ISREG(there.st_mode):
            if there and not os.access(target, os.W_OK):
                raise OSError(EACCES, os.strerror(EACCES))
            try:
                replace(target, content, there)
            except OSError as error:
                if there is None or error.errno not in NO_NEW_FILE:
                    raise
                _overwrite(target, content)
        else:
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_CLOEXEC), "wb") as pipe:
                pipe.write(content)
    except OSError as error:
        raise _unwritable(path, what, system_cause(error)) from error


def _target(path: Path) -> Path:
    """Follow a path's links; raise OSError if another user planted one of them."""
    for _ in range(MOST_LINKS):
        there = _status(path)
        # Linux refuses this with fs.protected_symlinks, which is not set everywhere
        folder = path.parent.stat() if there else None
        shared = folder and folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        if there and folder and shared and there.st_uid not in (os.geteuid(), folder.st_uid):
            raise OSError(EPERM, "another user put it there, in a folder that everybody may write to")
        if not there or not stat.S_ISLNK(there.st_mode) or path.as_posix().startswith(STREAMS):
            return path
        path = path.parent / path.readlink()
    raise OSError(ELOOP, "its symbolic links form a circle")


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def replace(path: Path, content: bytes, there: os.stat_result | None = None, mode: int = 0o666) -> None:
    """Write a new file in the same folder, and rename it when all of it is on the disk: a power cut leaves no half.

    It has the owner and the mode of the one that is `there`.
    """
    scratch = path.parent / f".threadping-{os.urandom(8).hex()}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(scratch, flags, mode), "wb") as new:
            if there:
                with suppress(PermissionError):
                    os.fchown(new.fileno(), there.st_uid, there.st_gid)
                os.fchmod(new.fileno(), there.st_mode & 0o777)
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        scratch.replace(path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise


def _overwrite(path: Path, content: bytes) -> None:
    """Overwrite a file that cannot be replaced; reserve the space first, so that a full disk loses nothing."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "wb") as there:
        before = os.fstat(there.fileno()).st_size
        try:
            if content:
                os.posix_fallocate(there.fileno(), 0, len(content))
        except OSError:
            there.truncate(before)
            raise
        there.write(content)
        there.truncate(len(content))


def _unwritable(path: Path, what: str, why: str) -> OutputUnwritable:
    way_out = "" if ". " in why else " Name another place with -o."
    return OutputUnwritable(f"{what[:1].upper()}{what[1:]} could not be written to {path}: {why}.{way_out}")


MOST_BYTES = 64 << 20  # 2,000 trials take 4 MB as a report, 1,024 CPUs about 20 MB as a matrix
STANDARD_INPUT = Path("-")

# Files of this process: a terminal, or what a shell substitutes for `<(...)`
OPEN_FILES = (Path("/dev/fd"), Path("/proc/self/fd"))
Content = Literal["page", "text"]  # a report or .run file of threadping; or text, in which there may be a matrix
CARRIES_RUNS = b'id="threadping-runs"'
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
SQLITE = b"SQLite format 3\x00"
STORE = (
    "it is a store of runs, or another database. `threadping runs list --store {0}` lists its runs, and `threadping "
    "runs resume last --store {0}` resumes one that had not ended"
)
TAR, TAR_AT = b"ustar", 257

BYTE_ORDER_MARKS = (  # of other encodings than UTF-8: PowerShell's `>` writes UTF-16
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

# Characters that no text has in Latin-1, where every byte means something, and in Unicode
CONTROL, ZERO = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]"), re.compile(r"\x00")


def named(path: Path) -> str:
    """Return the name of a file for a sentence: it need not be printable, nor even text."""
    if path == STANDARD_INPUT:
        return "Standard input"
    return plain(str(path))


def read(path: Path) -> bytes:
    """Read a file, or standard input for `-`; raise Unreadable for no file, or more than MOST_BYTES."""
    try:
        content = _content(path)
    except OSError as error:
        raise Unreadable(named(path), f"{system_cause(error)}. Check its path") from error
    except ValueError as error:  # a zero byte in a path
        raise Unreadable(named(path), "it is not a path of a file") from error
    if len(content) > MOST_BYTES:
        raise _too_large(path)
    return content


def _content(path: Path) -> bytes:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise Unreadable(named(path), "it is closed")
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    if ADDRESS.match(str(path)) and not path.exists():
        raise Unreadable(
            named(path).replace(":/", "://", 1),
            "it is an address. Download it first, or pipe it into `threadping runs import -`",
        )
    found = path.stat()
    if why := _no_file(path, found.st_mode):
        raise Unreadable(named(path), why)
    with path.open("rb") as file:
        if stat.S_ISREG(found.st_mode):
            if file.peek(len(SQLITE)).startswith(SQLITE):  # of a night it is larger than what is read
                raise Unreadable(named(path), STORE.format(shlex.quote(plain(str(path)))))
            if found.st_size > MOST_BYTES:
                raise _too_large(path, found.st_size)
        return file.read(MOST_BYTES + 1)


def _no_file(path: Path, mode: int) -> str | None:
    """Why it must not be opened: reading a device need not end, nor need somebody ever write into a named pipe."""
    if stat.S_ISDIR(mode):
        return "it is a folder. Name the files in it"
    if stat.S_ISFIFO(mode) and path.resolve().exists():  # that of a shell's <(...) has no path
        return "it is a named pipe. `threadping runs import -` reads what is piped into it"
    if stat.S_ISSOCK(mode):
        return "it is a socket"
    is_open = str(path) == "/dev/stdin" or path.parent in OPEN_FILES
    return None if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or is_open else "it is a device"


def _too_large(path: Path, size: int | None = None) -> Unreadable:
    much = f"its {memory(size)} are" if size else "it is"
    return Unreadable(named(path), f"{much} more than the {memory(MOST_BYTES)} that a page or a matrix may have")


def recognise(content: bytes, what: object) -> Content:
    """Say what it is; raises Unreadable for what cannot be imported, and says what that is."""
    if CARRIES_RUNS in content:
        return "page"
    if content.startswith(SQLITE):
        raise Unreadable(what, STORE.format("FILE"))
    foreign = msgspec.toml.decode(Path(__file__).with_name("foreign.toml").read_bytes())
    for one in foreign["binary"]:
        if content.startswith(bytes.fromhex(one["begins"])):
            raise Unreadable(what, one["why"])
    if content[TAR_AT:].startswith(TAR):
        raise Unreadable(what, "it is an archive of tar. Unpack it first")
    text = decode(content, what).lstrip()
    if not text:
        raise Unreadable(what, "it is empty")
    if re.match(r"<(!doctype|html|head|body)", text, re.IGNORECASE):
        return "page"
    for one in foreign["text"]:
        if re.match(one["begins"], text):
            raise Unreadable(what, one["why"].format(**foreign["remedies"]))
    return "text"


def decode(content: bytes, what: object) -> str:
    """Decode UTF-8, UTF-16 or UTF-32, or else Latin-1; raise Unreadable if it is not a text file."""
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8-sig")
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):  # UTF-16 without its mark has zeros in every second byte
        if len(content) >= 4 and not any(content[first:64:2]) and any(content[1 - first : 64 : 2]):
            encoding = name
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8-sig":
            raise Unreadable(what, "it is not a text file") from error
        encoding = "latin-1"
        text = content.decode(encoding)
    if (CONTROL if encoding == "latin-1" else ZERO).search(text):
        raise Unreadable(what, "it is not a text file")
    return text
