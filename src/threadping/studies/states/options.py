"""The command `states`."""

from threadping.options.program import command
from threadping.options.shared import CHART, LISTING, LOCATION, run_argument

STATES = command(
    "states",
    "Show how the core-to-core latency changed: in a run, or in all runs of this machine.",
    "studies.states.command.states",
    *(run_argument(None), LISTING, CHART, LOCATION),
    examples=[
        ("states", "in all runs of this machine"),
        ("states last --chart states.svg", "in the newest run, as a picture"),
    ],
)
