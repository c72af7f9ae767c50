"""Every mechanism: which runtimes have it, what it does, and what it costs."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.text import Text

from threadping.contract import FIRST_VERSION, MechanismDescription, MechanismWords
from threadping.grouping import gathered
from threadping.model.cases import Skipped
from threadping.quantities import ABSENT
from threadping.rows.lists import reasons
from threadping.sheets.grid import Block, Labelled, grid, named, together
from threadping.sheets.names import plain

MECHANISM_COLUMNS = ("mechanism", "waits", "timed", "runtimes", "version", "parameters")


class Having(Struct, frozen=True):
    """A mechanism of an experiment, as a runtime's probe describes it; what is timed and said of it, its version.

    `loop` is the digest of its timed loops as they were compiled; empty where it is not known.
    """

    experiment: str
    runtime: str
    mechanism: MechanismDescription
    timed: str
    words: MechanismWords | None
    version: str = FIRST_VERSION
    loop: str = ""


@together
def mechanisms_table(having: Sequence[Having], unusable: Sequence[Skipped]) -> Iterator[Block]:
    """List the mechanisms of each experiment with the runtimes that have them, and the runtimes that do not answer."""
    for number, experiment in enumerate(dict.fromkeys(one.experiment for one in having)):
        yield Text(f"{chr(10) if number else ''}{plain(experiment)}", "bold")
        yield from _table([one for one in having if one.experiment == experiment])
    yield from reasons("\nNot usable", unusable)


def _table(having: Sequence[Having]) -> Iterator[Block]:
    """The mechanisms of one experiment; what several or all have in common is said once, above."""
    by_name = gathered((one.mechanism.name, one) for one in having)
    rows = [_row(same) for same in by_name.values()]
    places = range(len(MECHANISM_COLUMNS))
    alike = [place for place in places if len(rows) > 1 and len({row[place] for row in rows}) == 1]
    common = "; ".join(f"{MECHANISM_COLUMNS[place]} {rows[0][place]}" for place in alike if place != places[-1])
    params = [("" if number else "params", Text(text)) for number, text in enumerate(_params(having))]
    yield Labelled([*([("all", Text(common))] if common else []), *params])
    said = [next((one.words for one in same if one.words), None) for same in by_name.values()]
    yield grid(
        *[
            named(MECHANISM_COLUMNS[place], (row[place] for row in rows), "" if place else "bold")
            for place in places
            if place not in alike
        ],
        below={
            place: Text(plain(f"{words.summary} {words.costs}"), "dim") for place, words in enumerate(said) if words
        },
    )


def _row(same: Sequence[Having]) -> tuple[str, ...]:
    """What stands under each of NAMES for one mechanism."""
    mechanism = same[0].mechanism
    return (
        plain(mechanism.name),
        "sleeps" if mechanism.blocking else "spins",
        plain(same[0].timed),
        ", ".join(_runtime(one) for one in same),
        _versions(same),
        plain(", ".join(dict.fromkeys(param.name for one in same for param in one.mechanism.params))) or ABSENT,
    )


def _versions(same: Sequence[Having]) -> str:
    """The version, or that of each runtime where they differ: `1.0.0, rust 2.0.0`."""
    (usual, _), *others = gathered((one.version, one.runtime) for one in same).items()
    return plain(", ".join([usual, *(f"{runtime} {version}" for version, of in others for runtime in of)]))


def _runtime(one: Having) -> str:
    needs = f" (needs {one.mechanism.needs})" if one.mechanism.needs else ""
    return plain(f"{one.runtime}{needs}")


def _params(having: Sequence[Having]) -> Iterator[str]:
    """Every parameter as it is given, the default first: `wait=spin|pause`, `pauses=1 (1 to 10000, with wait=pause)`.

    Where it is not the same for all that have it, the mechanisms or the runtimes are named.
    """
    owners = gathered((param, one) for one in having for param in one.mechanism.params)
    for param, of in owners.items():
        mechanisms, runtimes = {one.mechanism.name: None for one in of}, {one.runtime: None for one in of}
        limits = [f"{param.range[0]} to {param.range[1]}"] if param.range else []
        if param.only_with:
            limits.append(f"with {param.only_with.param}={param.only_with.value}")
        for needed in dict.fromkeys(what for _, what in param.needs):
            limits.append(f"{', '.join(choice for choice, what in param.needs if what == needed)} needs {needed}")
        if any(other.name == param.name for other in owners if other != param):
            limits.append(f"of {', '.join(mechanisms)}")
        if any(one.mechanism.name in mechanisms and one.runtime not in runtimes for one in having):
            limits.append(f"{', '.join(runtimes)} only")
        choices = "|".join(
            [f"{param.name}={param.default}", *(one for one in param.choices or () if one != param.default)]
        )
        yield plain(f"{choices} ({', '.join(limits)})" if limits else choices)
