"""OpenMP's libraries, each with the knob that is its own, through the real C++ probe."""

import pytest
from msgspec.structs import replace

from tests.contract.real_probes import FIRSTS, START_SECONDS, assert_ping, described, patient_request
from threadping.model.contract import MechanismDescription
from threadping.probes.trial import run_trial

KNOBS = {"libgomp": "gomp-spins", "libomp": "blocktime"}


def libraries(mechanism: MechanismDescription) -> list[str]:
    """Those that can be loaded here; a wheel's static probe loads none."""
    return [] if mechanism.needs else [*next(one.choices or () for one in mechanism.params if one.name == "library")]


@pytest.mark.parametrize("name", ["openmp-barrier", "openmp-parallel"])
@pytest.mark.parametrize("library", KNOBS)
def test_each_library_that_is_here_is_measured_with_its_own_knob(library: str, name: str) -> None:
    runtime = next(one for one in FIRSTS if one.probe == "cpp")
    (experiment,) = (one for one in described(runtime).description.experiments if one.name == "crowd")
    mechanism = next(one for one in experiment.mechanisms if one.name == name)
    if library not in libraries(mechanism):
        pytest.skip(f"{library} is not installed")
    for value in (0, 1):
        params = {"library": library, "policy": "default", KNOBS[library]: value}
        request = replace(patient_request("crowd", name, "unpinned", 1, alone=True), params=params)
        outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)
        of_the_other = {"library": library, KNOBS[next(one for one in KNOBS if one != library)]: value}
        refused = run_trial(runtime, replace(request, params=of_the_other), start_seconds=START_SECONDS)
        assert refused.failure and refused.failure.code in ("bad-request", "unknown-param")
