"""Files of other people: pages, runs, and matrices of other tools."""

from tests.end_to_end.faults.fault import NOTHING, Before, Fault

HEADING = "Other people's files"
ABOUT = (
    "A file is believed as little as a stranger: nothing of it is stored before all of it has been read and checked."
)


def file(name: str, content: bytes | str) -> Before:
    """Somebody sent this file."""
    return lambda bench: bench.write(name, content)


SQUARE = "\n".join(["", "34.2", "38.9,33.1"])

FAULTS = (
    Fault(
        "a file that is not there",
        "import page.html",
        1,
        "page.html cannot be imported: No such file or directory.",
        NOTHING,
    ),
    Fault(
        "a page that threadping did not make",
        "import page.html",
        1,
        "page.html cannot be imported: it carries no run: `threadping report` did not make it, or it was cut off.",
        NOTHING,
        file("page.html", "<p>hello"),
    ),
    Fault(
        "an empty page",
        "import page.html",
        1,
        "page.html cannot be imported: it carries no run: `threadping report` did not make it, or it was cut off.",
        NOTHING,
        file("page.html", ""),
    ),
    Fault(
        "a page that is not there, to be shown",
        "report page.html",
        1,
        "page.html cannot be imported: No such file or directory.",
        NOTHING,
    ),
    Fault(
        "a folder for a page",
        "import page.html",
        1,
        "page.html cannot be imported: Is a directory.",
        NOTHING,
        lambda bench: (bench.folder / "page.html").mkdir(),
    ),
    Fault(
        "an empty matrix",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: it is empty.",
        NOTHING,
        file("theirs.csv", ""),
    ),
    Fault(
        "a matrix with a row too short",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: a matrix of 3 rows has as many columns, but line 3 has 2.",
        NOTHING,
        file("theirs.csv", ",1.0,2.0\n3.0,,4.0\n5.0,6.0\n"),
    ),
    Fault(
        "a matrix with semicolons",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: it has semicolons where core-to-core-latency writes commas. Replace them.",
        NOTHING,
        file("theirs.csv", ";1.0\n2.0;\n"),
    ),
    Fault(
        "a word among the figures",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: 'fast' in line 1 is no latency in nanoseconds.",
        NOTHING,
        file("theirs.csv", ",fast\n2.0,\n"),
    ),
    Fault(
        "a negative latency",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: '-5' in line 1 is no latency in nanoseconds.",
        NOTHING,
        file("theirs.csv", ",-5\n2.0,\n"),
    ),
    Fault(
        "a matrix without a figure",
        "import theirs.csv",
        1,
        "theirs.csv cannot be imported: it has no latency between two CPUs.",
        NOTHING,
        file("theirs.csv", ",\n,\n"),
    ),
)
