"""The messages of `contract/`, as Python reads and writes them. All times are in nanoseconds.

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
    Toolchain,
)
from threadping.contract.evidence import Distribution, Evidence, Outlier, Seen
from threadping.contract.phase import Clock, MachineCounters, Managed, MeasuringPhase, Pause, Skew, Warmup
from threadping.contract.request import OutliersRequest, Request, ThreadRequest, WarmupRequest, WindowsRequest
from threadping.contract.result import CountsHeld, ErrorCode, Failed, Result
from threadping.contract.topology import Cpu, Topology
from threadping.contract.values import HOUR_NS, MOST_THREADS, SCHEMA, Count, CpuNumber, Params, Pin
from threadping.contract.windows import WindowKind, Windows
from threadping.contract.words import FIRST_VERSION, ExperimentWords, MechanismChange, MechanismWords, Words

__all__ = [
    "FIRST_VERSION",
    "HOUR_NS",
    "MOST_THREADS",
    "SCHEMA",
    "Clock",
    "Count",
    "CountsHeld",
    "Cpu",
    "CpuNumber",
    "Description",
    "Distribution",
    "ErrorCode",
    "Evidence",
    "ExperimentDescription",
    "ExperimentWords",
    "Failed",
    "MachineCounters",
    "Managed",
    "MeasuringPhase",
    "MechanismChange",
    "MechanismDescription",
    "MechanismWords",
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
    "Toolchain",
    "Topology",
    "Warmup",
    "WarmupRequest",
    "WindowKind",
    "Windows",
    "WindowsRequest",
    "Words",
]
