"""What util-linux's lscpu tells of the CPUs; it knows Arm's names and asks CPUID, which Python cannot."""

from collections.abc import Iterable, Iterator

from msgspec import DecodeError, Struct, json

COMMAND = ("lscpu", "-J")
"""To be run with LC_ALL=C, because it translates the names of its fields."""


class _Field(Struct):
    field: str
    data: str | None
    children: tuple["_Field", ...] = ()


class _Output(Struct):
    lscpu: tuple[_Field, ...]


def cpu_fields(stdout: str) -> dict[str, str]:
    """Read the fields by name, however deep they lie; none where this is not what lscpu writes.

    Older versions write one list, newer ones a tree. A field that is there several times, such as the name of each kind
    of core, has its distinct values joined by `+`.
    """
    try:
        entries = json.decode(stdout, type=_Output).lscpu
    except (DecodeError, UnicodeError):
        return {}
    found: dict[str, dict[str, None]] = {}
    for name, value in _flat(entries):
        found.setdefault(name, {})[value] = None
    return {name: " + ".join(values) for name, values in found.items()}


def _flat(entries: Iterable[_Field]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.data and entry.data != "-":  # a dash is what it writes for a core that it cannot name
            yield entry.field.removesuffix(":"), " ".join(entry.data.split())
        yield from _flat(entry.children)
