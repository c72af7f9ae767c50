import re
from importlib.metadata import version
from pathlib import Path
from platform import machine

import pytest

from threadping.cli.runtimes import about

PROBE = """#!/bin/sh
case $1 in
  describe) echo '{"schema": 4, "probe": "cpp", "version": "1", "experiments": [],
    "toolchain": {"name": "g++", "version": "12.2.0", "flags": ["-O3", "-DNDEBUG"]}}' | tr -d '\\n' ;;
  topology) echo '{"schema": 4, "source": "hwloc API 2.8", "cpus": [{"cpu": 0, "core": 0, "l2": null, "l3": null,
    "node": 0, "package": 0}], "allowed": [0]}' | tr -d '\\n' ;;
esac
"""


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (PROBE.encode(), r"C\+\+ probe: g\+\+ 12\.2\.0 -O3 -DNDEBUG; hwloc API 2\.8"),
        (
            b"\x7fELF of another machine",
            rf"Runtime cpp cannot be used\. '.*' cannot be started: Exec format error\. It is built for another "
            rf"architecture than this machine's \({machine()}\): reinstall threadping\.",
        ),
        (None, r"The C\+\+ probe, which also reads the machine's topology, is not built\. .*"),
    ],
)
def test_the_version_names_the_architecture_compiler_flags_and_hwloc(
    probe: bytes | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if probe is not None:
        (tmp_path / "threadping-probe").write_bytes(probe)
        (tmp_path / "threadping-probe").chmod(0o755)
    monkeypatch.setenv("THREADPING_PROBES", str(tmp_path))
    first, second = about().splitlines()
    assert first == f"threadping {version('threadping')} {machine()}"

    assert re.fullmatch(said, second)
