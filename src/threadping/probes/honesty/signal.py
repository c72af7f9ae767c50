"""What can contradict itself in a result of `signal`."""

from threadping.contract import Request, SignalResult


def contradiction(request: Request, result: SignalResult) -> str | None:
    """Whether its lines are as asked, and whether more was done in its parts than the measuring phase holds."""
    if len(result.blocks.lines) != request.lines:
        return f"{len(result.blocks.lines)} lines instead of {request.lines}"
    blocks = sum(sum(line) for line in result.blocks.lines) * result.blocks.round_trips
    singles = sum(value * count for value, count in zip(result.singles.values_ns, result.singles.counts, strict=True))
    partial = result.blocks.partial.ns if result.blocks.partial else 0
    rounding = 1.001  # block means travel rounded to hundredths of a nanosecond
    if blocks + singles + partial > result.measured.ns * rounding:
        return (
            f"its parts last {(blocks + singles + partial) / 1e6:.3f} ms, the whole {result.measured.ns / 1e6:.3f} ms"
        )
    hand_overs = 2 * (result.blocks.round_trips * sum(map(len, result.blocks.lines)) + sum(result.singles.counts))
    if hand_overs > result.measured.ops:
        return f"its parts hold {hand_overs} hand-overs, the whole {result.measured.ops}"
    return None
