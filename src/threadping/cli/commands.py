"""The commands: the options of each, and what it calls. A body imports what it needs: the help waits for none."""

from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from threadping.cli import options, syntax
from threadping.cli.options import (
    ANYWAY,
    BUDGET,
    CHART,
    FILE,
    FORMAT,
    HOPS,
    HOW,
    LISTING,
    OUTPUT,
    PLACEMENT,
    RUNTIME,
    SEED,
    STORE,
    TIME,
    WHAT,
    Command,
    CompareFormat,
    Format,
    HopFormat,
    Listing,
    MatrixFormat,
    Option,
)
from threadping.errors import UsageError
from threadping.experiments import EXPERIMENTS, of_run

RUN_HELP = "Measure everything this machine can: all experiments but paced, all runtimes and placements."
BUDGET_S = 180.0
"""How long `published` takes unless it is said."""

OTHERS: dict[str, click.Command] = {}
"""The commands that are not made from experiments."""


def measuring(name: str) -> Command:
    """The command that measures the experiment of this name, or all of them for `run`."""
    experiments = [name] if name in EXPERIMENTS else list(of_run())

    def measure(
        output_format: Format,
        output_file: Path | None,
        chart: Path | None,
        page: Path | None,
        strict: bool,
        store: str | None,
        **selected: Any,
    ) -> None:
        from threadping.cli.answer import Output
        from threadping.cli.measure import measure
        from threadping.selection.selection import Selection

        selection = Selection(experiments=tuple(experiments), **selected)
        measure(selection, Output(output_format, output_file, chart, page), store, strict=strict)

    text = EXPERIMENTS[name].help if name in EXPERIMENTS else RUN_HELP
    params = options.measuring([EXPERIMENTS[one] for one in experiments])
    return Command(name, params=params, callback=measure, help=text)


def _command(
    name: str, *params: click.Parameter, among: MutableMapping[str, click.Command] = OTHERS, **settings: Any
) -> Callable[[Callable[..., int | None]], None]:
    """Register a function as the command of this name, its docstring as the help."""

    def register(call: Callable[..., int | None]) -> None:
        among[name] = Command(name, params=[*params], callback=call, help=call.__doc__, context_settings=settings)

    return register


def _run(optional: str = "last") -> click.Argument:
    return click.Argument(["run"], metavar="[RUN]", required=False, default=optional or None)


TRIALS = Option("--trials", is_flag=True, help="Each trial by itself, failed ones too.", group=WHAT)
EXPERIMENT = Option("--experiment", type=click.Choice([*EXPERIMENTS]), help="Only this one's cases.", group=WHAT)
IN_STATE = Option(
    "--state", type=syntax.STATE, help="Only cases of this state: near, far, or core to core as in 20-40ns.", group=WHAT
)
PERCENTILES = Option("--percentiles", is_flag=True, help="Every percentile, and histograms.", group=WHAT)
CAUSES = Option("--outliers", is_flag=True, help="Outliers too, by their causes.", group=WHAT)
LIMIT = Option(
    "--limit", metavar="N", type=click.IntRange(1), default=20, help="How many at most; 20 by default.", group=WHAT
)
FORCE = Option("--force", is_flag=True, help="Even a run that another host seems to be measuring still.", group=WHAT)
COUNT = Option("--count", "-c", metavar="N", type=click.IntRange(1), help="End after so many intervals.", group=TIME)
INTERVAL = Option(
    *("--interval", "-i", "interval_s"),
    metavar="SECONDS",
    type=float,
    default=1.0,
    help="Between two pings of a pair, from 0.1 on; 1 by default.",
    group=TIME,
)
ABOVE = Option(
    *("--above", "above_ns"),
    type=syntax.LATENCY,
    help="Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
    group=OUTPUT,
)
PAGE_FILE = Option(
    *("--output", "-o", "page"),
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page; threadping-RUN.html here by default.",
    group=OUTPUT,
)
SVG, PNG = (
    Option(
        f"--{ending}",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help=f"Write each chart into this folder as .{ending}.",
        group=OUTPUT,
    )
    for ending in ("svg", "png")
)
MARKDOWN = Option("--markdown", is_flag=True, help="Print its answers as markdown, for a pull request.", group=OUTPUT)
IDENTIFY = Option("--identify", is_flag=True, help="Name the host, and the folders of users.", group=OUTPUT)
OF = options.listed(
    *("--of", "articles"),
    type=syntax.NAMES,
    help="Only figures of this published experiment, such as lock-contention. Repeatable.",
    group=WHAT,
)
STORED = Option("--run", metavar="RUN", help="Measure nothing: compare this run, or 'last'.", group=WHAT)
LONGER = Option("--budget", "budget_s", type=syntax.TIME, help="How long in all; 3m by default.", group=TIME)


