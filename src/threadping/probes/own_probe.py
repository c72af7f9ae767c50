"""A probe of the user's own, in any language: it is a program, and whatever it says of itself is believed."""

from threadping.errors import UsageError
from threadping.model.cases import Runtime
from threadping.probes.language import Language
from threadping.probes.programs import program_of


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    raise UsageError(
        f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given: it is a program of your own. "
        "Name a script that starts it with them."
    )


OWN_PROBE = Language(
    find=lambda _environment, _root, _probes: ([], []),
    usual=r"(?!)",
    with_flags=_with_flags,
    at=program_of("probe"),
)
