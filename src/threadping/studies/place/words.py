"""What is said of a placement, in sentences."""

from math import inf

from threadping.model.studies import Placing
from threadping.numbers import named
from threadping.quantities import counted, fold, time
from threadping.sheets.fields import Ends
from threadping.sheets.grid import Lead
from threadping.studies.compare.reading import ComparedPair
from threadping.studies.compare.words import open_to, percentage, reach, takes
from threadping.studies.place.shapes import THREAD_SHAPES

UNCHOSEN = "There are no more CPUs than threads, so none was chosen: what is compared is pinning alone."


def verdict(of: Placing, gain: ComparedPair) -> Lead:
    """What pinning threads to these CPUs gains over the scheduler's own choice."""
    where, test = named(of.cpus), gain.test
    margin = percentage(of.comparing.margin)
    match test.answer:
        case "faster":
            return Lead(f"{where}: {_times(gain)} as fast as where the scheduler puts them", "bold green")
        case "slower":
            text = f"Leave them to the scheduler: pinned to {where} they are {_times(gain)} as fast"
            return Lead(text, "bold red")
        case "same":
            return Lead(f"No difference here: pinned to {where} or left to the scheduler, same within {margin}")
        case "differs":
            way = f"{test.direction}, by less than {margin}"
            return Lead(f"No difference here that matters: pinned to {where} they are {way}")
    if test.why:
        return Lead(f"{where}: cannot tell what pinning gains: {test.why}", "yellow")
    known = f"pinned they are {test.direction}, whether by more than {margin} is open: " if test.direction else ""
    ends = _ends(gain)
    said = f"{reach(ends)} times as fast" if ends and 0 < ends[0] <= ends[1] < inf else open_to(test)
    return Lead(f"{where}: cannot tell what pinning gains: {known}{said}{takes(test, of.comparing.margin)}", "yellow")


def _times(gain: ComparedPair) -> str:
    """How many times as fast, with the interval that decides: `1.942x (1.911 to 1.973)`."""
    ratio, ends = gain.test.ratio, _ends(gain)
    assert ratio is not None and ends is not None
    return f"{fold(ratio if gain.metric.higher_is_better else 1 / ratio)} ({reach(ends)})"


def _ends(gain: ComparedPair) -> Ends | None:
    """Between how many times as fast pinned threads are: of a time the other way round; None where nothing is known."""
    if gain.test.decides is None:
        return None
    low, high = gain.test.decides
    return (low, high) if gain.metric.higher_is_better else (1 / high, 1 / low if low else inf)


def say_cost(of: Placing) -> str:
    """What the shape costs on these CPUs, beside CPUs that are drawn at random."""
    shape = THREAD_SHAPES.get(of.shape)
    how = "to the farthest" if shape and shape.by_farthest else "each exchange, in the mean"
    one = len(of.exchanges) == 1
    beside = f"; on CPUs drawn at random {time(of.usual_ns)}" if of.usual_ns is not None else ""
    return f"{time(of.cost_ns)} one way{'' if one else f', {how}'}{beside}"


def say_known(of: Placing) -> str:
    """Of how many pairs the latency is known, and from where."""
    number = len(of.considered) * (len(of.considered) - 1) // 2
    all_of = counted(number, "pair") if of.known >= number else f"{of.known:,} of {counted(number, 'pair')}"
    like = "" if of.known >= number else ", the others as those that share as much"
    return f"{all_of} by {of.matrix}{like}"
