"""What there is to measure with, on this machine, now."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import Topology
from threadping.model import Case, Runtime, Skipped
from threadping.probes.description import Described
from threadping.selection.asking import Asking


class Inventory(Struct, frozen=True, kw_only=True):
    """What there is to measure with.

    Attributes:
        askings: what each experiment declares of its cases.
        topology: the machine's CPUs.
        described: the runtimes, each with what its probe can do.
        timed: what each distribution is of, in words.
        missing: runtimes that are left out already.
    """

    askings: Mapping[str, Asking]
    topology: Topology
    described: Sequence[Described]
    timed: Mapping[str, str]
    missing: Sequence[Skipped] = ()

    @property
    def runtimes(self) -> list[Runtime]:
        """Those that are described."""
        return [one.runtime for one in self.described]

    def only(self, cases: Iterable[Case]) -> "Inventory":
        """The same with no more runtimes than these cases have."""
        labels = {case.runtime for case in cases}
        return replace(self, described=[one for one in self.described if one.runtime.label in labels])