@_command(
    *("show", _run(), EXPERIMENT, IN_STATE, PERCENTILES, CAUSES, TRIALS),
    *(FORMAT, FILE, CHART, STORE),
)
def _show(
    run: str,
    trials: bool,
    output_format: Format,
    output_file: Path | None,
    chart: Path | None,
    store: str | None,
    **detail: Any,
) -> None:
    """Show a run again, with every case: its number, or 'last'."""
    from threadping.cli.answer import Output
    from threadping.cli.history import show
    from threadping.views.terminal.tables import Detail

    show(store, run, Output(output_format, output_file, chart, detail=Detail(**detail), trials=trials))


@_command(
    *("report", click.Argument(["runs"], metavar="[RUN|PAGE]...", nargs=-1)),
    *(PAGE_FILE, SVG, PNG, MARKDOWN, IDENTIFY, STORE),
)
def _report(
    runs: Sequence[str],
    page: Path | None,
    svg: Path | None,
    png: Path | None,
    store: str | None,
    *,
    markdown: bool,
    identify: bool,
) -> None:
    """Write a run as a page that carries it, or several side by side: numbers, 'last', or pages of others."""
    from threadping.cli.report import Wanted, report

    report(store, runs or ("last",), Wanted(page, svg, png, markdown, identify))


@_command("explain", click.Argument(["word"]), _run(""), STORE)
def _explain(word: str, run: str | None, store: str | None) -> None:
    """Say what a warning or a figure means; with a run, with its figures."""
    from threadping.cli.history import explain

    explain(store, word, run)


@_command("states", _run(""), LISTING, CHART, STORE)
def _states(run: str | None, output_format: Listing, chart: Path | None, store: str | None) -> None:
    """Show how the core-to-core latency changed: in a run, or in all runs of this machine."""
    from threadping.cli.states import show_states

    show_states(store, run, output_format, chart)


@_command("list", LIMIT, LISTING, STORE)
def _list(limit: int, output_format: Listing, store: str | None) -> None:
    """List the runs, newest first."""
    from threadping.cli.history import list_runs

    list_runs(store, limit, output_format)


@_command("rm", click.Argument(["runs"], metavar="RUN...", nargs=-1, required=True), FORCE, STORE)
def _remove(runs: Sequence[str], force: bool, store: str | None) -> None:
    """Remove runs from the store."""
    from threadping.cli.history import remove

    remove(store, runs, force=force)


@_command("mechanisms", RUNTIME, LISTING)
def _mechanisms(runtimes: Sequence[str], output_format: Listing) -> None:
    """List every mechanism: what it does, its parameters, and what it costs the CPU."""
    from threadping.cli.runtimes import list_mechanisms

    list_mechanisms(runtimes, output_format)


@_command("runtimes", LISTING)
def _runtimes(output_format: Listing) -> None:
    """List the C++ probes and the JVMs found here, and which of them can be used."""
    from threadping.cli.runtimes import list_runtimes

    list_runtimes(output_format)


@_command(
    *("ping", click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False)),
    *(COUNT, INTERVAL, ABOVE, ANYWAY, LISTING),
)
def _ping(
    cpus: tuple[int, int] | None,
    count: int | None,
    interval_s: float,
    above_ns: float | None,
    anyway: bool,
    output_format: Listing,
) -> int:
    """Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.

    Between CPUs A and B, or between all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """
    from threadping.cli.ping import ping

    return ping(cpus, count, interval_s, output_format, above_ns=above_ns, anyway=anyway)


