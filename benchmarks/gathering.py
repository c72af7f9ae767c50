"""Find the contenders of every benchmark that can be measured here, and the remedy for those that are missing."""

from collections.abc import Callable, Sequence

from benchmarks.records import Contender, Unavailable
from threadping.model.cases import Runtime
from threadping.model.errors import ProbeUnusable
from threadping.probes.runtimes import Described, describe


class Gathering:
    """Collects the contenders that can run here; the others are left out with a sentence.

    Attributes:
        described: the runtimes whose probe has said what it can do.
        contenders: those that can run here.
        programs: the version of each runtime and program.
        missing: a sentence on each that cannot run here.
    """

    def __init__(self, runtimes: Sequence[Runtime]) -> None:
        """Ask each runtime's probe what it can do."""
        self.described: list[Described] = []
        self.contenders: list[Contender] = []
        self.programs: dict[str, str] = {}
        self.missing: list[str] = []
        for runtime in runtimes:
            try:
                one = describe(runtime)
            except ProbeUnusable as error:
                self.missing.append(str(error))
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
            self.contenders.extend(guests())
        except Unavailable as error:
            self.missing.append(str(error))
            return False
        return True
