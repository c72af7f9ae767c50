"""A person's selection of cases, and the inventory that they are made from."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.states import Wanted
from threadping.model.cases import DEFAULT_WARMUP, Case, Runtime, Skipped, WarmupPolicy
from threadping.model.contract import OUTLIERS, OutliersRequest, Pin, Topology
from threadping.planning.defaults import CaseDefaults
from threadping.probes.custom.sources import OwnSource
from threadping.probes.description import Described

Values = Mapping[str, tuple[str, ...]]  # the values selected for each parameter, as they were written


class Selection(Struct, frozen=True, kw_only=True):
    """The selected cases and how to measure them; threadping chooses where a field is empty or None.

    Attributes:
        experiments: their names.
        runtimes: as `--runtime` names them.
        jvm_flags: the flags that every JVM is started with, by the option that asks for them.
        mechanisms: by name or alias.
        own: those of the mechanisms that are the user's own, of files.
        cxx: the compiler that builds these; None for the usual one.
        cxxflags: its flags.
        cargoflags: those of cargo, which builds crates.
        placements: in place of the usual ones.
        cpus: where the threads run, in place of placements.
        threads: how many, for experiments that take any number.
        pairs: how many pairs of threads, for experiments that take pairs.
        params: of the mechanisms.
        pins: each thread by itself, or the process as a whole.
        warmups: one or several; each is a case of its own.
        lines: over how many cache lines, in place of the mechanism's own number.
        homes: roles or NUMA nodes on whose CPUs the memory is first touched.
        state: measure only while the CPUs are in this state.
        outliers: what counts as one; None looks for none.
        busy: beside how many threads that compete for the CPUs; each number is a case of its own.
        busy_nice: by how much those give way to others, 0 to 19.
        budget_s: how long the whole may take.
        trial_s: how long a trial is.
        until: a case is measured no more when it is known within so much of its figure.
        seed: of every random order.
        anyway: measure although another threadping is measuring.
    """

    experiments: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    jvm_flags: Values = {}
    mechanisms: tuple[str, ...] = ()
    own: tuple[OwnSource, ...] = ()
    cxx: str | None = None
    cxxflags: str = ""
    cargoflags: str = ""
    placements: tuple[str, ...] = ()
    cpus: tuple[int, ...] | None = None
    threads: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()
    params: Values = {}
    pins: tuple[Pin, ...] = ("thread",)
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)
    lines: int | None = None
    homes: tuple[str, ...] = ()
    state: Wanted | None = None
    outliers: OutliersRequest | None = OUTLIERS
    busy: tuple[int, ...] = (0,)
    busy_nice: int = 0
    budget_s: float = 60.0
    trial_s: float | None = None
    until: float | None = None
    seed: int | None = None
    anyway: bool = False

    @property
    def named_axes(self) -> tuple[str, ...]:
        """The axes on which values are selected, by the names that `axes_of` has for them."""
        selected = {
            "mechanism": self.mechanisms,
            "runtime": self.runtimes,
            "threads": self.threads or self.pairs,
            "placement": self.placements,
            "pin": self.pins[1:],
            "home": self.homes,
            "warmup": self.warmups[1:],
            "busy": self.busy[1:],
        }
        return (*(axis for axis, values in selected.items() if values), *(f"{name}=" for name in self.params))


class Inventory(Struct, frozen=True, kw_only=True):
    """The runtimes and the machine that cases are made for.

    Attributes:
        case_defaults: what each experiment declares of its cases.
        topology: the machine's CPUs.
        described: the runtimes, each with what its probe can do.
        timed: what each distribution is of, in words.
        missing: runtimes that are left out already.
        spent_s: how long it took to find that out, from the beginning of the command.
    """

    case_defaults: Mapping[str, CaseDefaults]
    topology: Topology
    described: Sequence[Described]
    timed: Mapping[str, str]
    missing: Sequence[Skipped] = ()
    spent_s: float = 0.0

    @property
    def runtimes(self) -> list[Runtime]:
        return [one.runtime for one in self.described]

    def only(self, cases: Iterable[Case]) -> "Inventory":
        labels = {case.runtime for case in cases}
        return replace(self, described=[one for one in self.described if one.runtime.label in labels])
