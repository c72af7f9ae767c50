"""`tools/tidy`: clang-tidy reads a unit again when something changed that the unit is made of, and then only."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "tidy"
CHECKER = """#!/bin/sh
for file ; do : ; done
echo "$file" >> "$(dirname "$0")/read"
! grep -q BAD "$(dirname "$0")"/probes/cpp/src/*.?pp || { echo "a complaint" ; exit 1 ; }
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with two units (the first includes a header), and a checker that notes its inputs."""
    source, build = tmp_path / "probes" / "cpp" / "src", tmp_path / "build"
    for folder in (source, build, tmp_path / "tools"):
        folder.mkdir(parents=True)
    shutil.copy(TOOL, tmp_path / "tools" / "tidy")
    (source / "deep.hpp").write_text("int deep;\n")
    (source / "one.hpp").write_text('#include "deep.hpp"\n')
    (source / "one.cpp").write_text('#include "one.hpp"\n#include <vector>\n')
    (source / "two.cpp").write_text("int two;\n")
    units = []
    for name in ("one", "two"):
        unit = build / "CMakeFiles" / "engine.dir" / "Unity" / f"unity_{name}_cxx.cxx"
        unit.parent.mkdir(parents=True, exist_ok=True)
        unit.write_text(f'#include "{source / name}.cpp"\n')
        units.append({"file": str(unit), "command": f"c++ -O3 -I{source} -c {unit}"})
    (build / "compile_commands.json").write_text(json.dumps(units))
    (tmp_path / ".clang-tidy").write_text("Checks: '*'\n")
    (tmp_path / "requirements-lint.lock").write_text("clang-tidy==1\n")
    checker = tmp_path / "checker"
    checker.write_text(CHECKER)
    checker.chmod(0o755)
    return tmp_path


def tidy(checkout: Path) -> tuple[int, list[str]]:
    """Run the tool; the exit code, and the units that the checker read."""
    log = checkout / "read"
    log.write_text("")
    done = subprocess.run(
        [checkout / "tools" / "tidy", checkout / "build", checkout / "checker", "2"], capture_output=True, check=False
    )
    return done.returncode, sorted(Path(line).stem for line in log.read_text().split())


def test_a_unit_is_read_again_when_a_file_of_it_a_header_a_flag_or_the_checks_changed(checkout: Path) -> None:
    source, commands = checkout / "probes" / "cpp" / "src", checkout / "build" / "compile_commands.json"
    both = (0, ["unity_one_cxx", "unity_two_cxx"])
    assert [tidy(checkout), tidy(checkout)] == [both, (0, [])]
    (source / "deep.hpp").write_text("long deep;\n")
    assert tidy(checkout) == (0, ["unity_one_cxx"])
    (source / "two.cpp").write_text("long two;\n")
    assert tidy(checkout) == (0, ["unity_two_cxx"])
    commands.write_text(commands.read_text().replace("-O3", "-O2"))
    assert tidy(checkout) == both
    (checkout / ".clang-tidy").write_text("Checks: '-*'\n")
    assert tidy(checkout) == both


def test_a_unit_with_a_complaint_is_not_recorded(checkout: Path) -> None:
    (checkout / "probes" / "cpp" / "src" / "two.cpp").write_text("BAD\n")
    assert [tidy(checkout), tidy(checkout)] == [(1, ["unity_one_cxx", "unity_two_cxx"])] * 2  # it complains of both
