"""The runtimes of this machine, their mechanisms, and a mechanism of the user's own to begin with."""

import json
import os
import re
import shlex
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct

from threadping.conduct.environment import describe_all, describe_each
from threadping.conduct.presenting import Output, pop_fields, present_sheets
from threadping.model.cases import Runtime, Skipped
from threadping.model.errors import OutputUnwritable, UnknownName, UsageError
from threadping.model.text import proposed
from threadping.output.listings import MechanismInRuntime, mechanisms_table, runtimes_table
from threadping.output.records import sheet_of
from threadping.planning.selection import near_names, spelled
from threadping.probes.builds import loops_of
from threadping.probes.java import JAR
from threadping.probes.language import probes_folder, words
from threadping.probes.runtimes import find_runtimes


def list_runtimes(**given: Any) -> int:
    found = find_runtimes(os.environ)
    described, errors = describe_each(found.runtimes)
    usable, silent = [one.runtime for one in described], [Skipped(of, str(error)) for of, error in errors.items()]
    unusable = [*found.missing, *silent]
    sheets = sheet_of("runtimes", Runtime, usable, "own"), sheet_of("unusable", Skipped, unusable, "budget", "cases")
    return present_sheets(pop_fields(Output, given), partial(runtimes_table, usable, unusable), lambda: sheets)


def list_mechanisms(names: Sequence[str], runtimes: Sequence[str], **given: Any) -> int:
    """Print the mechanisms of these names or subjects, or all."""
    found, wanted = find_runtimes(os.environ), {name: {*chain.from_iterable(spelled(name))} for name in names}
    described, unusable = describe_all(found.select(runtimes) or found.defaults())
    said = words()
    having = [
        MechanismInRuntime(
            experiment.name,
            one.runtime.label,
            mechanism,
            ", ".join(dict.fromkeys(said.timed.get(name, name) for name in mechanism.timed)),
            said.of(experiment.name, mechanism.name) or mechanism.words,
            said.version(experiment.name, mechanism.name, one.runtime.probe),
            loops.of(experiment.name, mechanism.name),
        )
        for one in described
        for loops in (loops_of(one.runtime),)
        for experiment in one.description.experiments
        for mechanism in experiment.mechanisms
        if not names or any(mechanism.name in ours or experiment.name == name for name, ours in wanted.items())
    ]
    known_names = {name for one in having for name in (one.mechanism.name, one.experiment)}
    if unknown := [name for name, ours in wanted.items() if known_names.isdisjoint({name, *ours})]:
        known = [*dict.fromkeys(name for of in said.experiments.values() for name in of.mechanisms)]
        near = near_names([*spelled(unknown[0])][-1][0], known)
        raise UnknownName("mechanism", unknown[0], known, near, lists="threadping info mechanisms")
    listed = sheet_of("mechanisms", MechanismInRuntime, having)
    silent = sheet_of("unusable", Skipped, unusable, "budget", "cases")
    output = pop_fields(Output, given)
    return present_sheets(output, partial(mechanisms_table, having, unusable), lambda: [listed, silent])


class Written(Struct, frozen=True):
    """The skeleton of a custom mechanism in a language."""

    ending: str  # of its file
    # for each concept that it can measure, one of our mechanisms to compare with
    counterparts: dict[str, str]


LANGUAGES_OF_NEW = {
    "cpp": Written(
        ".hpp", {"signal": "seqcst-one-line", "queue": "boost-spsc", "lock": "mutex", "barrier": "futex-all"}
    ),
    "java": Written(".java", {"signal": "seqcst-one-line", "queue": "jctools-spsc", "lock": "reentrant-lock"}),
    "rust": Written(".rs", {"signal": "seqcst-one-line", "queue": "rtrb", "lock": "mutex"}),
}


def write_skeleton(concept: str, language: str, name: str) -> None:
    """Write the class into a file of this folder, or a crate with the type, and print what to do with it."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise UsageError(f"The name must consist of letters and digits, such as my_{concept}, not '{name}'.")
    if concept not in LANGUAGES_OF_NEW[language].counterparts:
        able = " or ".join(name for name, written in LANGUAGES_OF_NEW.items() if concept in written.counterparts)
        raise UsageError(f"A {concept} of your own is measured in {able} only: give --language {able}.")
    type_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    place, contents = _contents(concept, language, name, type_name)
    try:
        if language == "rust":
            place.mkdir()
        for file, text in contents.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as new:
                new.write(text)
    except FileExistsError as error:
        raise UsageError(f"'{place}' exists already and is left unchanged. Give another name.") from error
    except OSError as error:
        raise OutputUnwritable(f"'{place}' could not be written: {error.strerror}. Go to another folder.") from error
    print(f"Wrote {place}: a {concept} that works. Its comments state the contract of each operation; change the rest.")
    print("\n".join(f"  {line}" for line in _next_steps(concept, language, place, type_name)))


def _contents(concept: str, language: str, name: str, type_name: str) -> tuple[Path, dict[Path, str]]:
    ending, skeletons = LANGUAGES_OF_NEW[language].ending, files("threadping.cli") / "skeletons"
    placeholder = f"My{concept.capitalize()}"
    text = (skeletons / f"{concept}{ending}").read_text(encoding="utf-8")
    if re.search(rf"\b{type_name}\b", text.replace(placeholder, "")):
        raise UsageError(f"'{type_name}' is a name that the class uses itself. Give another one.")
    text = text.replace(placeholder, type_name)
    if language != "rust":
        file = Path((name if language == "cpp" else type_name) + ending)
        return file, {file: text}
    crate = Path(name)
    patched = f"[patch.crates-io]\nthreadping = {{ path = {json.dumps(str(probes_folder() / 'dev' / 'rust'))} }}\n"
    return crate, {
        crate / "Cargo.toml": (skeletons / "Cargo.toml").read_text(encoding="utf-8").format(name=name),
        crate / ".cargo" / "config.toml": patched,
        crate / "src" / "lib.rs": text,
    }


def _next_steps(concept: str, language: str, place: Path, type_name: str) -> list[str]:
    counterpart = LANGUAGES_OF_NEW[language].counterparts[concept]
    if language != "java":
        before, named, runtime = [], f"./{place}", language
    else:
        compiling = ("javac", "-cp", str(probes_folder() / JAR), "-d", "classes", str(place))
        before, named = [shlex.join(compiling)], f"classes:{type_name}"
        runtime = next((one.label for one in find_runtimes(os.environ).runtimes if one.probe == "java"), "java")
    return [
        *before,
        proposed("run", concept, "--runtime", runtime, "--mechanism", named),
        proposed("compare", concept, "--runtime", runtime, "--mechanism", f"{named},{counterpart}"),
    ]
