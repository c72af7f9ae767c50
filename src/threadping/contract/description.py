"""What `probe describe` says."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.values import Message, Name, Positive, ThreadCount, Version, Whole, WindowUnit
from threadping.contract.words import MechanismWords


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
