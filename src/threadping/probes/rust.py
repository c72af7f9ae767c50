"""The Rust probe: a program, which is built where cargo is."""

from threadping.model.cases import Runtime
from threadping.probes.language import Language
from threadping.probes.programs import finder, program_of, takes_no_flags

REMEDY = (
    "Install Rust with rustup, and build again (in a clone: `make setup`; where it fails build/probe-rust.log says why)"
)


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    raise takes_no_flags(runtime, flags)


RUST = Language(
    find=finder("rust", {"rust": "threadping-probe-rust"}, REMEDY),
    usual="rust",
    with_flags=_with_flags,
    at=program_of("rust"),
    further=True,
)
