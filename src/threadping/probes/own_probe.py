"""A probe of the user's own, in any language: it is a program, and whatever it says of itself is believed."""

import os
from pathlib import Path

from threadping.errors import UsageError
from threadping.model.cases import Runtime
from threadping.probes.language import Language


def _with_flags(runtime: Runtime, flags: tuple[str, ...]) -> Runtime:
    raise UsageError(
        f"Runtime '{runtime.label}' takes no flags, but '{' '.join(flags)}' was given: it is a program of your own. "
        "Name a script that starts it with them."
    )


def program_at(path: Path, probe: str) -> Runtime:
    """A program at a path, under the name of its file, as a runtime of a language."""
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise UsageError(f"No probe at '{path}': it is not a program that can be run.")
    return Runtime(path.name, probe, (str(path),), "")


OWN_PROBE = Language(
    find=lambda _environment, _root, _probes: ([], []),
    usual=r"(?!)",
    with_flags=_with_flags,
    at=lambda path: program_at(path, "probe"),
)
