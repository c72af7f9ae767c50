"""The messages of `contract/`, as Python reads and writes them.

The JSON Schemas in `contract/` are the source; `tests/contract/test_examples.py` holds these records against them and
against every example message.
"""

from threadping.contract.description import (
    Description,
    ExperimentDescription,
    MechanismDescription,
    OnlyWith,
    ParamDescription,
    RoleDescription,
)
from threadping.contract.message import MOST_THREADS, SCHEMA, Message, Params, Pin
from threadping.contract.request import OutliersRequest, Request, ThreadRequest, WarmupRequest, WindowsRequest
from threadping.contract.result import (
    Clock,
    Distribution,
    Evidence,
    Failed,
    Held,
    HomeResult,
    Kind,
    MachineCounters,
    Managed,
    Measured,
    Outlier,
    Pause,
    Result,
    Seen,
    Skew,
    ThreadResult,
    Warmup,
    Windows,
)
from threadping.contract.topology import Cpu, Topology
from threadping.contract.words import MechanismWords, Words

__all__ = [
    "MOST_THREADS",
    "SCHEMA",
    "Clock",
    "Cpu",
    "Description",
    "Distribution",
    "Evidence",
    "ExperimentDescription",
    "Failed",
    "Held",
    "HomeResult",
    "Kind",
    "MachineCounters",
    "Managed",
    "Measured",
    "MechanismDescription",
    "MechanismWords",
    "Message",
    "OnlyWith",
    "Outlier",
    "OutliersRequest",
    "ParamDescription",
    "Params",
    "Pause",
    "Pin",
    "Request",
    "Result",
    "RoleDescription",
    "Seen",
    "Skew",
    "ThreadRequest",
    "ThreadResult",
    "Topology",
    "Warmup",
    "WarmupRequest",
    "Windows",
    "WindowsRequest",
    "Words",
]
