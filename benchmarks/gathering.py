"""Who can be measured here, and what is missing, with the remedy: whatever the benchmark."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from benchmarks.records import Contender, Unavailable
from threadping.errors import ProbeUnusable
from threadping.model import Runtime
from threadping.probes.description import Described, describe


class Gathered(Struct, frozen=True):
    """The contenders, the version of each program and runtime, and sentences on who is missing."""

    contenders: tuple[Contender, ...]
    programs: dict[str, str]
    missing: tuple[str, ...]


class Gathering:
    """Grows by whoever can come; who cannot is left out with a sentence."""

    def __init__(self, runtimes: Sequence[Runtime]) -> None:
        """Ask each runtime's probe what it can do."""
        self.described: list[Described] = []
        self.programs: dict[str, str] = {}
        self._contenders: list[Contender] = []
        self._missing: list[str] = []
        for runtime in runtimes:
            try:
                one = describe(runtime)
            except ProbeUnusable as error:
                self._missing.append(str(error))
            else:
                self.described.append(one)
                self.programs[one.runtime.label] = one.runtime.version

    @property
    def virtual_machines(self) -> list[Runtime]:
        """The runtimes that run Java."""
        return [one.runtime for one in self.described if one.runtime.probe == "java"]

    def invite(self, guests: Callable[[], Sequence[Contender]]) -> bool:
        """Add what `guests` gives, after it has built what they need; False if it was Unavailable."""
        try:
            self._contenders.extend(guests())
        except Unavailable as error:
            self._missing.append(str(error))
            return False
        return True

    def closed(self) -> Gathered:
        """Everyone who came."""
        return Gathered(tuple(self._contenders), self.programs, tuple(self._missing))
