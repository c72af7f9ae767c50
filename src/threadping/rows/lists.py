"""Lists: of what will be measured, of the stored runs, of the runtimes, and of what is not there by reason."""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from threadping import quantities
from threadping.errors import RunDamaged
from threadping.model.cases import Case, Runtime, Skipped
from threadping.model.run import Run
from threadping.proposals import made_literal
from threadping.quantities import counted, duration, time
from threadping.rows.heading import local_time, status, took
from threadping.sheets.grid import Block, Blocks, Labelled, column, figures, grid, named
from threadping.sheets.names import plain


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[Block]:
    """List what is not there below a title, things with one reason together; nothing if nothing is missing."""
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
        named("run", (str(run.id) for run, _ in runs), "bold"),
        named("started", (local_time(run.started) for run, _ in runs)),
        named("status", (status(run) for run, _ in runs)),
        named("host", (plain(run.machine.hostname) for run, _ in runs)),
        named("measured", (_measured(run) for run, _ in runs), rank=1),
        figures("cases", "count", (run.number_of_cases for run, _ in runs), 2),
        column(
            "trials",
            (f"{ended:,}{f'/{run.planned:,}' if run.planned and ended < run.planned else ''}" for run, ended in runs),
        ),
        column("took", (took(run) or Text(quantities.ABSENT, "dim") for run, _ in runs), rank=3),
        below={place: Text(plain(run.note), "dim") for place, (run, _) in enumerate(runs) if run.note},
    )


def _measured(run: Run) -> str:
    """The study, where its runs have a name, and the experiments."""
    experiments = dict.fromkeys(plain(case.experiment) for case in run.patterns)
    return " ".join(filter(None, (run.study.name, ", ".join(experiments))))


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> Block:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    table = grid(
        named("runtime", (plain(one.label) for one in found), "bold"),
        named("version", (plain(one.version) for one in found)),
        below={place: Text(plain(" ".join(one.command)), "dim") for place, one in enumerate(found)},
    )
    return Blocks.of(table if found else Text("No runtime answers.", "bold red"), *reasons("\nNot usable", unusable))


def announced(what: str, how: str, seconds: float, room: str = "", missing: Sequence[Skipped] = ()) -> Block:
    """Say what will be done, in two lines.

    Args:
        what: stands out.
        how: what it consists of, up to how long it takes.
        seconds: that.
        room: for what there is time.
        missing: what was asked for by name and is not measured; all else stands below the answer.
    """
    end = f"{room}. Ctrl-C ends it early and keeps what was measured."
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
    """Say what a plan will do.

    `trial_s` is what a trial takes in seconds, without the start of its process; `seconds` what the whole takes;
    `left_out` how many cases more were asked for.
    """
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
