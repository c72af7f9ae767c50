"""Commands that measure in their own way: the options of each, and what it calls."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import options, syntax
from threadping.cli.options import (
    ANYWAY,
    BUDGET,
    BUSY,
    CHART,
    CPUS,
    LISTING,
    MECHANISM,
    OUTPUT,
    PLACEMENT,
    RUNTIME,
    SEED,
    STORE,
    TIME,
    WHAT,
    Group,
    Listing,
    Option,
)
from threadping.errors import UsageError

COMMANDS = Group()

COUNT = Option("--count -c", "End after so many intervals.", TIME, metavar="N", type=click.IntRange(1))
INTERVAL = Option(
    "--interval -i interval_s",
    "Between two pings of a pair, from 0.1 on; 1 by default.",
    TIME,
    metavar="SECONDS",
    type=float,
    default=1.0,
)
ABOVE = Option(
    "--above above_ns",
    "Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
    OUTPUT,
    type=syntax.LATENCY,
)


@COMMANDS.command(
    "ping",
    params=[
        click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
        *(COUNT, INTERVAL, ABOVE, ANYWAY, LISTING),
    ],
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


BUDGET_S = 180.0
"""How long `published` takes by default."""

OF = options.listed(
    "--of articles",
    "Only figures of this published experiment, such as lock-contention. Repeatable.",
    WHAT,
    type=syntax.NAMES,
)
STORED = Option("--run", "Measure nothing: compare this run, or 'last'.", WHAT, metavar="RUN")
LONGER = Option("--budget budget_s", "How long in all; 3m by default.", TIME, type=syntax.TIME)


@COMMANDS.command("published", params=[OF, RUNTIME, STORED, LONGER, SEED, ANYWAY, LISTING, CHART, STORE])
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


RATE = Option("--rate", "Messages a second: 500, 10k, 1M.", WHAT, type=syntax.RATE, required=True)
ARRIVALS = Option(
    "--arrivals",
    "When they are due: constant (the default), poisson or bursts.",
    WHAT,
    type=click.Choice(["constant", "poisson", "bursts"]),
    metavar="WHEN",
    default="constant",
)
BURST = Option(
    "--burst",
    "How many are due at once, of --arrivals bursts, 10 by default; the mean rate stays.",
    WHAT,
    type=click.IntRange(1, 10_000),
    metavar="N",
)
P99 = Option(
    "--p99 p99_ns",
    "What one message in a hundred may exceed, from when it is due: 20us.",
    WHAT,
    type=syntax.LATENCY,
    required=True,
)
CPU = Option("--cpu cpu_share", "The most CPU time of the waiting thread, of a core: 20%.", WHAT, type=syntax.SHARE)
FOR = Option(
    "--for system",
    "Choose among its ways of waiting, and print its configuration: disruptor, agrona, folly, openmp, vllm.",
    WHAT,
    type=click.Choice(["disruptor", "agrona", "folly", "openmp", "vllm"]),
    metavar="SYSTEM",
)


@COMMANDS.command(
    "advise",
    params=[
        *(RATE, ARRIVALS, BURST, P99, CPU, FOR, RUNTIME, MECHANISM, PLACEMENT, CPUS, *BUSY, BUDGET, SEED, ANYWAY),
        *(LISTING, STORE),
    ],
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
    from threadping.cli.advise import advise
    from threadping.cli.answer import Asked
    from threadping.model import Requirement
    from threadping.selection.selection import Selection

    if len(busy) > 1:
        raise UsageError("An advice is for one number of busy threads: give --busy one.")
    if burst and arrivals != "bursts":
        raise UsageError(f"--burst goes only with --arrivals bursts, not with {arrivals}.")
    at_once = (burst or 10) if arrivals == "bursts" else 1
    required = Requirement(rate, p99_ns, cpu_share and 100 * cpu_share, system or "", arrivals, at_once)
    return advise(required, Selection(busy=tuple(busy), **selected), Asked(form=output_format, store=store))
