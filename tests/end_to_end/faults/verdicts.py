"""Results that decide nothing: no verdict, recommendation or exit code comes from them."""

import shlex

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import WHOLE, Bench, Fault, Way

HEADING = "Results that decide nothing"
ABOUT = (
    "What may not be used for a purpose decides nothing there: the answer is *cannot tell* with the reason, and "
    "the exit code 0, or 4 with `--strict`. [Which finding forbids which use](../reference/uses.md)."
)

PAIR = "compare signal --mechanism steady,slow --runtime cpp --placement same-l3 --budget 10s"


def others_use(share: float) -> Way:
    """Run the command next to other programs that use this share of the CPU time."""

    def run(bench: Bench, command: str) -> Done:
        bench.patch.setattr("threadping.conduct.runner.others_since", lambda _cpus: lambda: share)
        return bench.with_fake(*shlex.split(command), env=bench.env | {"FAKE_MECHANISMS": "steady,slow"})

    return run


BUSY = "cannot tell: other programs used 57% of the CPU time (busy-machine)"
LOADED = "cannot tell: other programs used 20% of the CPU time during its trials (other-load)"

FAULTS = (
    Fault("a comparison on a busy machine", PAIR, 0, BUSY, WHOLE, run=others_use(0.57)),
    Fault("the same for somebody strict", f"{PAIR} --strict", 4, BUSY, WHOLE, run=others_use(0.57)),
    Fault("a comparison next to some load", PAIR, 0, LOADED, WHOLE, run=others_use(0.2)),
)
