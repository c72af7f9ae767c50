"""Every error a person can meet, each a sentence that says what happened and what to do.

The command line prints `str(error)` and exits with `exit_code`: 2 where the question was wrong, 1 where the answer
could not be had, 4 where it is undecided, 130 after Ctrl-C. Nothing else may escape to a person as a traceback.
"""

from collections.abc import Iterable, Sequence
from errno import EISDIR, ELOOP, ENOENT
from importlib import import_module
from importlib.util import find_spec
from os import strerror
from typing import Any


class ThreadpingError(Exception):
    """The root: a clear sentence for a person, and the exit code that goes with it."""

    exit_code = 1


class UsageError(ThreadpingError):
    """The request cannot be met: an unknown name, an impossible combination."""

    exit_code = 2


def system_cause(error: OSError) -> str:
    """Return what the operating system reports, in plain words."""
    own_words = error.strerror if error.errno and error.strerror != strerror(error.errno) else None
    plain = {ENOENT: "there is no such file or folder", EISDIR: "it is a folder", ELOOP: "it is a symbolic link"}
    return own_words or plain.get(error.errno or 0) or error.strerror or str(error)


def cause_of(error: BaseException) -> str:
    """Say in a clause what was wrong with a value that was read: the first line, without the pattern of a time."""
    said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    ours = {"error": "it cannot be decompressed", "RecursionError": "it is nested too deeply"}  # the first is of zlib
    said = ours.get(type(error).__name__, "it has another form" if isinstance(error, TypeError) else said)
    if isinstance(error, LookupError):
        said = f"{type(error).__name__}: {said}"
    _, pattern, where = said.partition(" matching regex ")
    said = f"Expected a time with its zone{where[where.rfind(' - at ') :]}" if pattern else said
    return said if len(said) <= MOST_OF_A_CAUSE else f"{said[:MOST_OF_A_CAUSE]}\N{HORIZONTAL ELLIPSIS}"


MOST_OF_A_CAUSE = 160  # characters
MOST_LISTED = 12  # names listed in full; beyond it only the nearest
MIN_SIMILARITY = 0.7  # of difflib: below it a suggestion has little of what was typed
MIN_WITHIN = 4  # letters of a name within what was typed: `busyspin` has `spin`


def similar(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three of these names that are spelt much like one, or are part of it; dashes do not count."""
    import difflib  # slow to import, and needed only for a mistyped name

    bare = {one.lstrip("-"): one for one in names}
    typed = name.lstrip("-")
    near = difflib.get_close_matches(typed, bare, n=3, cutoff=MIN_SIMILARITY)
    least = max(MIN_WITHIN, len(typed) / 2)
    return [bare[one] for one in near or [one for one in bare if len(one) >= least and one in typed][:3]]


def did_you_mean(near: Sequence[str]) -> str:
    """Return the question behind a sentence that suggests these names; empty if there are none."""
    return f" Did you mean {either(near)}?" if near else ""


def either(names: Sequence[str]) -> str:
    """Join names as alternatives: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class UnknownName(UsageError):
    """An unknown name, with the nearest known ones."""

    def __init__(
        self, kind: str, name: str, valid: list[str], near: list[str] | None = None, note: str = "", lists: str = ""
    ) -> None:
        near = similar(name, valid) if near is None else near
        if len(valid) > MOST_LISTED and (lists or near):
            listed = f" `{lists}` lists them all." if lists else ""
        else:
            listed = f" Known: {', '.join(valid)}." if valid else " Leave it out: none is known here."
        super().__init__(f"Unknown {kind} '{name}'{note}.{did_you_mean(near)}{listed}")
        self.kind, self.name, self.near = kind, name, near


class Undecided(ThreadpingError):
    """There is an answer, and a doubt about it that `--strict` does not accept."""

    exit_code = 4


class Interrupted(ThreadpingError):
    """The user pressed Ctrl-C or closed the terminal, or SIGTERM came."""

    exit_code = 130


class BudgetTooSmall(UsageError):
    """The plan does not fit the time given."""


class NothingToMeasure(UsageError):
    """The selection leaves no case that this machine can run."""


class ProbeUnusable(ThreadpingError):
    """A probe cannot be started at all, or describes itself in words we cannot read."""


class CpusLost(ThreadpingError):
    """CPUs that a run needs were taken from this process while it measured."""


class FlagRefused(ProbeUnusable, UsageError):
    """A virtual machine refuses, or ignores, a flag that it was to be started with."""


class StoreError(ThreadpingError):
    """The store of runs cannot be opened, read or written."""


class StoreMissing(StoreError):
    """There is no store there yet, so nothing to show."""


class StoreReadOnly(StoreError):
    """The store exists, but may not be written."""


class StoreFull(StoreError):
    """The disk, or a quota on it, is full."""


class StoreCorrupt(StoreError):
    """The file is not a threadping store, or is damaged."""


class RunDamaged(StoreError):
    """One run of a store cannot be read; the others can."""

    def __init__(self, run_id: int, error: BaseException) -> None:
        super().__init__(f"Run {run_id} is damaged ({cause_of(error)}): `threadping runs rm {run_id}` removes it.")
        self.run_id = run_id


class OutputUnwritable(ThreadpingError):
    """A file cannot be written where it should be."""


class ChartRefused(ThreadpingError):
    """There is nothing to draw in a chart."""


class Unreadable(ThreadpingError):
    """A given file or text cannot be imported."""

    def __init__(self, what: object, why: str) -> None:
        way_out = "" if ". " in why or "`" in why else " `threadping help runs import` lists what can be imported."
        super().__init__(f"{what} cannot be imported: {why}.{way_out}")


class PageUnreadable(Unreadable):
    """A file is no page of threadping, or the run in it cannot be believed."""


class FleetLost(ThreadpingError):
    """Dask's scheduler or its workers cannot be reached, or not any more."""


# Modules of each extra; everything else is always installed
EXTRAS = {"charts": ("jinja2", "vl_convert"), "fleet": ("distributed",), "hdrhistogram": ("hdrh",)}


def import_by_path(path: str) -> Any:
    """Return what a path below this package names, as `studies.survey.STUDY`; its module is imported now."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"threadping.{module}"), name)


def require_extra(extra: str, what: str) -> None:
    """See that an extra is installed, for `what` begins the sentence if not; raises ThreadpingError."""
    if missing := [module for module in EXTRAS[extra] if find_spec(module) is None]:
        raise ThreadpingError(
            f"{what} need {' and '.join(missing)}, which not every machine has: pip install 'threadping[{extra}]'."
        )
