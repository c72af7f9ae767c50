"""Rounds: what is said of them before the first trial."""

from typing import Any

import pytest

from tests.unit.output.printing import flat, printed
from tests.unit.planning.examples import inventory, mechanism, offer
from threadping.conduct.environment import prepare_rounds
from threadping.model.studies import Survey
from threadping.planning.cases import expand
from threadping.planning.selection import Selection

COMMON, CPP_ONLY = mechanism("cas"), mechanism("swap")
JVM_ONLY = mechanism("virtual", blocking=True, needs="Java 21")
HERE = inventory(offer("cpp", COMMON, CPP_ONLY), offer("java-17", COMMON, JVM_ONLY))

WITHOUT_SWAP = "swap java-17: this runtime's probe does not have it"
WITHOUT_VIRTUAL = ("virtual cpp: this runtime's probe does not have it", "virtual java-17: needs Java 21")


@pytest.mark.parametrize(
    ("named", "missing"),
    [
        pytest.param({}, (), id="nothing named"),
        pytest.param({"mechanisms": ("cas",)}, (), id="measured in both runtimes"),
        pytest.param({"mechanisms": ("swap",)}, (), id="measured in one runtime"),
        pytest.param({"mechanisms": ("cas", "virtual")}, WITHOUT_VIRTUAL, id="measured nowhere"),
        pytest.param({"mechanisms": ("swap",), "runtimes": ("cpp", "java")}, (WITHOUT_SWAP,), id="runtimes named too"),
    ],
)
def test_the_announcement_names_a_mechanism_only_if_it_was_named_and_is_nowhere_measured(
    named: dict[str, Any], missing: tuple[str, ...]
) -> None:
    selection = Selection(experiments=("signal",), **named)
    begun = prepare_rounds(expand(selection, HERE), HERE, selection, Survey())
    said = flat(printed(begun.said))
    assert ("Not measured" in said) == bool(missing)
    assert [one for one in (WITHOUT_SWAP, *WITHOUT_VIRTUAL) if one in said] == [*missing], said
