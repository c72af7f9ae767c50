"""Parameters: what is asked for becomes settings, what is impossible a sentence."""

import pytest

from threadping.contract import MechanismDescription, OnlyWith, ParamDescription
from threadping.errors import UnknownName, UsageError
from threadping.experiments.params import Wanted, refuse_impossible, settings, unmet, variations

WAIT = ParamDescription("wait", "spin", ("spin", "pause", "yield"), None, None)
PAUSES = ParamDescription("pauses", 1, None, (1, 10000), OnlyWith("wait", "pause"))
SPINS = ParamDescription("spins", 1000, None, (0, 10**9), None)


def mechanism(name: str, *params: ParamDescription) -> MechanismDescription:
    return MechanismDescription(name, False, "round-trip", True, 256, params, None, None)


CAS, PARK = mechanism("cas", WAIT, PAUSES), mechanism("spin-then-park", SPINS)


def shown(of: MechanismDescription, wanted: Wanted) -> list[str]:
    """Each setting as `all its parameters | what is varied`."""
    return [
        f"{' '.join(f'{name}={value}' for name, value in one.params.items())} | {' '.join(one.varied)}".strip()
        for one in settings(of, wanted)
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["wait=spin |"]),
        ({"wait": ("spin",)}, ["wait=spin |"]),
        ({"wait": ("pause",)}, ["wait=pause pauses=1 | wait"]),
        ({"pauses": ("10",)}, ["wait=pause pauses=10 | wait pauses"]),
        ({"pauses": ("1", "10")}, ["wait=pause pauses=1 | wait", "wait=pause pauses=10 | wait pauses"]),
        (
            {"wait": ("spin", "pause"), "pauses": ("10", "20")},
            ["wait=spin |", "wait=pause pauses=10 | wait pauses", "wait=pause pauses=20 | wait pauses"],
        ),
        ({"wait": ("telepathy",)}, []),
        ({"wait": ("telepathy", "yield")}, ["wait=yield | wait"]),
        ({"spins": ("5",)}, []),
    ],
)
def test_what_is_asked_for_is_crossed_and_what_has_no_effect_falls_away(wanted: Wanted, expected: list[str]) -> None:
    assert shown(CAS, wanted) == expected


def test_variations_are_every_other_word_one_at_a_time() -> None:
    both = mechanism("both", WAIT, PAUSES, ParamDescription("between", "threads", ("threads", "processes"), None, None))
    assert [one.varied for one in variations(both)] == [("wait",), ("wait",), ("between",)]
    assert [one.params["wait"] for one in variations(both)] == ["pause", "yield", "spin"]
    assert variations(PARK) == []


@pytest.mark.parametrize(
    ("wanted", "error", "sentence"),
    [
        (
            {"wiat": ("spin",)},
            UnknownName,
            r"Unknown parameter 'wiat'\. Did you mean wait\? Known: pauses, spins, wait\.",
        ),
        ({"wait": ("puase",)}, UnknownName, r"Unknown value of wait 'puase'\. Did you mean pause\?"),
        ({"pauses": ("0",)}, UsageError, r"pauses=0 is not possible: it is a whole number from 1 to 10000\."),
        ({"pauses": ("10001",)}, UsageError, r"pauses=10001 is not possible"),
        ({"spins": ("many",)}, UsageError, r"spins=many is not possible: it is a whole number from 0 to 1000000000\."),
        (
            {"wait": ("spin", "yield"), "pauses": ("10",)},
            UsageError,
            r"pauses goes only with wait=pause, but wait was to be spin or yield\. Leave one of the two out\.",
        ),
    ],
)
def test_what_nobody_can_do_is_refused_with_the_nearest(wanted: Wanted, error: type[UsageError], sentence: str) -> None:
    with pytest.raises(error, match=sentence) as caught:
        refuse_impossible(wanted, [CAS, PARK])
    assert caught.value.exit_code == 2


def test_what_one_of_them_can_do_is_not_refused() -> None:
    refuse_impossible({"wait": ("pause",), "pauses": ("10000",), "spins": ("0",)}, [CAS, PARK])


def test_what_a_mechanism_lacks_is_said() -> None:
    assert list(unmet(CAS, {"wait": ("pause",)})) == []
    assert list(unmet(PARK, {"wait": ("pause",)})) == ["it has no parameter wait"]
    assert list(unmet(CAS, {"wait": ("pause", "telepathy")})) == ["its wait cannot be telepathy"]
