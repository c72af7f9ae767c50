"""Lists of runs, of runtimes and of mechanisms, and what a plan will do."""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from msgspec import Struct
from rich.text import Text

from threadping.model.base import gathered
from threadping.model.cases import Case, Runtime, Skipped
from threadping.model.contract import FIRST_VERSION, MechanismDescription, MechanismWords
from threadping.model.errors import RunDamaged
from threadping.model.quantities import ABSENT, counted, duration, time
from threadping.model.run import Run
from threadping.model.text import made_literal, plain
from threadping.output.heading import local_time, status, took
from threadping.output.layout import Block, Blocks, Field, Labelled, column, grid, named, together


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[Block]:
    things: dict[str, dict[str, None]] = {}
    for one in skipped:
        things.setdefault(plain(one.reason), {})[plain(one.what)] = None
    if things:
        yield Text(title, "bold")
        texts = [Text.assemble((", ".join(names), "bold"), f": {reason}") for reason, names in things.items()]
        yield Labelled([("-", text) for text in texts])


def runs_table(runs: Sequence[tuple[Run, int]], damaged: Sequence[RunDamaged] = ()) -> Block:
    """List runs, each with the number of its trials that ended, and below them what is wrong with damaged ones."""
    if damaged:
        said = [Text(made_literal(plain(str(one))), "red") for one in damaged]
        return Blocks.of(*([runs_table(runs)] if runs else []), *said)
    if not runs:
        return Text(made_literal("No run is stored yet. `threadping run` measures one."))
    return grid(
        runs,
        named("run", lambda one: str(one[0].id), "bold"),
        named("started", lambda one: local_time(one[0].started)),
        named("status", lambda one: status(one[0])),
        named("host", lambda one: plain(one[0].machine.hostname)),
        named("measured", lambda one: _measured(one[0]), rank=1),
        Field(head="cases", unit="count", of=lambda one: one[0].number_of_cases, rank=2),
        column("trials", _trials),
        column("took", lambda one: took(one[0]) or None, rank=3),
        below={place: Text(plain(run.note), "dim") for place, (run, _) in enumerate(runs) if run.note},
    )


def _trials(of: tuple[Run, int]) -> str:
    run, ended = of
    return f"{ended:,}{f'/{run.planned:,}' if run.planned and ended < run.planned else ''}"


def _measured(run: Run) -> str:
    experiments = dict.fromkeys(plain(case.experiment) for case in run.patterns)
    return " ".join(filter(None, (run.study.name, ", ".join(experiments))))


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> Block:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    table = grid(
        found,
        named("runtime", lambda one: plain(one.label), "bold"),
        named("version", lambda one: plain(one.version)),
        below={place: Text(plain(" ".join(one.command)), "dim") for place, one in enumerate(found)},
    )
    return Blocks.of(table if found else Text("No runtime answers.", "bold red"), *reasons("\nNot usable", unusable))


def announced(what: str, how: str, seconds: float, fitting: str = "", missing: Sequence[Skipped] = ()) -> Block:
    """Say what will be done, how, up to the seconds that it takes, and what was asked for by name and is `missing`."""
    end = f"{fitting}. Ctrl-C ends it early and keeps what was measured."
    line = Text.assemble((what, "bold"), how, (duration(seconds), "bold"), end)
    return Blocks.of(line, *reasons("Not measured", missing))


def announcement(
    cases: Sequence[Case],
    trials: int,
    trial_s: float,
    seconds: float,
    missing: Sequence[Skipped] = (),
    left_out: int = 0,
) -> Block:
    """Say what a plan will do; `trial_s` is without the start of a process."""
    of = _several(plain(case.experiment) for case in cases)
    on = _several(plain(case.runtime) for case in cases)
    part = f"{len(cases)} of " if left_out else ""
    how = (
        f": {part}{counted(len(cases) + left_out, 'case')}, {counted(trials, 'trial')} of {time(trial_s * 1e9)}, about "
    )
    return announced(f"Measuring {of} in {on}", how, seconds, missing=missing)


def _several(texts: Iterable[str]) -> str:
    *but, last = dict.fromkeys(texts)
    return f"{', '.join(but)} and {last}" if but else last


MECHANISM_COLUMNS = ("mechanism", "waits", "timed", "runtimes", "version", "parameters")


class MechanismInRuntime(Struct, frozen=True):
    """A mechanism of an experiment, as the probe of a runtime describes it; `loop` is the digest of its timed loops."""

    experiment: str
    runtime: str
    mechanism: MechanismDescription
    timed: str
    words: MechanismWords | None
    version: str = FIRST_VERSION
    loop: str = ""


@together
def mechanisms_table(having: Sequence[MechanismInRuntime], unusable: Sequence[Skipped]) -> Iterator[Block]:
    """List the mechanisms of each experiment with the runtimes that have them, and the runtimes that do not answer."""
    for number, experiment in enumerate(dict.fromkeys(one.experiment for one in having)):
        yield Text(f"{chr(10) if number else ''}{plain(experiment)}", "bold")
        yield from _table([one for one in having if one.experiment == experiment])
    yield from reasons("\nNot usable", unusable)


def _table(having: Sequence[MechanismInRuntime]) -> Iterator[Block]:
    by_name = gathered((one.mechanism.name, one) for one in having)
    rows = [_row(same) for same in by_name.values()]
    places = range(len(MECHANISM_COLUMNS))
    alike = [place for place in places if len(rows) > 1 and len({row[place] for row in rows}) == 1]
    common = "; ".join(f"{MECHANISM_COLUMNS[place]} {rows[0][place]}" for place in alike if place != places[-1])
    params = [("" if number else "params", Text(text)) for number, text in enumerate(_params(having))]
    yield Labelled([*([("all", Text(common))] if common else []), *params])
    said = [next((one.words for one in same if one.words), None) for same in by_name.values()]
    yield grid(
        rows,
        *[
            named(MECHANISM_COLUMNS[place], itemgetter(place), "" if place else "bold")
            for place in places
            if place not in alike
        ],
        below={
            place: Text(plain(f"{words.summary} {words.costs}"), "dim") for place, words in enumerate(said) if words
        },
    )


def _row(same: Sequence[MechanismInRuntime]) -> tuple[str, ...]:
    mechanism = same[0].mechanism
    (usual, _), *others = gathered((one.version, one.runtime) for one in same).items()  # versions, where they differ
    return (
        plain(mechanism.name),
        "sleeps" if mechanism.blocking else "spins",
        plain(same[0].timed),
        plain(
            ", ".join(f"{one.runtime}{f' (needs {needs})' if (needs := one.mechanism.needs) else ''}" for one in same)
        ),
        plain(", ".join([usual, *(f"{runtime} {version}" for version, of in others for runtime in of)])),
        plain(", ".join(dict.fromkeys(param.name for one in same for param in one.mechanism.params))) or ABSENT,
    )


def _params(having: Sequence[MechanismInRuntime]) -> Iterator[str]:
    """Write every parameter, the default first: `wait=spin|pause`, `pauses=1 (1 to 10000, with wait=pause)`."""
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
