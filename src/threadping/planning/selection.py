"""A person's selection of cases, and the inventory that they are made from."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.states import StateFilter
from threadping.model.cases import DEFAULT_WARMUP, Case, Runtime, Skipped, WarmupPolicy
from threadping.model.contract import OUTLIERS, OutliersRequest, Pin, Topology
from threadping.planning.defaults import CaseDefaults
from threadping.probes.custom.sources import OwnSource
from threadping.probes.description import Described

Values = Mapping[str, tuple[str, ...]]  # the values selected for each parameter, as they were written


class Selection(Struct, frozen=True, kw_only=True):
    """The selected cases and how to measure them; threadping chooses where a field is empty or None."""

    experiments: tuple[str, ...] = ()  # their names
    runtimes: tuple[str, ...] = ()  # as `--runtime` names them
    jvm_flags: Values = {}  # the flags that every JVM is started with, by the option that asks for them
    mechanisms: tuple[str, ...] = ()  # by name or alias
    own: tuple[OwnSource, ...] = ()  # those of the mechanisms that are the user's own, of files
    cxx: str | None = None  # the compiler that builds these; None for the usual one
    cxxflags: str = ""  # its flags
    cargoflags: str = ""  # those of cargo, which builds crates
    placements: tuple[str, ...] = ()  # in place of the usual ones
    cpus: tuple[int, ...] | None = None  # where the threads run, in place of placements
    threads: tuple[int, ...] = ()  # how many, for experiments that take any number
    pairs: tuple[int, ...] = ()  # how many pairs of threads, for experiments that take pairs
    params: Values = {}  # of the mechanisms
    pins: tuple[Pin, ...] = ("thread",)  # each thread by itself, or the process as a whole
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)  # one or several; each is a case of its own
    lines: int | None = None  # over how many cache lines, in place of the mechanism's own number
    homes: tuple[str, ...] = ()  # roles or NUMA nodes on whose CPUs the memory is first touched
    state: StateFilter | None = None  # measure only while the CPUs are in this state
    outliers: OutliersRequest | None = OUTLIERS  # what counts as one; None looks for none
    busy: tuple[int, ...] = (0,)  # numbers of busy threads that compete for the CPUs; each is a case of its own
    busy_nice: int = 0  # by how much those give way to others, 0 to 19
    budget_s: float = 60.0  # how long the whole may take
    trial_s: float | None = None  # how long a trial is
    until: float | None = None  # a case is measured no more when it is known within so much of its figure
    seed: int | None = None  # of every random order
    anyway: bool = False  # measure although another threadping is measuring

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
    """The runtimes and the machine that cases are made for."""

    case_defaults: Mapping[str, CaseDefaults]  # what each experiment declares of its cases
    topology: Topology  # the machine's CPUs
    described: Sequence[Described]  # the runtimes, each with what its probe can do
    timed: Mapping[str, str]  # what each distribution is of, in words
    missing: Sequence[Skipped] = ()  # runtimes that are left out already
    spent_s: float = 0.0  # how long it took to find that out, from the beginning of the command

    @property
    def runtimes(self) -> list[Runtime]:
        return [one.runtime for one in self.described]

    def only(self, cases: Iterable[Case]) -> "Inventory":
        labels = {case.runtime for case in cases}
        return replace(self, described=[one for one in self.described if one.runtime.label in labels])
