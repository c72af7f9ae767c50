"""The commands: the options of each, and what it calls. A body imports what it needs: the help waits for none."""

from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import click

from threadping.cli import options
from threadping.cli.groups import comparing, looking, matrix
from threadping.cli.groups import measuring as measuring_otherwise
from threadping.cli.options import HOPS, LISTING, STORE, WHAT, Command, Format, HopFormat, Listing, Option
from threadping.experiments import EXPERIMENTS, of_run

RUN_HELP = "Measure everything this machine can: all experiments but paced, all runtimes and placements."
GROUPS = (measuring_otherwise, comparing, matrix, looking)
OTHERS: dict[str, click.Command] = {name: one for group in GROUPS for name, one in group.COMMANDS.commands.items()}
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
