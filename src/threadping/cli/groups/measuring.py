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
    *("--of", "articles"),
    type=syntax.NAMES,
    help="Only figures of this published experiment, such as lock-contention. Repeatable.",
    group=WHAT,
)
STORED = Option("--run", metavar="RUN", help="Measure nothing: compare this run, or 'last'.", group=WHAT)
LONGER = Option("--budget", "budget_s", type=syntax.TIME, help="How long in all; 3m by default.", group=TIME)


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
