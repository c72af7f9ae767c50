"""Classes of a user's own in Java that cannot be measured, or break their promises; and new mechanisms."""

from tests.end_to_end.faults.fault import NOTHING, UNCHANGED, Before, Bench, Fault
from tests.end_to_end.faults.jvms import launcher

HEADING = "Classes of your own in Java, and new mechanisms"
ABOUT = (
    "A class is tried before anything is measured, and the Java probe's sentence is passed on: that the class is "
    "not there, is abstract, of a newer Java or without its library, or that it lost, doubled or overtook a "
    "message, does not wake up, let two threads in, or hangs. The probe's own tests bring each of those about with "
    "a real class. What goes wrong only while it is measured is the failure of its trial."
)

MINE = "run signal --runtime java --mechanism my.jar:acme.Mine"


def saying(sentence: str, status: int) -> Before:
    """A JVM in which the probe says this of a class."""
    return launcher(f'echo "{sentence}" >&2; exit {status}\n')


def there_is_one(bench: Bench) -> None:
    """A file of the new mechanism's name, in the folder where the command is given."""
    bench.write("mine.hpp", "precious")
    bench.patch.chdir(bench.folder)


def here(bench: Bench) -> None:
    """In a folder of its own."""
    (bench.folder / "here").mkdir()
    bench.patch.chdir(bench.folder / "here")


ABSTRACT = "The class 'acme.Mine' is abstract: name a concrete class."
TWO_IN = "acme.Mine let two threads in at once."

FAULTS = (
    Fault("a class that cannot be measured", MINE, 2, ABSTRACT, NOTHING, saying(ABSTRACT, 2)),
    Fault(
        "a class that breaks its contract",
        MINE,
        1,
        "'my.jar:acme.Mine' is not measured. acme.Mine let two threads in at once. Correct it, then measure again.",
        NOTHING,
        saying(TWO_IN, 1),
    ),
    Fault(
        "a new mechanism of a name that is there",
        "new queue mine",
        2,
        "'mine.hpp' exists already and is left unchanged. Give another name.",
        UNCHANGED,
        there_is_one,
    ),
    Fault(
        "a new mechanism of a name that is no class's",
        "new queue ../mine",
        2,
        "The name must consist of letters and digits, such as my_queue, not '../mine'.",
        NOTHING,
        here,
    ),
)
