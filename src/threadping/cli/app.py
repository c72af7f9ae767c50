"""threadping's subcommands. Each body imports what it needs, so that `--help` answers at once."""

import sys

import typer

from threadping.cli import options
from threadping.errors import Interrupted, ThreadpingError

app = typer.Typer(
    name="threadping",
    help="ping, but for threads: what it costs to reach another thread, on this machine, as it is now.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; every error that a person can meet ends as one sentence and an exit code."""
    try:
        app()
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
        from importlib.metadata import version

        print(f"threadping {version('threadping')}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say which version."),
) -> None:
    """Nothing happens here but what every subcommand shares."""


@app.command("signal", help="Measure what it costs one thread to tell another something (one-way latency).")
@app.command("lock", help="Measure what contention does to a lock: T threads that take it, count, and release it.")
@app.command("run", help="Measure everything this machine can: all experiments, runtimes and placements.")
def measure(
    context: typer.Context,
    budget: options.Budget = "60s",
    runtime: options.Runtimes = None,
    mechanism: options.Mechanisms = None,
    placement: options.Placements = None,
    cpus: options.Cpus = None,
    threads: options.Threads = None,
    param: options.Params = None,
    wait: options.Waits = None,
    between: options.Betweens = None,
    critical: options.Criticals = None,
    outside: options.Outsides = None,
    no_coarsening: options.NoCoarsening = False,
    pin: options.Pins = None,
    warmup: options.Warmups = None,
    lines: options.Lines = None,
    home: options.Homes = None,
    output: options.OutputFormat = "table",
    chart: options.Chart = None,
    seed: options.Seed = None,
    store: options.Store = None,
) -> None:
    """Measure, store, and print the ladder."""
    from threadping.cli.measure import measure
    from threadping.cli.question import Question
    from threadping.experiments.lock.trust import NO_COARSENING

    measure(
        Question(
            experiment=None if context.info_name == "run" else context.info_name,
            budget_s=options.parse_seconds(budget),
            runtimes=tuple(runtime or ()),
            jvm_flags=(NO_COARSENING,) if no_coarsening else (),
            mechanisms=options.split_names(mechanism),
            placements=options.split_names(placement),
            cpus=cpus,
            threads=options.parse_threads(threads),
            params=options.parse_params(param, wait=wait, between=between, critical=critical, outside=outside),
            pins=options.parse_pins(pin),
            warmups=options.parse_warmups(warmup),
            lines=lines,
            homes=options.split_names(home),
            seed=seed,
        ),
        store,
        output,
        chart,
    )


@app.command("list", help="List the runs that were measured, newest first.")
def list_runs(store: options.Store = None, limit: int = typer.Option(20, min=1, help="How many at most.")) -> None:
    """List the stored runs."""
    from threadping.cli.history import list_runs

    list_runs(store, limit)


@app.command(help="Show a run again: its number, or 'last'.")
def show(
    run: str = typer.Argument("last", metavar="RUN"),
    trials: bool = typer.Option(False, "--trials", help="Every trial by itself, failed ones too."),
    output: options.OutputFormat = "table",
    chart: options.Chart = None,
    store: options.Store = None,
) -> None:
    """Show a stored run."""
    from threadping.cli.history import show

    show(store, run, output, chart, trials=trials)


@app.command(help="List every mechanism: who has it, what it does, its parameters, and what it costs the CPU.")
def mechanisms(runtime: options.Runtimes = None, store: options.Store = None) -> None:
    """List the mechanisms. Takes --store, as every subcommand does, so that one alias serves them all."""
    from threadping.cli.mechanisms import list_mechanisms

    list_mechanisms(tuple(runtime or ()))


@app.command(help="Say which compilers' probes and which JVMs were found, and which are usable.")
def runtimes(store: options.Store = None) -> None:
    """List the runtimes. Takes --store, as every subcommand does, so that one alias serves them all."""
    from threadping.cli.runtimes import list_runtimes

    list_runtimes()
