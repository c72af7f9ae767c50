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
    Toolchain,
)
from threadping.contract.message import MOST_THREADS, SCHEMA, Message, Params, Pin
from threadping.contract.request import Request, ThreadRequest, WarmupRequest, WindowsRequest
from threadping.contract.result import (
    Clock,
    Distribution,
    ErrorCode,
    Failed,
    Held,
    HomeResult,
    Kind,
    MachineCounters,
    Managed,
    Measured,
    ProbeError,
    Result,
    ThreadResult,
    Warmup,
    Window,
    Windows,
    ns_of,
    ops_of,
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
    "ErrorCode",
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
    "ProbeError",
    "Request",
    "Result",
    "ThreadRequest",
    "ThreadResult",
    "Toolchain",
    "Topology",
    "Warmup",
    "WarmupRequest",
    "Window",
    "Windows",
    "WindowsRequest",
    "Words",
    "ns_of",
    "ops_of",
]
