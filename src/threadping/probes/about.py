"""What this threadping is: for `--version`, and so for whoever reports a bug."""

import os
import platform
from importlib.metadata import version

from threadping.errors import ProbeUnusable
from threadping.probes.description import describe, read_topology
from threadping.probes.runtimes import find_runtimes


def about() -> str:
    """The version and the architecture, then the C++ probe: its compiler with the flags, and its hwloc.

    No virtual machine is started for it: each takes a third of a second, and `threadping runtimes` names them all.
    """
    lines = [f"threadping {version('threadping')} {platform.machine()}"]
    try:
        cpp = find_runtimes(os.environ).cpp()
        lines.append(f"C++ probe: {describe(cpp).runtime.version}; {read_topology(cpp).source}")
    except ProbeUnusable as unusable:
        lines.append(str(unusable))
    return "\n".join(lines)
