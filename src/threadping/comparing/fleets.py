"""Two fleets, B against A: hosts are what varies, so the test of `compare` is made over hosts."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from threadping.analysis.answer import Answer
from threadping.comparing.blocks import Block, Looks, Measured
from threadping.comparing.compare import Comparison, Contest, Rules, conclude
from threadping.comparing.fleet import Subject, by_subject
from threadping.model import Host, Record
from threadping.quantities import counted

FEWEST_PAIRS, FEWEST_EACH = 6, 3
"""Figures of fewer hosts are not compared: any difference could be chance, and every comparison costs the others."""

ONCE = Looks((1,))
"""All hosts are looked at, once."""


class Side(Record, frozen=True):
    """A fleet or a part of one: its name, as it was given, and the number of each host's run."""

    name: str
    hosts: Mapping[str, int]

    @property
    def title(self) -> str:
        """Name it with how many hosts it has."""
        return f"fleet {self.name}, {counted(len(self.hosts), 'host')}"


class Contrast(Record, frozen=True):
    """B against A in one figure.

    Attributes:
        subject: what is compared.
        core_to_core_ns: of the machines' states on either side; None where figures are not split by them.
        hosts: how many have the figure on either side, in that state.
        values: the medians over these hosts.
        comparison: what they say; `needs_s` is a number of hosts.
    """

    subject: Subject
    core_to_core_ns: tuple[float | None, float | None]
    hosts: tuple[int, int]
    values: tuple[float, float]
    comparison: Comparison


def pairs_of(a: Sequence[Host], b: Sequence[Host]) -> dict[str, str]:
    """The key on side B of each host of side A that is on both sides; empty where most hosts are on one.

    A host that was started anew has another key: it is known by its name, where only one host has that.
    """
    keys = {host.key for host in b}
    names = {host.name: host.key for host in b if sum(other.name == host.name for other in b) == 1}
    of_a = [host for host in a if sum(other.name == host.name for other in a) == 1 or host.key in keys]
    found = {host.key: host.key if host.key in keys else names.get(host.name, "") for host in of_a}
    found = {one: other for one, other in found.items() if other}
    return found if 2 * len(found) >= min(len(a), len(b)) else {}


def contrasts(
    a: Mapping[str, Answer],
    b: Mapping[str, Answer],
    pairs: Mapping[str, str],
    *,
    margin: float,
    fail_above: float | None = None,
) -> tuple[Contrast, ...]:
    """Compare every figure that both fleets have, corrected for how many there are.

    Args:
        a: the runs of the hosts of A, by host.
        b: the same of B.
        pairs: the host of B that is a host of A; empty if they are two groups.
        margin: a difference that does not matter, as a share.
        fail_above: as `Rules` have it.
    """
    sides = {("a", host): answer for host, answer in a.items()} | {("b", host): answer for host, answer in b.items()}
    found: list[tuple[Subject, tuple[float | None, float | None], Contest]] = []
    for subject, by_state in by_subject(sides).items():
        if subject.case is None:  # its states are the very figure
            by_state = {None: {host: value for values in by_state.values() for host, value in values.items()}}
        of_sides = [
            {
                state: of_it
                for state, values in by_state.items()
                if (of_it := {host: value.value for (side, host), value in values.items() if side == which})
            }
            for which in "ab"
        ]
        for states in _states(*of_sides):
            values = [of_side[state] for of_side, state in zip(of_sides, states, strict=True)]
            if blocks := _blocks(values[0], values[1], pairs):
                hosts = len(blocks[0].trials) / (2 if pairs else 1)
                found.append((subject, states, Contest(blocks, subject.unit == "per_s", hosts)))
    made = conclude([contest for *_, contest in found], Rules(margin, ONCE, fail_above))
    return tuple(
        Contrast(subject, states, *_of_sides(contest.blocks), one)
        for (subject, states, contest), one in zip(found, made, strict=True)
    )


def _states(
    a: Mapping[float | None, Mapping[str, float]], b: Mapping[float | None, Mapping[str, float]]
) -> Iterator[tuple[float | None, float | None]]:
    """The states that are compared: the same on both sides; where none is, the most common one of each."""
    shared = [state for state in a if state in b]
    if shared or not a or not b:
        yield from ((state, state) for state in shared)
        return
    commonest = [max(side, key=lambda state: len(side[state])) for side in (a, b)]
    yield commonest[0], commonest[1]


def _blocks(a: Mapping[str, float], b: Mapping[str, float], pairs: Mapping[str, str]) -> tuple[Block, ...]:
    """A block for each host that has both values, or one of all hosts; none for too few."""
    if pairs:
        both = [(a[one], b[other]) for one, other in pairs.items() if one in a and other in b]
        blocks = [Block((Measured("a", one), Measured("b", other))) for one, other in both]
        return tuple(blocks) if len(blocks) >= FEWEST_PAIRS else ()
    if min(len(a), len(b)) < FEWEST_EACH:
        return ()
    return (Block(tuple([Measured("a", one) for one in a.values()] + [Measured("b", one) for one in b.values()])),)


def _of_sides(blocks: Sequence[Block]) -> tuple[tuple[int, int], tuple[float, float]]:
    """How many values each side has, and their medians."""
    a, b = ([one.value or 0.0 for of in blocks for one in of.trials if one.side == side] for side in ("a", "b"))
    return (len(a), len(b)), (median(a), median(b))
