"""Pings as Prometheus reads them: its text format, in seconds, such as node exporter's textfile collector takes."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import islice

from threadping.analysis.states import states_of
from threadping.model.cases import Pair
from threadping.studies.ping.lines import PingTally, pings

MOST_RECENT = 3_600
"""Of so many lines the states are found: each time anew, which takes a few ms."""

Sample = tuple[Mapping[str, object], float]
"""The labels of a value, and the value."""


def exposition(tally: PingTally, placed: Mapping[Pair, str]) -> str:
    """Write what the last ping of each pair says, how many there were, and the states that they were in.

    Args:
        tally: the pings until now.
        placed: the pairs, each with the name of its placement.
    """
    return "".join(_families(tally, placed))


def _families(tally: PingTally, placed: Mapping[Pair, str]) -> Iterator[str]:
    labels = {pair: {"cpu_a": pair[0], "cpu_b": pair[1], "placement": name} for pair, name in placed.items()}
    known = [(labels[pair], one) for pair, one in tally.last.items()]
    yield _family(
        "one_way_seconds",
        "gauge",
        "Half of the round trip of the last ping between two CPUs.",
        [(of, one.ns / 1e9) for of, one in known if one.ns is not None],
    )
    p99s = [(of, one.round_trip_p99_ns) for of, one in known]
    longest = [(of, one.round_trip_max_ns) for of, one in known]
    for part, found in (("p99", p99s), ("max", longest)):
        means = f"The {part} of the round trips of the last ping."
        in_seconds = [(of, ns / 1e9) for of, ns in found if ns is not None]
        yield _family(f"round_trip_{part}_seconds", "gauge", means, in_seconds)
    yield _family(
        "ping_timestamp_seconds", "gauge", "When the last ping was taken.", [(of, one.at) for of, one in known]
    )
    yield from _counters(tally, labels)
    yield from _states(tally, labels)
    yield _family("build_info", "gauge", "The version of threadping.", [({"version": version("threadping")}, 1)])


def _counters(tally: PingTally, labels: Mapping[Pair, Mapping[str, object]]) -> Iterator[str]:
    counted = {
        "pings": ("Pings since threadping began.", tally.pings),
        "ping_failures": ("Those of them that failed.", tally.failed),
        "state_changes": ("How often two pings in a row agreed on another latency than before.", tally.changed),
    }
    for name, (means, times) in counted.items():
        yield _family(f"{name}_total", "counter", means, [(of, times[pair]) for pair, of in labels.items()])


def _states(tally: PingTally, labels: Mapping[Pair, Mapping[str, object]]) -> Iterator[str]:
    """Of each pair the states of its recent pings, the nearest first: `state="1"`."""
    first = max(0, len(tally.recent) - MOST_RECENT * len(labels))
    states = states_of(pings(islice(tally.recent, first, None)))
    found = [
        ({**of, "state": place}, state)
        for pair, of in labels.items()
        for place, state in enumerate(states.of_pair(pair), start=1)
    ]
    yield _family(
        "state_one_way_seconds",
        "gauge",
        "Half of a round trip in each state, the nearest of which is 1.",
        [(of, state.core_to_core_ns / 1e9) for of, state in found],
    )
    yield _family(
        "state_ratio",
        "gauge",
        "For what share of the time two CPUs were in a state.",
        [(of, state.share) for of, state in found],
    )


def _family(name: str, kind: str, means: str, samples: Iterable[Sample]) -> str:
    heads = f"# HELP threadping_{name} {means}\n# TYPE threadping_{name} {kind}\n"
    return heads + "".join(f"threadping_{name}{{{_written(labels)}}} {value:.12g}\n" for labels, value in samples)


def _written(labels: Mapping[str, object]) -> str:
    return ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
