"""Classes of a user's own in Java that cannot be measured, or break their promises; and new mechanisms."""

from tests.end_to_end.faults.fault import NOTHING, UNCHANGED, Before, Bench, Fault
from tests.end_to_end.faults.jvms import launcher

HEADING = "Classes of your own in Java, and new mechanisms"
ABOUT = (
    "A class is tried before anything is measured; what is wrong with it is said by the Java probe, whose tests bring "
    "each of these sentences about with a real class. What goes wrong only while it is measured is the failure of its "
    "trial."
)

MINE = "signal --runtime java --mechanism my.jar:acme.Mine"


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


def _wrong(title: str, sentence: str) -> Fault:
    return Fault(title, MINE, 2, sentence, NOTHING, saying(sentence, 2))


def _broken(title: str, sentence: str) -> Fault:
    said = f"'my.jar:acme.Mine' is not measured. {sentence}"
    return Fault(title, MINE, 1, said, NOTHING, saying(sentence, 1))


FAULTS = (
    _wrong("a jar that is not there", "There is neither a jar nor a folder '/home/me/my.jar'."),
    _wrong("a jar that is none", "'/home/me/my.jar' is no jar: zip END header not found."),
    _wrong(
        "a class that is not in the jar", "There is no class 'acme.Mine' in '/home/me/my.jar'. There is acme.Yours."
    ),
    _wrong(
        "a class of no concept",
        "The class 'acme.Mine' is no signal, queue or lock: let it implement threadping.MessageQueue.",
    ),
    _wrong("a class of two concepts", "The class 'acme.Mine' is a queue and a lock: make two classes of it."),
    _wrong("an abstract class", "The class 'acme.Mine' is abstract: name one of which objects can be made."),
    _wrong(
        "a class of a newer Java",
        "The class 'acme.Mine' was compiled for Java 25, and this is Java 17: compile it with --release 17, or measure "
        "with --runtime java-25.",
    ),
    _wrong(
        "a class without its library",
        "The class 'acme.Mine' needs the class 'org.agrona.Buffer', which is not in its class path: add the jar that "
        "has it, as in a.jar:b.jar:CLASS.",
    ),
    _broken("a constructor that throws", "The constructor of 'acme.Mine' threw java.lang.IllegalStateException: no."),
    _broken("a message that is lost", "acme.Mine: Message 99 of 20,000 never came: it was lost."),
    _broken("a message that is doubled", "acme.Mine: Message 99 came twice: it was doubled."),
    _broken("messages out of order", "acme.Mine: Message 99 came after 100: it was overtaken."),
    _broken(
        "a wait that stop does not end",
        "stop() does not end a wait at an empty queue: Mine.take had not returned after 5.0 s.",
    ),
    _broken("a lock that lets two in", "acme.Mine let two threads in at once."),
    _broken("a class that hangs", "Mine.offer had not returned after 5.0 s: it hangs."),
    Fault(
        "a new mechanism of a name that is there",
        "new queue mine",
        2,
        "'mine.hpp' is there already, and is left as it is. Give another name.",
        UNCHANGED,
        there_is_one,
    ),
    Fault(
        "a new mechanism of a name that is no class's",
        "new queue ../mine",
        2,
        "'../mine' is no name of a class: give one of letters and digits, such as my_queue.",
        NOTHING,
        here,
    ),
)
