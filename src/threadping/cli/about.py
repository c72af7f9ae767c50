"""The answer of `threadping --version`."""

import os
import platform
from importlib.metadata import version

from threadping.model.errors import ProbeUnusable
from threadping.probes.runtimes import describe, find_cpp, read_topology


def about() -> str:
    """Return the version and the architecture, then the C++ probe: its compiler with flags, and its hwloc.

    No virtual machine is started for it: each takes a third of a second, and `threadping runtimes` names them all.
    """
    lines = [f"threadping {version('threadping')} {platform.machine()}"]
    try:
        cpp = find_cpp(os.environ)
        lines.append(f"C++ probe: {describe(cpp).runtime.version}; {read_topology(cpp).source}")
    except ProbeUnusable as unusable:
        lines.append(str(unusable))
    return "\n".join(lines)
