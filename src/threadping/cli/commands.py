"""The commands: the options of each, and what it calls. A body imports what it needs: the help waits for none."""

from pathlib import Path
from typing import Any

import click

from threadping.cli import options
from threadping.cli.groups import comparing, fleet, looking, matrix
from threadping.cli.groups import measuring as measuring_otherwise
from threadping.cli.options import Command, Format
from threadping.experiments import EXPERIMENTS, of_run

RUN_HELP = "Measure everything this machine can: all experiments but paced and hop, all runtimes and placements."
GROUPS = (measuring_otherwise, comparing, matrix, looking)
OTHERS: dict[str, click.Command] = {name: one for group in GROUPS for name, one in group.COMMANDS.commands.items()}
OTHERS["fleet"] = fleet.COMMANDS
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
