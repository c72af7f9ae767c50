"""Classes of a user's own in Java that cannot be measured, or break their promises; and new mechanisms."""

from tests.end_to_end.faults.fault import NOTHING, UNCHANGED, Before, Bench, How, read_faults
from tests.end_to_end.faults.jvms import launcher

HEADING = "Classes of your own in Java, and new mechanisms"
ABOUT = (
    "A class is tried before anything is measured, and the Java probe's sentence is passed on: that the class is "
    "not there, is abstract, of a newer Java or without its library, or that it lost, doubled or overtook a "
    "message, does not wake up, let two threads in, or hangs. The probe's own tests bring each of those about with "
    "a real class. What goes wrong only while it is measured is the failure of its trial."
)


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

FAULTS = read_faults(
    __file__,
    {
        "a class that cannot be measured": How(NOTHING, saying(ABSTRACT, 2)),
        "a class that breaks its contract": How(NOTHING, saying(TWO_IN, 1)),
        "a new mechanism of a name that is there": How(UNCHANGED, there_is_one),
        "a new mechanism of a name that is no class's": How(NOTHING, here),
    },
)