OF_PAIRS = Option("--cpus", type=syntax.CPUS, help="These CPUs instead of all: 0-3,8.", group=WHAT)
MECHANISM = Option(
    "--mechanism",
    metavar="NAME",
    help="Between the two threads; cas-one-line by default. `threadping mechanisms` lists those of signal.",
    group=WHAT,
)
HOMES = options.listed(
    *("--home", "homes"),
    type=syntax.NAMES,
    help="Where the lines are made: at the first CPU of a pair (the default), the second, or on a NUMA node. Each is a "
    "matrix of its own. Repeatable.",
    group=HOW,
)
DIRECTIONS = Option("--directions", is_flag=True, help="Both ways: ping and pong change places.", group=HOW)
AT_MOST = Option(
    *("--budget", "budget_s"),
    type=syntax.TIME,
    help="How long at most; by default 10s, or what measuring every pair three times takes.",
    group=TIME,
)
RESUME = Option("--resume", metavar="RUN", help="Go on with an interrupted one.", group=WHAT)
AS_MATRIX = Option(
    *("--format", "form"),
    type=click.Choice(get_args(MatrixFormat)),
    metavar="FORMAT",
    default="table",
    help="What goes to stdout: table, json, csv, or as core-to-core-latency and c2clat write theirs.",
    group=OUTPUT,
)


@_command(
    *("matrix", OF_PAIRS, MECHANISM, RUNTIME, RESUME, AT_MOST, SEED, HOMES, DIRECTIONS, ANYWAY),
    *(AS_MATRIX, CHART, STORE),
)
def _matrix(
    cpus: tuple[int, ...] | None,
    mechanism: str | None,
    runtimes: Sequence[str],
    resume: str | None,
    budget_s: float | None,
    seed: int | None,
    homes: Sequence[str],
    form: MatrixFormat,
    chart: Path | None,
    store: str | None,
    *,
    directions: bool,
    anyway: bool,
) -> None:
    """Measure the one-way latency between every two CPUs.

    Pairs that share no CPU are measured at once, as long as that changes nothing. It ends when every figure is within
    1%, or with its budget.
    """
    from threadping.cli import matrix
    from threadping.selection.selection import Selection

    asked = matrix.Asked(form=form, chart=chart, store=store)
    if resume:
        if cpus or mechanism or runtimes or homes or directions or seed is not None:
            raise UsageError("--resume goes on as the run began: give it with --budget, or with options of the output.")
        matrix.resumed(resume, budget_s, asked, anyway=anyway)
        return
    selection = Selection(
        cpus=cpus, mechanisms=(mechanism,) if mechanism else (), runtimes=tuple(runtimes), seed=seed, anyway=anyway
    )
    matrix.measured(selection, homes, budget_s, asked, directions=directions)


