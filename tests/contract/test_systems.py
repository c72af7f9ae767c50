"""What `advise --for` knows of other systems is what the probes can measure."""

import pytest

from tests.contract.real_probes import mechanisms
from threadping.studies.advise.systems import SPINS, System, systems


@pytest.mark.parametrize("system", systems().values(), ids=systems().keys())
def test_every_way_to_wait_of_a_system_has_a_line_and_is_measured(system: System) -> None:
    found = {
        choice
        for runtime, experiment, one in mechanisms()
        if one.name in {"paced": system.mechanisms, "crowd": system.crowd}.get(experiment.name, ())
        if system.runtime in ("", runtime.probe)
        for param in one.params
        if param.name == system.param
        for choice in param.choices or ("*",)
    }
    assert found == set(system.lines)
    assert (system.param == SPINS) == (found == {"*"})
