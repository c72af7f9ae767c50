"""Results that decide nothing: no verdict, recommendation or exit code comes from them."""

from tests.end_to_end.faults.fault import WHOLE, How, others_use, read_faults

HEADING = "Results that decide nothing"
ABOUT = (
    "What may not be used for a purpose decides nothing there: the answer is *cannot tell* with the reason, and "
    "the exit code 0, or 4 with `--strict`. [Which finding forbids which use](../reference/uses.md)."
)


FAULTS = read_faults(
    __file__,
    {
        "a comparison on a busy machine": How(WHOLE, others_use(0.57)),
        "the same for somebody strict": How(WHOLE, others_use(0.57)),
        "a comparison next to some load": How(WHOLE, others_use(0.2)),
    },
)
