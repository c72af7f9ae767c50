"""Parameters: what is asked for becomes settings, what is impossible a sentence."""

import pytest
from msgspec.structs import replace

from tests.unit.planning.examples import WAIT, mechanism
from threadping.model.contract import MechanismDescription, OnlyWith, ParamDescription
from threadping.model.errors import UsageError
from threadping.planning.params import refuse_impossible, settings, unmet, variations
from threadping.planning.selection import Values

PAUSES = ParamDescription("pauses", 1, None, (1, 10000), OnlyWith("wait", "pause"))
SPINS = ParamDescription("spins", 1000, None, (0, 10**9), None)
BETWEEN = ParamDescription("between", "threads", ("threads", "processes"), None, None)
CAS, PARK = mechanism("cas", params=(WAIT, PAUSES)), mechanism("spin-then-park", params=(SPINS,))
SPIN, PAUSE_10 = "wait=spin |", "wait=pause pauses=10 | wait pauses"


def shown(of: MechanismDescription, asked: Values) -> list[str]:
    """Each setting as `all its parameters | what is varied`."""
    found = [([f"{name}={value}" for name, value in one.params.items()], one.varied) for one in settings(of, asked)]
    return [f"{' '.join(params)} | {' '.join(varied)}".strip() for params, varied in found]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, [SPIN]),
        ({"wait": ("spin",)}, [SPIN]),
        ({"wait": ("pause",)}, ["wait=pause pauses=1 | wait"]),
        ({"pauses": ("10",)}, [PAUSE_10]),
        ({"pauses": ("1", "10")}, ["wait=pause pauses=1 | wait", PAUSE_10]),
        ({"wait": ("spin", "pause"), "pauses": ("10", "1")}, [SPIN, PAUSE_10, "wait=pause pauses=1 | wait"]),
        ({"wait": ("telepathy",)}, []),
        ({"wait": ("telepathy", "yield")}, ["wait=yield | wait"]),
        ({"spins": ("5",)}, []),
        ({"pauses": ("10k",)}, ["wait=pause pauses=10000 | wait pauses"]),
    ],
)
def test_what_is_asked_for_is_crossed_and_what_has_no_effect_falls_away(asked: Values, expected: list[str]) -> None:
    assert shown(CAS, asked) == expected


def test_variations_are_every_other_word_one_at_a_time() -> None:
    varied = [(one.varied, one.params["wait"]) for one in variations(mechanism("both", params=(WAIT, PAUSES, BETWEEN)))]
    assert varied == [(("wait",), "pause"), (("wait",), "yield"), (("between",), "spin")]
    assert variations(PARK) == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"wiat": ("spin",)}, r"^Unknown parameter 'wiat' of cas, spin-then-park\. Did you mean wait\? Known: "),
        ({"wait": ("puase",)}, r"^Unknown value of wait 'puase' of cas\. Did you mean pause\?"),
        ({"pauses": ("0",)}, r"^pauses=0 of cas is not possible: it is a whole number from 1 to 10k\.$"),
        *(
            ({"pauses": (one,)}, rf"^pauses={one} of cas is not possible")
            for one in ("10001", "-5", "1e3", "9G", "1.0001k")
        ),
        ({"spins": ("many",)}, r"^spins=many of spin-then-park is not possible"),
        (
            {"wait": ("spin", "yield"), "pauses": ("10",)},
            r"^pauses of cas goes only with wait=pause, but wait was to be spin or yield\. Leave one of the two out\.$",
        ),
    ],
)
def test_what_nobody_can_do_is_refused_with_the_nearest(asked: Values, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        refuse_impossible(asked, [CAS, PARK])


def test_what_no_cpu_or_language_here_can_do_is_refused_with_what_it_needs() -> None:
    here, java = (
        mechanism("cas", params=(replace(WAIT, needs=(("tpause", needs),)),))
        for needs in ("a CPU with waitpkg", "an instruction that Java does not have")
    )
    sentence = r"^wait=tpause of cas needs a CPU with waitpkg, or an instruction that Java does not have\.$"
    with pytest.raises(UsageError, match=sentence):
        refuse_impossible({"wait": ("spin", "tpause")}, [here, java])
    able = mechanism("cas", params=(replace(WAIT, choices=("spin", "tpause")),))
    refuse_impossible({"wait": ("tpause",)}, [able, java])
    assert list(unmet(java, {"wait": ("tpause", "telepathy")})) == [
        "its wait=tpause needs an instruction that Java does not have",
        "its wait cannot be telepathy",
    ]


def test_what_one_of_them_can_do_is_not_refused_and_what_another_lacks_is_said() -> None:
    refuse_impossible({"wait": ("pause",), "pauses": ("10000",), "spins": ("0",)}, [CAS, PARK])
    assert list(unmet(CAS, {"wait": ("pause",)})) == []
    assert list(unmet(PARK, {"wait": ("pause",)})) == ["it has no parameter wait"]
    assert list(unmet(CAS, {"wait": ("pause", "telepathy")})) == ["its wait cannot be telepathy"]
