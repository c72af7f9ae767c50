"""The command `fleet`."""

from collections.abc import Sequence

import click

from threadping.options.program import Commands, command
from threadping.options.shared import LISTING, LOCATION, OF_A_STUDY, Option, subject_option, variadic


def _scheduler(*, required: bool) -> Option:
    help = "Dask's scheduler: tcp://HOST:8786 or tls://HOST:8786" + ("." if required else "; the fleet's by default.")
    return subject_option("--on scheduler", help, metavar="ADDRESS", required=required)


def _words(metavar: str) -> Sequence[click.Parameter]:
    return variadic("words", metavar, type=click.UNPROCESSED), _scheduler(required=True)


OF_HOSTS = {"ignore_unknown_options": True}
WHICH = click.Argument(["which"], metavar="[FLEET]", required=False, default="last")

FLEET_ENDS = {1: "A host has no run: it was lost, or could not measure."}
COMMANDS = [
    command(
        "run",
        """Measure once on each host on which a worker of the scheduler runs.

        COMMAND is `run` or an experiment, with any of its options: `fleet run --on ADDRESS signal --budget 10s`.
        """,
        "studies.fleet.command.run",
        *_words("[COMMAND [OPTION]...]"),
        *(LISTING, LOCATION),
        settings=OF_HOSTS,
        examples=[
            ("fleet run --on tcp://HOST:8786", "what `run` does, on each host"),
            ("fleet run --on tcp://HOST:8786 signal", "one experiment"),
        ],
        ends=FLEET_ENDS,
    ),
    command(
        "resume",
        "Measure on those hosts of a fleet (its number, or 'last') that have no run yet.",
        "studies.fleet.command.resume",
        *(WHICH, _scheduler(required=False), LISTING, LOCATION),
        examples=[("fleet resume last", "the newest fleet")],
        ends=FLEET_ENDS,
    ),
    command(
        "show",
        "Say which hosts of a fleet (its number, or 'last') differ from their kind.",
        "studies.fleet.command.show",
        *(WHICH, OF_A_STUDY, LOCATION),
        examples=[("fleet show", "the newest fleet"), ("fleet show 2 --format markdown", "fleet 2, for a page")],
    ),
]
FLEET = Commands(
    {"Commands": {one.name or "": one.get_short_help_str() for one in COMMANDS}},
    {one.name or "": one for one in COMMANDS},
    [
        ("fleet run --on tcp://HOST:8786 signal --budget 30s", "once on every host"),
        ("fleet show", "which hosts differ"),
    ],
    name="fleet",
    help="Run the same measurement on every host of a Dask cluster, and find those that differ.",
)