@_command(
    "import",
    click.Argument(
        ["files"], metavar="PAGE.html|FILE.run|MATRIX...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    *(AS_MATRIX, CHART, STORE),
)
def _import(files: Sequence[Path], form: MatrixFormat, chart: Path | None, store: str | None) -> None:
    """Store the runs that pages and .run files carry; or show the matrix of another tool beside one's own.

    Runs of a page (.html) or a .run file are shown and compared like one's own. core-to-core-latency's CSV and
    c2clat's text are shown and not stored.
    """
    from threadping.cli.matrix import Asked, imported
    from threadping.cli.report import ENDING, import_pages

    pages = [file for file in files if file.suffix.lower() in (*ENDING, ".run")]
    if pages and (form != "table" or chart):
        raise UsageError("--format and --chart are for a matrix; of a page runs are stored, for `threadping show`.")
    asked = Asked(form=form, chart=chart, store=store)
    asked.check()
    for file in files:
        if file not in pages:
            imported(file, asked)
    import_pages(store, pages)


METRIC = Option(
    "--metric",
    type=click.Choice(["headline", "mean", "p99", "cpu", "rate"]),
    default="headline",
    help="headline (of each experiment, the default), mean, p99, cpu (the CPU time of an operation) or rate.",
    group=WHAT,
)
MARGIN = Option("--margin", type=syntax.SHARE, help="A difference that does not matter; 3% by default.", group=HOW)
FAIL_ABOVE = Option(
    "--fail-above",
    type=syntax.SHARE,
    help="Exit with 3 if B is surely slower by more than this; by default if it is called slower.",
    group=OUTPUT,
)
OR_4 = Option("--strict", is_flag=True, help="Exit with 4 if the budget was too small to decide that.", group=OUTPUT)
COMPARED = Option(
    *("--format", "form"),
    type=click.Choice(get_args(CompareFormat)),
    metavar="FORMAT",
    default="table",
    help="What goes to stdout: table, json, csv or markdown, a comment for a pull request.",
    group=OUTPUT,
)
ACROSS = Option(
    "--across-machines", "across", is_flag=True, help="Lay runs of different machines side by side.", group=WHAT
)
HISTORY = Option(
    "--history",
    metavar="N",
    type=click.IntRange(4),
    help="Set a run against the last N before it on this machine: is this host as it was? Exit with 3 if not.",
    group=WHAT,
)
ITSELF = Option(
    "--self", "itself", is_flag=True, help="Compare a thing with itself: how often is it said to differ?", group=WHAT
)
POWER = Option("--power", is_flag=True, help="With --self: how often are planted 1, 2, 3 and 5% seen?", group=WHAT)
SELECTED = options.selecting([*EXPERIMENTS.values()])


@_command(
    *("compare", click.Argument(["what"], metavar="[EXPERIMENT... | RUN [RUN]]", nargs=-1)),
    *(EXPERIMENT, *SELECTED, METRIC, MARGIN, FAIL_ABOVE, OR_4, ACROSS, HISTORY, ITSELF, POWER, COMPARED, CHART, STORE),
)
@click.pass_context
def _compare(
    context: click.Context,
    /,
    what: Sequence[str],
    experiment: str | None,
    across: bool,
    history: int | None,
    itself: bool,
    power: bool,
    metric: str,
    margin: float | None,
    fail_above: float | None,
    strict: bool,
    form: CompareFormat,
    chart: Path | None,
    store: str | None,
    **selected: Any,
) -> int:
    """Say whether B is slower than A, with an exit code.

    A and B are the two values of one option: two runtimes, mechanisms, placements, or values of a parameter. They are
    measured in turn, in random order. Of a run that did so: show it again; of two runs: lay them side by side.
    """
    from threadping.cli import compare
    from threadping.selection.selection import Selection

    asked = compare.Asked(
        metric=metric, margin=margin, fail_above=fail_above, strict=strict, form=form, chart=chart, store=store
    )
    runs, experiments = compare.runs_and_experiments((*what, *([experiment] if experiment else [])))
    given = [
        param.opts[0]
        for param in SELECTED
        if param.name and context.get_parameter_source(param.name) == click.core.ParameterSource.COMMANDLINE
    ]
    if (runs or history) and (given or itself):
        raise UsageError(f"{(given or ['--self'])[0]} is for what is measured now: leave it out, or the runs.")
    if history:
        return compare.history(runs[0] if runs else "last", history, asked)
    if len(runs) == 2:
        return compare.side_by_side(runs, asked, across=across)
    if runs:
        return compare.again(runs[0], asked)
    selection = Selection(experiments=tuple(experiments or of_run()), **selected)
    return compare.itself(selection, asked, power=power) if itself else compare.measured(selection, asked)


RATE = Option("--rate", type=syntax.RATE, required=True, help="Messages a second: 500, 10k, 1M.", group=WHAT)
ARRIVALS = Option(
    "--arrivals",
    type=click.Choice(["constant", "poisson", "bursts"]),
    metavar="WHEN",
    default="constant",
    help="When they are due: constant (the default), poisson or bursts.",
    group=WHAT,
)
BURST = Option(
    "--burst",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="How many are due at once, of --arrivals bursts, 10 by default; the mean rate stays.",
    group=WHAT,
)
P99 = Option(
    *("--p99", "p99_ns"),
    type=syntax.LATENCY,
    required=True,
    help="What one message in a hundred may exceed, from when it is due: 20us.",
    group=WHAT,
)
CPU = Option(
    *("--cpu", "cpu_share"),
    type=syntax.SHARE,
    help="The most CPU time of the waiting thread, of a core: 20%.",
    group=WHAT,
)
FOR = Option(
    *("--for", "system"),
    type=click.Choice(["disruptor", "agrona", "folly", "openmp", "vllm"]),
    metavar="SYSTEM",
    help="Choose among its ways of waiting, and print its configuration: disruptor, agrona, folly, openmp, vllm.",
    group=WHAT,
)


@_command(
    *(
        "advise",
        RATE,
        ARRIVALS,
        BURST,
        P99,
        CPU,
        FOR,
        RUNTIME,
        options.MECHANISM,
        PLACEMENT,
        options.CPUS,
        *options.BUSY,
        BUDGET,
        SEED,
        ANYWAY,
    ),
    *(LISTING, STORE),
)
def _advise(
    rate: int,
    arrivals: str,
    burst: int | None,
    p99_ns: float,
    cpu_share: float | None,
    system: str | None,
    busy: Sequence[int],
    output_format: Listing,
    store: str | None,
    **selected: Any,
) -> int:
    """Find the cheapest way of waiting that meets a latency, and say what it costs; exit with 1 if none does.

    Ways are measured by `paced`, in every language, the hopeless ones only shortly; intervals over trials decide.
    """
    from threadping.cli.advise import Asked, advise
    from threadping.model import Requirement
    from threadping.selection.selection import Selection

    if len(busy) > 1:
        raise UsageError("An advice is for one number of busy threads: give --busy one.")
    if burst and arrivals != "bursts":
        raise UsageError(f"--burst goes only with --arrivals bursts, not with {arrivals}.")
    at_once = (burst or 10) if arrivals == "bursts" else 1
    required = Requirement(rate, p99_ns, cpu_share and 100 * cpu_share, system or "", arrivals, at_once)
    return advise(required, Selection(busy=tuple(busy), **selected), Asked(form=output_format, store=store))


@_command("published", OF, RUNTIME, STORED, LONGER, SEED, ANYWAY, LISTING, CHART, STORE)
def _published(
    articles: Sequence[str],
    run: str | None,
    output_format: Listing,
    chart: Path | None,
    store: str | None,
    **selected: Any,
) -> None:
    """Repeat published experiments, and compare their figures with those of this machine."""
    from threadping.cli.published import published
    from threadping.selection.selection import Selection

    selection = Selection(
        **{"budget_s": BUDGET_S, **{of: value for of, value in selected.items() if value is not None}}
    )
    if run is not None and selection != Selection(budget_s=BUDGET_S):
        raise UsageError("--run measures nothing: leave out --budget, --runtime and --seed, or leave out --run.")
    published(articles, selection, run, output_format, chart, store)


FLEET = click.Group("fleet", help="Put one question to many hosts, by Dask, and say which of them differ.")
OTHERS["fleet"] = FLEET


def _scheduler(*, required: bool) -> Option:
    help = "Dask's scheduler: tcp://HOST:8786 or tls://HOST:8786" + ("." if required else "; the fleet's by default.")
    return Option("--on", "scheduler", metavar="ADDRESS", required=required, help=help, group=WHAT)


WHICH = click.Argument(["fleet"], metavar="[FLEET]", required=False, default="last")


@_command(
    *("run", click.Argument(["words"], metavar="[COMMAND] [OPTIONS]...", nargs=-1, type=click.UNPROCESSED)),
    *(_scheduler(required=True), LISTING, STORE),
    among=FLEET.commands,
    ignore_unknown_options=True,
)
def _fleet_run(words: Sequence[str], scheduler: str, output_format: Listing, store: str | None) -> int:
    """Measure once on each host on which a worker of the scheduler runs.

    COMMAND is `run` or an experiment, with any of its options: `fleet run --on ADDRESS signal --budget 10s`.
    """
    from threadping.cli import fleet

    return fleet.run(words, scheduler, store, output_format)


@_command(
    *("hop", click.Argument(["words"], metavar="[OPTIONS]...", nargs=-1, type=click.UNPROCESSED)),
    _scheduler(required=True),
    Option(
        "--transport",
        type=click.Choice(["tcp", "udp"]),
        default="tcp",
        help="How messages travel; tcp by default.",
        group=WHAT,
    ),
    *(HOPS, STORE),
    among=FLEET.commands,
    ignore_unknown_options=True,
)
def _fleet_hop(
    words: Sequence[str], scheduler: str, transport: str, output_format: HopFormat, store: str | None
) -> int:
    """Measure the one-way latency between every two hosts, and over the loopback of each.

    OPTIONS are those of `threadping hop`, for each pair: --budget (5s by default), --bytes.
    """
    from threadping.cli import fleet

    return fleet.hop(words, transport, scheduler, store, output_format)


@_command("resume", WHICH, _scheduler(required=False), LISTING, STORE, among=FLEET.commands)
def _fleet_resume(fleet: str, scheduler: str | None, output_format: Listing, store: str | None) -> int:
    """Measure on those hosts of a fleet that have no run yet: its number, or 'last'."""
    from threadping.cli.fleet import resume

    return resume(fleet, scheduler, store, output_format)


@_command("show", WHICH, HOPS, STORE, among=FLEET.commands)
def _fleet_show(fleet: str, output_format: HopFormat, store: str | None) -> None:
    """Say which hosts of a fleet differ from their kind, or how far apart they are: its number, or 'last'."""
    from threadping.cli.fleet import show

    show(fleet, store, output_format)
