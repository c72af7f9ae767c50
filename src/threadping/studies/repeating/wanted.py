"""A case that repeats something, as data, before it is known whether this machine can measure it."""

from typing import Literal

from msgspec import Struct

from threadping.contract import Pin

Build = tuple[str, ...]
"""The language of a probe, and those of its flags that matter."""


class WantedCase(Struct, frozen=True, forbid_unknown_fields=True):
    """A case that repeats something, before it is known whether this machine can measure it.

    `params` are `name=value`, those that are not their default, with blanks in between; `runtime` is a language, or the
    label of a runtime; `flags` are those that matter, and from Java `since_java` on a JVM is as with them without.
    `lines` None is as many as the mechanism has by itself.
    """

    experiment: str
    mechanism: str
    runtime: str = "java"
    flags: tuple[str, ...] = ()
    since_java: int | None = None
    params: str = ""
    place: Literal["two-cpus", "two-cores", "smt", "cross-node", "same-cpu", "unpinned"] = "unpinned"
    pin: Pin = "thread"
    lines: int | None = None
    threads: int = 2

    @property
    def build(self) -> Build:
        """The runtime of the case, and the flags of its JVM."""
        return self.runtime, *self.flags

    @property
    def title(self) -> str:
        """Name it: `signal condition java two-cpus process`."""
        threads = "" if self.threads == 2 else f"{self.threads} threads"
        process, lines = "process" if self.pin == "process" else "", f"lines={self.lines}" if self.lines else ""
        parts = (self.mechanism, self.params, self.runtime, *self.flags, threads, self.place, process, lines)
        return " ".join([self.experiment, *filter(None, parts)])
