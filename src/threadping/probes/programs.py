"""Probes that are programs, built ahead of time: how one is found, and refused."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from threadping.errors import UsageError
from threadping.model.cases import Runtime, Skipped
from threadping.probes.language import Findings


def finder(
    language: str, builds: Mapping[str, str], remedy: str
) -> Callable[[Mapping[str, str], Path, Path], Findings]:
    """What finds these builds of a language's probe, files by label; the first is missing where it is not there."""

    def find(_environment: Mapping[str, str], _root: Path, probes: Path) -> Findings:
        found = [
            Runtime(name, language, (str(probes / file),), "")
            for name, file in builds.items()
            if (probes / file).exists()
        ]
        usual = probes / builds[language]
        missing = Skipped(language, f"its probe is not built: '{usual.name}' is missing. {remedy}")
        return found, [] if usual.exists() else [missing]

    return find


def program_of(language: str) -> Callable[[Path], Runtime]:
    """What makes a runtime of a program at a path, the user's own, under the name of its file."""

    def program_at(path: Path) -> Runtime:
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise UsageError(f"No probe at '{path}': it is not a program that can be run.")
        return Runtime(path.name, language, (str(path),), "")

    return program_at


def takes_no_flags(runtime: Runtime, flags: tuple[str, ...], built: str = "") -> UsageError:
    """Why it takes none."""
    return UsageError(
        f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given. It is a program that is built "
        f"already{built}."
    )
