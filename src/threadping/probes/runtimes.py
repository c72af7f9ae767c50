"""The probes as they can be launched here, and those of them that were asked for."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from threadping.model.cases import Runtime, Skipped
from threadping.model.characters import visible
from threadping.model.errors import ProbeUnusable, UnknownName, UsageError
from threadping.model.flags import LEFT_OUT, shell_words
from threadping.probes.java import JAVA
from threadping.probes.language import CPP, OWN_PROBE, RUST, Language, probes_folder

# In the order of output: a new one is a folder in probes/, a module, and a line here
LANGUAGES: dict[str, Language] = {"cpp": CPP, "java": JAVA, "rust": RUST, "probe": OWN_PROBE}


class Found(Struct, frozen=True):
    """The usable runtimes in the order of preference, and what is missing or unusable, with the remedy."""

    runtimes: tuple[Runtime, ...]
    missing: tuple[Skipped, ...]

    def defaults(self) -> tuple[Runtime, ...]:
        """Return the default runtimes: C++, one JVM for each Java version, and Rust."""
        return tuple(one for one in self.runtimes if re.fullmatch(LANGUAGES[one.probe].usual, _name(one)))

    def cpp(self) -> Runtime:
        """Return the C++ probe, which also reads the topology and pings CPUs; raise ProbeUnusable if not built."""
        usual = next((runtime for runtime in self.runtimes if runtime.probe == "cpp"), None)
        if usual is None:
            raise ProbeUnusable(
                "The C++ probe, which also reads the machine's topology, is not built. Run `make setup`."
            )
        return usual

    def select(self, asked: Sequence[str]) -> tuple[Runtime, ...]:
        """Return the named runtimes, each once: `cpp`, `java-17 -Xint`, `/opt/jdk`, `go=/my/probe`.

        `java` stands for every virtual machine, `cpp` for the usual build alone. No two have the same label.
        UnknownName with the nearest labels for anything else.
        """
        labelled = {runtime.label: runtime for runtime in self.runtimes}
        selected: dict[str, Runtime] = {}
        for named in chain.from_iterable(map(self._named, asked)):
            runtime = _distinct(replace(named, label=visible(named.label)), labelled)
            selected[runtime.label] = labelled[runtime.label] = runtime
        return tuple(selected.values())

    def _named(self, text: str) -> Sequence[Runtime]:
        words = shell_words("Runtime", text)
        if not words:
            raise UsageError("An empty runtime was given; `threadping runtimes` lists what there is.")
        name, flags = words[0], words[1:]
        labelled = {called(runtime): [runtime] for called in (_name, attrgetter("label")) for runtime in self.runtimes}
        whole = " ".join(words)
        if (found := labelled.get(whole)) and (whole == _name(found[0]) or LEFT_OUT in whole):
            return found
        language, equals, path = name.partition("=")
        if equals and re.fullmatch(r"[\w.+-]+", language):
            of = LANGUAGES.get(language, OWN_PROBE)
            at = of.at(Path(path).expanduser().absolute())
            named = [replace(at, label=language) if of is OWN_PROBE else at]
        elif "/" in name:
            given = LANGUAGES["java"].at(Path(name).expanduser())
            named = [next((one for one in self.runtimes if one.command[0] == given.command[0]), given)]
        else:
            named = labelled.get(name, [])
        named = named or [runtime for runtime in self.runtimes if runtime.probe == name]
        if not named:
            why = (item.reason for item in self.missing if re.split("[- ]", name)[0] == item.what)
            if reason := next(why, None):
                raise UsageError(f"Runtime '{name}' is not here: {reason}.")
            raise UnknownName("runtime", name, [runtime.label for runtime in self.runtimes])
        return [LANGUAGES[one.probe].with_flags(one, flags) if flags else one for one in named]


def find_runtimes(environment: Mapping[str, str], root: Path = Path("/"), probes: Path | None = None) -> Found:
    """Look for the probes and what they need to run; nothing is started but what is asked where its Java home is."""
    folder = probes or probes_folder()
    findings = [language.find(environment, root, folder) for language in LANGUAGES.values()]
    return Found(
        tuple(runtime for runtimes, _ in findings for runtime in runtimes),
        tuple(item for _, missing in findings for item in missing),
    )


def find_cpp(environment: Mapping[str, str]) -> Runtime:
    """Return the C++ probe if no other runtime is needed; raise ProbeUnusable if it is not built."""
    runtimes, missing = CPP.find(environment, Path("/"), probes_folder())
    return Found(tuple(runtimes), tuple(missing)).cpp()


def with_jvm_flags(selected: Sequence[Runtime], flags: tuple[str, ...]) -> tuple[Runtime, ...]:
    """Add these flags to each JVM that lacks them; merge equal runtimes."""
    with_them = []
    for runtime in selected:
        missing = tuple(flag for flag in flags if flag not in runtime.command)
        takes = runtime.probe == "java" and missing
        with_them.append(LANGUAGES["java"].with_flags(runtime, missing) if takes else runtime)
    return tuple({runtime.command: runtime for runtime in with_them}.values())


def _name(runtime: Runtime) -> str:
    return LANGUAGES[runtime.probe].name(runtime)


def _distinct(runtime: Runtime, labelled: Mapping[str, Runtime]) -> Runtime:
    """Label a runtime uniquely: a number follows its name if another has it."""
    name, blank, flags = runtime.label.partition(" ")
    number = 0
    while True:
        number += 1
        unflagged = name if number == 1 else f"{name}-{number}"
        one = replace(runtime, label=f"{unflagged}{blank}{flags}")
        other = labelled.get(one.label, one)
        # JVMs with the same flags are one runtime, wherever these came from, unless some are not in the label
        alike = one.command[0] == other.command[0] and one.probe == "java" and LEFT_OUT not in other.label
        if alike or one.command == other.command:
            return one
