"""Whether the runtime was ready when the measuring began, and kept still."""

from collections.abc import Iterator, Sequence

from threadping.contract import Result
from threadping.model import DEFAULT_WARMUP, Case, Verdict

COMPILING_SHARE = 0.02
"""Of the measuring time: below it the JIT was at work on something rare, such as an exit that was seldom taken."""


def warmup(case: Case, results: Sequence[Result], ops: str) -> Iterator[Verdict]:
    """Whether the warm-up was ended early.

    One that was asked for is part of the question, so its end is said whatever ran. The default is meant to fit: where
    it does not (an operation that sleeps), it only matters to a runtime that compiles what runs often.

    Args:
        case: what was measured.
        results: its trials that can be counted; at least one.
        ops: what its operations are called.
    """
    ended = [result for result in results if not result.warmup.complete]
    chosen = case.warmup != DEFAULT_WARMUP
    if ended and (chosen or ended[0].managed is not None):
        done = min(result.warmup.ops for result in ended)
        what_follows = (
            "this is not the warm-up that was asked for. Give a larger --budget, or a smaller --warmup."
            if chosen
            else f"{ops} this slow may not be compiled yet. Give a larger --budget."
        )
        yield Verdict(
            "warmup-cut",
            "warning" if chosen else "info",
            f"The warm-up of {case.warmup.text} was ended by its time limit in {len(ended)} of {len(results)} trials, "
            f"after {done:,} of {case.warmup.rounds * case.warmup.ops:,} {ops}: {what_follows}",
        )


def runtime_at_work(results: Sequence[Result]) -> Iterator[Verdict]:
    """Whether a virtual machine compiled or collected while it measured."""
    compiling = [ms for result in results if (ms := _compile_ms(result)) * 1e6 > COMPILING_SHARE * result.measured.ns]
    if compiling:
        yield Verdict(
            "jit-active",
            "warning",
            f"The JIT was still compiling in {len(compiling)} of {len(results)} trials (up to {max(compiling)} ms): "
            "part of the figure is not compiled code. Give a larger --budget.",
        )
    if collections := sum(result.managed.collections for result in results if result.managed is not None):
        yield Verdict(
            "gc-active",
            "warning",
            f"The collector ran {collections} times while measuring; the tail may be its own. Give the JVM more "
            "heap, as in --runtime 'java-17 -Xmn512m'.",
        )


def _compile_ms(result: Result) -> int:
    return (result.managed.compile_ms or 0) if result.managed is not None else 0
