"""The C++ probe: a program, built usually and, beside it, for the CPUs of the machine that built it."""

from collections.abc import Mapping
from pathlib import Path

from threadping.errors import UsageError
from threadping.model.cases import Runtime, Skipped
from threadping.probes.language import Findings, Language, label
from threadping.probes.own_probe import program_at

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


CPP = Language(find=_find, usual="cpp", with_flags=_with_flags, at=lambda path: program_at(path, "cpp"))
