"""What an experiment declares of its cases: how many threads take part, and what is asked first."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Where = Literal["home", "apart", "unpinned"]
"""`home` is where most want to know first: the closest two CPUs, or a core for each thread; `apart` every placement of
different CPUs."""


class First(Struct, frozen=True):
    """A mechanism that is asked first, because it answers what a newcomer wants to know.

    Attributes:
        mechanism: its name; a runtime that lacks it is not asked.
        params: parameters that differ from the defaults.
        where: at which placements.
    """

    mechanism: str
    params: Mapping[str, str] = {}
    where: tuple[Where, ...] = ("home",)


class Sweep(Struct, frozen=True):
    """Values of a parameter that are measured where nobody names one.

    It has no effect where another parameter has the value that `unless` says.
    """

    param: str
    values: tuple[str, ...]
    unless: tuple[str, str] = ("", "")

    def of(self, asked: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """What it adds to the parameters that were asked for."""
        return {} if self.param in asked else {self.param: self.values}

    def has_no_effect(self, params: Mapping[str, int | str]) -> bool:
        """Whether it has none beside these parameters."""
        other, value = self.unless
        return params.get(other) == value


class Asking(Struct, frozen=True, kw_only=True):
    """What is asked where the choice is ours.

    Attributes:
        threads: how many take part unless parameters say otherwise; None where their number is part of the question.
        by_role: the parameters that say how many threads have a role, 1 each unless given; all threads are their sum.
        group: how many threads belong together, such as 2 for a notifier and its waiter.
        groups: how many of them are measured when nobody says, the first before the others; empty for powers of two up
            to twice the number of CPUs.
        least: the fewest threads that can take part, where their number is part of the question.
        of_cpus: the shares of the CPUs for which as many threads are measured when nobody says, beside the least; the
            least and one for each CPU come before the others.
        first: what a minute suffices for; the most wanted first.
        sweep: the values of a parameter at which each mechanism is measured.
        at_home_with: a parameter and its value with which further placements are measured only where they are named.
    """

    threads: int | None
    by_role: tuple[str, ...] = ()
    group: int = 1
    groups: tuple[int, ...] = ()
    least: int = 1
    of_cpus: tuple[float, ...] = ()
    first: tuple[First, ...]
    sweep: Sweep | None = None
    at_home_with: tuple[str, str] = ("", "")

    def is_at_home(self, params: Mapping[str, int | str]) -> bool:
        """Whether only one placement is measured with these parameters, unless others are named."""
        param, value = self.at_home_with
        return params.get(param) == value

    def threads_of(self, params: Mapping[str, int | str]) -> int | None:
        """How many threads a case with these parameters has; None where parameters do not say it."""
        return sum(int(params.get(role, 1)) for role in self.by_role) if self.by_role else None
