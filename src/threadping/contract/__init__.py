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
from threadping.contract.message import MOST_THREADS, Message, Params, Pin
from threadping.contract.request import Request, ThreadRequest, WarmupRequest
from threadping.contract.result import (
    Blocks,
    Clock,
    CommonResult,
    Counter,
    Distribution,
    ErrorCode,
    EveryNth,
    Failed,
    LockResult,
    MachineCounters,
    Managed,
    Measured,
    PartialBlock,
    ProbeError,
    Result,
    SignalResult,
    ThreadResult,
    Warmup,
    Window,
)
from threadping.contract.topology import Cpu, Topology

__all__ = [
    "MOST_THREADS",
    "Blocks",
    "Clock",
    "CommonResult",
    "Counter",
    "Cpu",
    "Description",
    "Distribution",
    "ErrorCode",
    "EveryNth",
    "ExperimentDescription",
    "Failed",
    "LockResult",
    "MachineCounters",
    "Managed",
    "Measured",
    "MechanismDescription",
    "Message",
    "OnlyWith",
    "ParamDescription",
    "Params",
    "PartialBlock",
    "Pin",
    "ProbeError",
    "Request",
    "Result",
    "SignalResult",
    "ThreadRequest",
    "ThreadResult",
    "Toolchain",
    "Topology",
    "Warmup",
    "WarmupRequest",
    "Window",
]
