"""A mechanism of the user's own to begin with: it compiles, keeps its promises, and says what these are."""

import os
import re
import shlex
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from threadping.errors import UsageError
from threadping.probes.java import JAR
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import find_runtimes
from threadping.proposals import proposed

CONCEPTS = {"signal": "signal", "queue": "ring", "lock": "lock"}
"""And the experiment that measures each first."""


class Written(Struct, frozen=True):
    """What is written in a language, and how it is named on the command line.

    Attributes:
        ending: of its file.
        beside: for each concept a mechanism of ours that it may be compared with.
    """

    ending: str
    beside: dict[str, str]


LANGUAGES_OF_NEW = {
    "cpp": Written(".hpp", {"signal": "seqcst-one-line", "queue": "boost-spsc", "lock": "mutex"}),
    "java": Written(".java", {"signal": "seqcst-one-line", "queue": "jctools-spsc", "lock": "reentrant-lock"}),
}


def write_skeleton(concept: str, language: str, name: str) -> None:
    """Write the class into a file of this folder, and print what to do with it."""
    written = LANGUAGES_OF_NEW[language]
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise UsageError(f"'{name}' is no name of a class: give one of letters and digits, such as my_{concept}.")
    type_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    placeholder = f"My{concept.capitalize()}"
    text = (files("threadping.cli") / "skeletons" / f"{concept}{written.ending}").read_text(encoding="utf-8")
    if re.search(rf"\b{type_name}\b", text.replace(placeholder, "")):
        raise UsageError(f"'{type_name}' is a name that the class uses itself: give it another one.")
    file = Path((name if language == "cpp" else type_name) + written.ending)
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text.replace(placeholder, type_name))
    except FileExistsError as error:
        raise UsageError(f"'{file}' is there already, and is left as it is. Give another name.") from error
    print(f"Wrote {file}: a {concept} that works. Its comments say what each operation promises; change the rest.")
    print("\n".join(f"  {line}" for line in _next_steps(concept, language, file, type_name)))


def _next_steps(concept: str, language: str, file: Path, type_name: str) -> list[str]:
    """The commands that measure it, and compare it with a mechanism of ours."""
    experiment, beside = CONCEPTS[concept], LANGUAGES_OF_NEW[language].beside[concept]
    if language == "cpp":
        before, named, runtime = [], f"./{file}", "cpp"
    else:
        compiling = ("javac", "-cp", str(probes_folder() / JAR), "-d", "classes", str(file))
        before, named = [shlex.join(compiling)], f"classes:{type_name}"
        runtime = next((one.label for one in find_runtimes(os.environ).runtimes if one.probe == "java"), "java")
    return [
        *before,
        proposed(experiment, "--runtime", runtime, "--mechanism", named),
        proposed("compare", experiment, "--runtime", runtime, "--mechanism", f"{named},{beside}"),
    ]
