"""The C++ probe: a program, built usually and, beside it, for the CPUs of the machine that built it."""

from threadping.errors import UsageError
from threadping.model.cases import Runtime
from threadping.probes.language import Language, label
from threadping.probes.programs import finder, program_of, takes_no_flags

NATIVE_FLAGS = ("-march=native",)
BUILDS = {"cpp": "threadping-probe", label("cpp", NATIVE_FLAGS): "threadping-probe-native"}


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    if flags == NATIVE_FLAGS:
        raise UsageError(f"Runtime '{label('cpp', flags)}' is not here: its probe is not built. Run `make setup`.")
    raise takes_no_flags(runtime, flags, f", usually and with {' '.join(NATIVE_FLAGS)}")


CPP = Language(
    find=finder("cpp", BUILDS, "Run `make setup`"), usual="cpp", with_flags=_with_flags, at=program_of("cpp")
)
