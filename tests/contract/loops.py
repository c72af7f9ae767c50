"""The timed loops of each language as tools/loop-digests tells them, and what parameters mean."""

import importlib.machinery
import importlib.util
from collections.abc import Iterator, Mapping, Sequence

from tests.conftest import ROOT
from threadping.model.contract import Description, ParamDescription, Words

Digests = Mapping[str, str]
"""Digests by experiment and mechanism (`lock mutex`), or by experiment if its mechanisms share loops."""

_LOADER = importlib.machinery.SourceFileLoader("loop_digests", str(ROOT / "tools" / "loop-digests"))
_SPEC = importlib.util.spec_from_loader(_LOADER.name, _LOADER)
assert _SPEC
TOOL = importlib.util.module_from_spec(_SPEC)
_LOADER.exec_module(TOOL)

OF_LIBRARIES = {("barrier", "blocktime"), ("barrier", "gomp-spins"), ("barrier", "library"), ("barrier", "policy")}
"""Parameters of OpenMP's runtimes, each of those that are here."""


def of_parameters(said: Description, words: Words) -> Digests:
    """Return digests of the parameters of each mechanism and their descriptions, independent of this machine."""

    def words_of(experiment: str, one: ParamDescription) -> str:
        choices = sorted({*(one.choices or ()), *(choice for choice, _ in one.needs)})
        sentence = words.experiments[experiment].params.get(one.name) if experiment in words.experiments else None
        return repr((one.name, one.default, choices, one.range, one.only_with, sentence))

    def of_each(experiment: str, params: Sequence[ParamDescription]) -> Iterator[str]:
        return (words_of(experiment, one) for one in params if (experiment, one.name) not in OF_LIBRARIES)

    found: Digests = TOOL.digests(
        (f"{experiment.name} {mechanism.name}", sorted(of_each(experiment.name, mechanism.params)))
        for experiment in said.experiments
        for mechanism in experiment.mechanisms
    )
    return found
