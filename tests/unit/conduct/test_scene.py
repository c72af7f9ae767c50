"""What a study expects a trial to cost before it has measured one."""

import msgspec

from tests.conftest import CONTRACT
from threadping.conduct.scene import HOUSEKEEPING_S, starts_of
from threadping.contract import Description
from threadping.model.cases import Runtime
from threadping.plan.length import Start
from threadping.probes.description import Described

DESCRIPTION = msgspec.json.decode((CONTRACT / "examples" / "good" / "describe.json").read_bytes(), type=Description)


def test_a_start_takes_as_long_as_to_be_described_and_what_every_trial_has_besides() -> None:
    """The same for what compiles as it runs: its archive has the classes of both."""
    described = [
        Described(Runtime(label, probe, ("probe",), ""), DESCRIPTION, seconds)
        for label, probe, seconds in (("cpp", "cpp", 0.006), ("java-17", "java", 0.09))
    ]
    assert starts_of(described) == {
        "cpp": Start(0.006 + HOUSEKEEPING_S),
        "java-17": Start(0.09 + HOUSEKEEPING_S, compiles=True),
    }
