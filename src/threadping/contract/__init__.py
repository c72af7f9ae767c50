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
)
from threadping.contract.message import MOST_THREADS, SCHEMA, Message, Params, Pin
from threadping.contract.request import Request, ThreadRequest, WarmupRequest, WindowsRequest
from threadping.contract.result import (
    Clock,
    Distribution,
    Failed,
    Held,
    HomeResult,
    Kind,
    MachineCounters,
    Managed,
    Measured,
    Result,
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
    "ParamDescription",
    "Params",
    "Pin",
    "Request",
    "Result",
    "ThreadRequest",
    "ThreadResult",
    "Topology",
    "Warmup",
    "WarmupRequest",
    "Windows",
    "WindowsRequest",
    "Words",
]
