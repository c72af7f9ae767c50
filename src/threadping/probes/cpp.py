"""The C++ probe: a program, built usually and, beside it, for the CPUs of the machine that built it."""

import os
from collections.abc import Mapping
from pathlib import Path

from threadping.errors import UsageError
from threadping.model.cases import Runtime, Skipped
from threadping.probes.language import Findings, Language, label

NATIVE_FLAGS = ("-march=native",)
BUILDS = {"cpp": "threadping-probe", label("cpp", NATIVE_FLAGS): "threadping-probe-native"}


def _find(_environment: Mapping[str, str], _root: Path, probes: Path) -> Findings:
    found = [
        Runtime(name, "cpp", (str(probes / file),), "") for name, file in BUILDS.items() if (probes / file).exists()
    ]
    usual = probes / BUILDS["cpp"]
    missing = Skipped("cpp", f"its probe is not built: '{usual.name}' is missing. Run `make setup`")
    return found, [] if usual.exists() else [missing]


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    if flags == NATIVE_FLAGS:
        raise UsageError(f"Runtime '{label('cpp', flags)}' is not here: its probe is not built. Run `make setup`.")
    raise UsageError(
        f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given. It is a program that is built "
        f"already, usually and with {' '.join(NATIVE_FLAGS)}."
    )


def _at(path: Path) -> Runtime:
    """A probe of the user's own, under the name of its file."""
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise UsageError(f"No C++ probe at '{path}': it is not a program that can be run.")
    return Runtime(path.name, "cpp", (str(path),), "")


CPP = Language(find=_find, usual="cpp", with_flags=_with_flags, at=_at)
