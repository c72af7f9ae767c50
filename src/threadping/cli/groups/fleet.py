"""Many hosts: the options of each command, and what it calls."""

from collections.abc import Sequence
from pathlib import Path

import click

from threadping.cli.groups.comparing import FAIL_ABOVE, MARGIN, OR_4
from threadping.cli.groups.looking import IDENTIFY
from threadping.cli.options import CHART, HOPS, LISTING, PAGE, STORE, WHAT, Group, HopFormat, Listing, Option

COMMANDS = Group("fleet", help="Put one question to many hosts, by Dask, and say which of them differ.")


def _scheduler(*, required: bool) -> Option:
    help = "Dask's scheduler: tcp://HOST:8786 or tls://HOST:8786" + ("." if required else "; the fleet's by default.")
    return Option("--on scheduler", help, WHAT, metavar="ADDRESS", required=required)


SELF_CHECK = Option(
    "--self-check", "First measure what Dask costs on each host: 10 s more, in blocks.", WHAT, is_flag=True
)
TRANSPORT = Option(
    "--transport", "How messages travel; tcp by default.", WHAT, type=click.Choice(["tcp", "udp"]), default="tcp"
)
WHICH = click.Argument(["fleet"], metavar="[FLEET]", required=False, default="last")


@COMMANDS.command(
    "run",
    params=[
        click.Argument(["words"], metavar="[COMMAND] [OPTIONS]...", nargs=-1, type=click.UNPROCESSED),
        *(_scheduler(required=True), SELF_CHECK, LISTING, STORE),
    ],
    context_settings={"ignore_unknown_options": True},
)
def _fleet_run(
    words: Sequence[str], scheduler: str, output_format: Listing, store: str | None, *, self_check: bool
) -> int:
    """Measure once on each host on which a worker of the scheduler runs.

    COMMAND is `run` or an experiment, with any of its options: `fleet run --on ADDRESS signal --budget 10s`.
    """
    from threadping.cli import fleet

    return fleet.run(words, scheduler, store, output_format, self_check=self_check)


@COMMANDS.command(
    "hop",
    params=[
        click.Argument(["words"], metavar="[OPTIONS]...", nargs=-1, type=click.UNPROCESSED),
        *(_scheduler(required=True), TRANSPORT, HOPS, STORE),
    ],
    context_settings={"ignore_unknown_options": True},
)
def _fleet_hop(
    words: Sequence[str], scheduler: str, transport: str, output_format: HopFormat, store: str | None
) -> int:
    """Measure the one-way latency between every two hosts, and over the loopback of each.

    OPTIONS are those of `threadping hop`, for each pair: --budget (5s by default), --bytes.
    """
    from threadping.cli import fleet

    return fleet.run(words, scheduler, store, output_format, transport=transport)


@COMMANDS.command("resume", params=[WHICH, _scheduler(required=False), LISTING, STORE])
def _fleet_resume(fleet: str, scheduler: str | None, output_format: Listing, store: str | None) -> int:
    """Measure on those hosts of a fleet that have no run yet: its number, or 'last'."""
    from threadping.cli.fleet import resume

    return resume(fleet, scheduler, store, output_format)


@COMMANDS.command("show", params=[WHICH, HOPS, PAGE, IDENTIFY, STORE])
def _fleet_show(fleet: str, output_format: HopFormat, page: Path | None, store: str | None, *, identify: bool) -> None:
    """Say which hosts of a fleet differ from their kind, or how far apart they are: its number, or 'last'."""
    from threadping.cli.fleet import show

    show(fleet, store, output_format, page, identify=identify)


@COMMANDS.command(
    "compare",
    params=[click.Argument(["fleets"], metavar="A B", nargs=2), *(MARGIN, FAIL_ABOVE, OR_4, HOPS, CHART, STORE)],
)
def _fleet_compare(
    fleets: Sequence[str],
    margin: float | None,
    fail_above: float | None,
    strict: bool,
    output_format: HopFormat,
    chart: Path | None,
    store: str | None,
) -> int:
    """Say whether fleet B is slower than fleet A, over their hosts, with the exit codes of `compare`.

    A and B are numbers of fleets, or parts of them: `3:host-1,host-2`, `3:EPYC` and `3:Xeon`, `3:6.12` and `4:6.18`.
    Hosts that are in both are compared with themselves.
    """
    from threadping.cli.compare import Asked
    from threadping.cli.fleet import compare

    how = Asked(margin=margin, fail_above=fail_above, strict=strict, form=output_format, chart=chart, store=store)
    return compare(fleets, how)
