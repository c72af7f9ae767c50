"""What a probe says of itself and of the machine, and what `words.json` says of mechanisms."""

from typing import Annotated

from msgspec import Meta

from threadping.model.contract.result import Count, Message, Name, Positive, ThreadCount, Version, Whole, WindowUnit

CoreKind = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,12}$")]


class Cpu(Message, frozen=True, omit_defaults=True):
    """A CPU; two share a thing when its number is the same, None where the machine does not tell.

    `kind` is what its core is called on a hybrid machine: `P`, `E`, `LP-E`, `big`, `medium`, `little`.
    """

    cpu: Count
    core: Count | None
    l2: Count | None
    l3: Count | None
    node: Count | None
    package: Count | None
    kind: CoreKind | None = None

    @property
    def is_listed(self) -> bool:
        """Whether the system lists it: of a CPU that may be used all the same nothing is known."""
        return (self.core, self.l2, self.l3, self.node, self.package) != (None,) * 5


class Topology(Message, frozen=True, omit_defaults=True):
    """What `probe topology` says: the machine's CPUs, and those that this process may use.

    `offline` are those that are known and not there; among `isolated` ones the scheduler balances no load. What the
    system tells `contradicts_itself` where the library found that it cannot all be so.
    """

    source: Name
    cpus: Annotated[tuple[Cpu, ...], Meta(min_length=1)]
    allowed: Annotated[tuple[Count, ...], Meta(min_length=1)]
    schema: Version
    offline: tuple[Count, ...] = ()
    isolated: tuple[Count, ...] = ()
    contradicts_itself: bool = False


class MechanismWords(Message, frozen=True):
    """A sentence on what a mechanism does, and one on what it costs the CPU and when to choose it."""

    summary: Name
    costs: Name


class ExperimentWords(Message, frozen=True):
    """What is said of its mechanisms, or which experiment says the same of them; and a sentence on each parameter."""

    mechanisms: dict[str, MechanismWords | Name]
    params: dict[str, Name]


FIRST_VERSION = "1.0.0"
"""Of a mechanism that never changed."""


class MechanismChange(Message, frozen=True):
    """That mechanisms of a language became another version, and what changed.

    The first number counts up where figures mean something else: they are no more compared with those of before; the
    second where a parameter came, or means more than it did; the third where the machine code of a timed loop is
    another and its figures are as they were. `mechanisms` names those of the experiment; none named are all.
    """

    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    experiment: Name
    probe: Name
    mechanisms: tuple[Name, ...]
    what: Name

    def is_of(self, experiment: str, mechanism: str, probe: str) -> bool:
        """Whether it changed this mechanism in this language."""
        of_it = not self.mechanisms or mechanism in self.mechanisms
        return of_it and (self.experiment, self.probe) == (experiment, probe)


class Words(Message, frozen=True):
    """All that is said; `timed` tells of each distribution, by its name, what was timed.

    `changes` are those of mechanisms, of each the oldest first.
    """

    timed: dict[str, Name]
    experiments: dict[str, ExperimentWords]
    changes: tuple[MechanismChange, ...]

    def version(self, experiment: str, mechanism: str, probe: str) -> str:
        """The version of an experiment's mechanism in a language."""
        changes = [one for one in self.changes if one.is_of(experiment, mechanism, probe)]
        return changes[-1].version if changes else FIRST_VERSION

    def of(self, experiment: str, mechanism: str) -> MechanismWords | None:
        """What is said of an experiment's mechanism; None of one that stands nowhere here."""
        known = self.experiments.get(experiment)
        found = known.mechanisms.get(mechanism) if known else None
        return self.of(found, mechanism) if isinstance(found, str) else found


class Toolchain(Message, frozen=True):
    """The compiler, or the virtual machine, with its flags."""

    name: Name
    version: Name
    flags: tuple[str, ...]


class OnlyWith(Message, frozen=True):
    """The value of another parameter without which a parameter may not be given."""

    param: Name
    value: Name


class ParamDescription(Message, frozen=True):
    """A mechanism's parameter: a text with its `choices`, or a whole number with its `range` (least, most).

    `needs` has what a text may be elsewhere, each with what it needs that is not here.
    """

    name: Name
    default: Whole | str
    choices: Annotated[tuple[Name, ...], Meta(min_length=1)] | None
    range: tuple[Whole, Whole] | None
    only_with: OnlyWith | None
    needs: tuple[tuple[Name, str], ...] = ()


class MechanismDescription(Message, frozen=True):
    """A mechanism as its probe describes it.

    `timed` names for each role the distribution of what it times one by one, the last for all further ones; `pinnable`
    is False for threads without a CPU of their own; `needs` says why this runtime cannot run it; `words` are of one
    that stands nowhere in words.json.
    """

    name: Name
    blocking: bool
    timed: Annotated[tuple[Name, ...], Meta(min_length=1)]
    pinnable: bool
    lines: Positive
    params: tuple[ParamDescription, ...]
    needs: str | None
    words: MechanismWords | None


class RoleDescription(Message, frozen=True):
    """A thread's part; `counts` says whether its operations are the experiment's."""

    name: Name
    counts: bool


class ExperimentDescription(Message, frozen=True):
    """An experiment that a probe can measure.

    `roles` are what its threads are, in the order of a request's `threads`; further ones again and again, or as
    parameters say. `threads` is the least and the most of them that a trial can have; `windows` the unit of a request's
    windows.
    """

    name: Name
    roles: Annotated[tuple[RoleDescription, ...], Meta(min_length=1)]
    threads: tuple[ThreadCount, ThreadCount]
    windows: WindowUnit
    mechanisms: tuple[MechanismDescription, ...]

    @property
    def role_names(self) -> tuple[str, ...]:
        """What its threads are, by name."""
        return tuple(role.name for role in self.roles)


class Description(Message, frozen=True):
    """What `probe describe` says."""

    probe: Name
    version: Name
    toolchain: Toolchain
    experiments: tuple[ExperimentDescription, ...]
    schema: Version
