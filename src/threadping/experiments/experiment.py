"""What makes one experiment differ from another: all of it declared, none of it printed or stored."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from threadping.analysis.declaration import Declaration
from threadping.model.cases import Case
from threadping.plan.windows import Pace
from threadping.selection.asking import Asking


class Experiment(Struct, frozen=True, kw_only=True):
    """A question: a new one is a module with one of these, and a line in EXPERIMENTS.

    Attributes:
        help: what it measures, in a sentence.
        examples: what to type behind `threadping`, each with what that shows.
        own_command: whether only its own command measures it, and `run` does not.
        looks: whether causes of outliers are looked for unless the user says so. A look takes CPU time, which is little
            beside that of a thread that is busy, and most of it where one mostly sleeps.
        asking: how many threads take part, and what is asked first.
        pace: what a plan must know of its trials.
        figures: what is read, summed up, shown and checked.
        options: parameters of its mechanisms that have an option of their own, each with its help.
        jvm_options: options that stand for flags of every Java virtual machine, each with these flags and its help.
        makes_alike: the name of the JVM option without which two cases do different work; empty where none is needed.
    """

    help: str
    examples: Sequence[tuple[str, str]]
    own_command: bool = False
    looks: bool = True
    asking: Asking
    pace: Pace
    figures: Declaration
    options: Mapping[str, str] = {}
    jvm_options: Mapping[str, tuple[tuple[str, ...], str]] = {}
    makes_alike: Callable[[Case, Case], str] = lambda _, __: ""
