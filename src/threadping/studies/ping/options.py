"""The command `ping`."""

import click

from threadping.options import syntax
from threadping.options.program import command
from threadping.options.shared import ANYWAY, alias_of, file, form, output_option, time_option

PING = command(
    "ping",
    """Measure core-to-core latency every second until Ctrl-C, as ping(8) does for hosts.

    Between CPUs A and B, or between all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """,
    "studies.ping.command.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    alias_of("--cpus", "cpus", "The two CPUs, as other commands take them.", syntax.PAIR),
    time_option("--count -c rounds", "End after so many intervals.", syntax.NumberInRange(1)),
    time_option(
        "--interval -i interval_s",
        "Time between two pings of a pair: 200ms, 1s (the default), 2m; from 100ms to 1h.",
        syntax.PING_INTERVAL,
        default="1s",
    ),
    output_option(
        "--above above_ns",
        "Show only pings that cross this latency, such as 60ns; exit with 3 if any was above.",
        syntax.LATENCY,
    ),
    ANYWAY,
    form("table, json, or prometheus (its text, once it ends; in a file alone with -o).", "json", "prometheus"),
    file(
        "--output -o file",
        "Write Prometheus metrics after each interval: FILE.prom, for node exporter's textfile collector.",
        "the output",
        ".prom",
    ),
    examples=[
        ("ping", "all pairs of up to four CPUs"),
        ("ping 0,1 -c 60 -i 200ms --above 60ns", "when these move apart"),
        ("ping -i 10s --format prometheus -o ping.prom", "for node exporter"),
    ],
    ends={1: "No ping succeeded, or a file could not be written.", 3: "With --above: a ping was above it."},
)
