"""The command `ping`."""

import click

from threadping.options import syntax
from threadping.options.command import command, output, time
from threadping.options.shared import ANYWAY, LISTING

PING = command(
    "ping",
    """Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.

    Between CPUs A and B, or between all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """,
    "studies.ping.command.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    time("--count -c rounds", "End after so many intervals.", syntax.NumberInRange(1)),
    time(
        "--interval -i interval_s",
        "Time between two pings of a pair: 0.1 or more, 1 by default.",
        float,
        metavar="SECONDS",
        default=1.0,
    ),
    output(
        "--above above_ns",
        "Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
        syntax.LATENCY,
    ),
    ANYWAY,
    LISTING,
)
