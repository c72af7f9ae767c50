"""Every mechanism: who has it, what it does, and what it costs."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.text import Text

from threadping.contract import MechanismDescription, MechanismWords, ParamDescription
from threadping.model import Skipped
from threadping.report import figures, words
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.layout import Paragraph
from threadping.report.remarks import without
from threadping.report.views import view_of

MECHANISM = Column(name="mechanism", head="mechanism", naming=True, right=False)
WAITING = Column(name="waiting", head="waiting", naming=True, right=False)
TIMED = Column(name="timed", head="timed", naming=True, right=False)
RUNTIMES = Column(name="runtimes", head="runtimes", naming=True, right=False, wraps=True)
PARAMETERS = Column(name="parameters", head="parameters (the default first)", naming=True, right=False, wraps=True)


class Having(Struct, frozen=True):
    """A mechanism of an experiment, as a runtime's probe describes it; what of it is timed, and what is said of it."""

    experiment: str
    runtime: str
    mechanism: MechanismDescription
    timed: str
    words: MechanismWords | None


def mechanisms_table(having: Sequence[Having], unusable: Sequence[Skipped]) -> RenderableType:
    """List the mechanisms of each experiment, what runtimes say of one name together, and who cannot be asked."""
    return Group(*_tables(having), *without("Not usable", unusable))


def _tables(having: Sequence[Having]) -> Iterator[RenderableType]:
    for number, experiment in enumerate(dict.fromkeys(one.experiment for one in having)):
        if number:
            yield Text()
        yield Text(words.plain(experiment), "bold")
        yield from _table([one for one in having if one.experiment == experiment])


def _table(having: Sequence[Having]) -> Iterator[RenderableType]:
    """The mechanisms of one experiment: what is timed where it is not the same for all, what all take only once."""
    by_name: dict[str, list[Having]] = {}
    for one in having:
        by_name.setdefault(one.mechanism.name, []).append(one)
    shared = _shared(having) if len(by_name) > 1 else []
    timed = len({one.timed for one in having}) > 1
    own = any(param not in shared for one in having for param in one.mechanism.params)
    columns = (MECHANISM, WAITING, *([TIMED] if timed else []), RUNTIMES, *([PARAMETERS] if own or not shared else []))
    if shared:
        yield Paragraph(Text(f"each takes  {'  '.join(_param(param, [], 0) for param in shared)}"))
    yield Grid(columns, tuple(_line(same, shared, len(columns), timed=timed) for same in by_name.values()))


def _shared(having: Sequence[Having]) -> list[ParamDescription]:
    """The parameters that every mechanism has, whoever runs it."""
    return [param for param in having[0].mechanism.params if all(param in one.mechanism.params for one in having)]


def _line(same: Sequence[Having], shared: Sequence[ParamDescription], columns: int, *, timed: bool) -> Line:
    mechanism = same[0].mechanism
    params = {param.name: param for one in same for param in one.mechanism.params if param not in shared}
    owners = {name: [one.runtime for one in same if name in _names(one)] for name in params}
    cells = (
        Text(words.plain(mechanism.name), "bold"),
        Text(view_of(same[0].experiment).waiting(mechanism)),
        *([Text(words.plain(same[0].timed))] if timed else []),
        Text(", ".join(_runtime(one) for one in same)),
        Text("  ".join(_param(param, owners[name], len(same)) for name, param in params.items()) or figures.ABSENT),
    )
    said = next((one.words for one in same if one.words), None)
    below = Text(words.plain(f"{said.summary} {said.costs}"), "dim") if said else None
    return Line(cells[:columns], below=below)


def _runtime(one: Having) -> str:
    needs = f" (needs {one.mechanism.needs})" if one.mechanism.needs else ""
    return words.plain(f"{one.runtime}{needs}")


def _names(one: Having) -> list[str]:
    return [param.name for param in one.mechanism.params]


def _param(param: ParamDescription, owners: Sequence[str], of: int) -> str:
    """Write a parameter as it is given: `wait=spin|pause|yield`, `pauses=1 (1 to 10000, with wait=pause)`.

    Where not all of the runtimes that have the mechanism have it, its owners are named: `between=threads (cpp only)`.
    """
    others = [choice for choice in param.choices or () if choice != param.default]
    limits = [f"{param.range[0]} to {param.range[1]}"] if param.range else []
    if param.only_with:
        limits.append(f"with {param.only_with.param}={param.only_with.value}")
    if len(owners) < of:
        limits.append(f"{', '.join(owners)} only")
    explained = f" ({', '.join(limits)})" if limits else ""
    return words.plain("|".join([f"{param.name}={param.default}", *others]) + explained)
