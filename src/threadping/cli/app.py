"""threadping's subcommands. Each body imports what it needs, so that `--help` answers at once."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from threadping.cli import options
from threadping.errors import Interrupted, ThreadpingError
from threadping.experiments import EXPERIMENTS

RUN_HELP = "Measure everything this machine can: all experiments, runtimes and placements."


def application() -> typer.Typer:
    """The command line: a subcommand for each experiment, one for all of them, and those that look back."""
    app = typer.Typer(
        name="threadping",
        help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    _add_measuring(app, "run", list(EXPERIMENTS), RUN_HELP)
    for name, experiment in EXPERIMENTS.items():
        _add_measuring(app, name, [name], experiment.help)
    app.command(help="Repeat the published experiments, and show what became of their figures here.")(published)
    app.command(help="Show a run again: its number, or 'last'.")(show)
    app.command(help="Say what a verdict or a figure means; with a run, with its numbers.")(explain)
    app.command(help="Say how far apart the CPUs stood over time: in a run, or in all of this machine.")(states)
    app.command("list", help="List the runs that were measured, newest first.")(list_runs)
    app.command("rm", help="Remove runs from the store.")(remove)
    app.command(help="List every mechanism: who has it, what it does, its parameters, and what it costs the CPU.")(
        mechanisms
    )
    app.command(help="Say every second how far apart CPUs stand, as ping(8) does of hosts, until Ctrl-C.")(ping)
    app.command(help="Say which compilers' probes and which JVMs were found, and which are usable.")(runtimes)
    return app


def main() -> None:
    """Run the command line; every error that a person can meet ends as one sentence and an exit code."""
    try:
        application()()
    except ThreadpingError as error:
        print(f"threadping: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == Interrupted.exit_code:  # typer ends so, in silence, at Ctrl-C inside a subcommand
            print(
                "threadping: Interrupted. A run that had begun is stored: `threadping list` shows it.", file=sys.stderr
            )
        raise
    except BrokenPipeError:
        # Whoever read our output has seen enough (`threadping show 3 | head`); nothing more can be told.
        sys.stderr.close()
        sys.exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        from threadping.probes.about import about

        print(about())
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say which version, compiler and hwloc."),
) -> None:
    """Nothing happens here but what every subcommand shares."""


def _add_measuring(app: typer.Typer, name: str, experiments: Sequence[str], text: str) -> None:
    """A subcommand that measures these experiments, with the options that apply to them."""

    def measure(**words: Any) -> None:
        from threadping.cli.measure import measure

        measure(experiments, words)

    signature = options.signature_for([EXPERIMENTS[one] for one in experiments])
    measure.__signature__ = signature  # type: ignore[attr-defined]
    measure.__annotations__ = {option.name: option.annotation for option in signature.parameters.values()}
    app.command(name, help=text)(measure)


RunNumber = Annotated[str, typer.Argument(metavar="RUN")]


def published(
    budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long the whole may take; 3m by default.", rich_help_panel=options.LONG),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**53 - 1, help="Repeat another run's random orders.", rich_help_panel=options.LONG),
    ] = None,
    experiment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Of these published experiments only, such as lock-contention. Repeatable.",
            rich_help_panel=options.WHAT,
        ),
    ] = None,
    runtime: options.Runtimes = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Measure nothing: compare this stored run, whatever it measured, or 'last'.",
            rich_help_panel=options.WHAT,
        ),
    ] = None,
    output_format: options.ListingFormat = "table",
    chart: options.Chart = None,
    store: options.Store = None,
) -> None:
    """Repeat what was published."""
    from threadping.cli.published import published

    published(experiment, budget, runtime, seed, run, output_format, chart, store)


def show(
    run: RunNumber = "last",
    trials: bool = typer.Option(False, "--trials", help="Every trial by itself, failed ones too."),
    hgrm: bool = typer.Option(False, "--hgrm", help="As --format hgrm: what HdrHistogram prints."),
    output_format: options.OutputFormat = "table",
    output_file: options.OutputFile = None,
    chart: options.Chart = None,
    store: options.Store = None,
) -> None:
    """Show a stored run."""
    from threadping.cli.history import show

    show(store, run, "hgrm" if hgrm else output_format, output_file, chart, trials=trials)


def explain(
    term: Annotated[str, typer.Argument(metavar="CODE", help="A verdict, a figure, or not-measured.")],
    run: Annotated[str | None, typer.Argument(metavar="RUN")] = None,
    store: options.Store = None,
) -> None:
    """Say what a word of the output means."""
    from threadping.cli.history import explain

    explain(store, term, run)


def states(
    run: Annotated[str | None, typer.Argument(metavar="RUN")] = None,
    output_format: options.ListingFormat = "table",
    chart: options.Chart = None,
    store: options.Store = None,
) -> None:
    """Show the states of the machine over time."""
    from threadping.cli.states import show_states

    show_states(store, run, output_format, chart)


def list_runs(
    limit: int = typer.Option(20, min=1, help="How many at most."),
    output_format: options.ListingFormat = "table",
    store: options.Store = None,
) -> None:
    """List the stored runs."""
    from threadping.cli.history import list_runs

    list_runs(store, limit, output_format)


def remove(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...")],
    force: bool = typer.Option(False, "--force", help="Even one that another host seems to be measuring still."),
    store: options.Store = None,
) -> None:
    """Remove stored runs."""
    from threadping.cli.history import remove

    remove(store, runs, force=force)


def mechanisms(
    runtime: options.Runtimes = None,
    output_format: options.ListingFormat = "table",
    store: options.Store = None,
) -> None:
    """List the mechanisms. Takes --store, as every subcommand does, so that one alias serves them all."""
    from threadping.cli.machinery import list_mechanisms

    list_mechanisms(options.split_runtimes(runtime), output_format)


def ping(
    cpus: Annotated[
        str | None,
        typer.Argument(metavar="A,B", help="Two CPUs, such as 0,1; without them all pairs of up to four."),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-c", metavar="N", min=1, help="End after so many intervals.")
    ] = None,
    interval: Annotated[
        float, typer.Option("--interval", "-i", metavar="SECONDS", help="Between two lines of a pair, from 0.1 on.")
    ] = 1.0,
    output_format: options.ListingFormat = "table",
    store: options.Store = None,
) -> None:
    """Ping, and store nothing. Takes --store, as every subcommand does, so that one alias serves them all."""
    from threadping.cli.ping import ping

    ping(cpus, count, interval, output_format)


def runtimes(output_format: options.ListingFormat = "table", store: options.Store = None) -> None:
    """List the runtimes. Takes --store, as every subcommand does, so that one alias serves them all."""
    from threadping.cli.machinery import list_runtimes

    list_runtimes(output_format)
