"""The contract between image and pod. tools/test-image builds the image, and measures in it."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.conftest import ROOT

Stage = list[tuple[str, str]]


def stages() -> dict[str, Stage]:
    """The instructions of each stage of the Dockerfile by its name, the one that it begins from first."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    found: dict[str, Stage] = {"": []}
    for line in (line for line in text.splitlines() if line and not line.startswith("#")):
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            rest, _, name = rest.partition(" AS ")
            found[name] = []
        found[[*found][-1]].append((instruction, rest.strip()))
    return found


def last(stage: Stage, instruction: str) -> str:
    (said,) = (rest for name, rest in stage if name == instruction)
    return said


STAGES = stages()
IMAGE, PROBE = STAGES["threadping"], STAGES["probe"]
SETTINGS = dict(one.split("=", 1) for one in last(IMAGE, "ENV").split())
PAGE = (ROOT / "docs/how-to/containers.md").read_text(encoding="utf-8")
POD, BEFORE = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
SPEC: dict[str, Any] = POD["spec"]["template"]["spec"]
(CONTAINER,) = SPEC["containers"]
(CHECKUP,) = BEFORE["initContainers"]


def test_the_image_that_is_built_by_default_starts_threadping_as_nobody_with_its_store_in_a_volume() -> None:
    assert [*STAGES][-1] == "threadping"
    assert json.loads(last(IMAGE, "ENTRYPOINT")) == ["threadping"]
    assert last(IMAGE, "USER") == "65534:65534"
    assert Path(SETTINGS["THREADPING_STORE"]).parent == Path(SETTINGS["HOME"]) == Path(last(IMAGE, "VOLUME"))
    prepared = [rest for name, rest in IMAGE if name == "RUN"]
    assert prepared == [f"install --directory --owner=65534 --group=65534 {last(IMAGE, 'VOLUME')}"]


def test_the_probe_s_image_holds_the_probe_alone() -> None:
    binary = json.loads(last(PROBE, "ENTRYPOINT"))[0]
    assert PROBE[:2] == [("FROM", "scratch"), ("COPY", f"--from=environment {binary} {binary}")]
    assert last(PROBE, "USER") == "65534:65534"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_of_the_published_wheels_the_one_of_the_machine_and_of_glibc_is_installed(machine: str, tmp_path: Path) -> None:
    for libc in ("manylinux2014", "musllinux_1_2"):
        for each in ("x86_64", "aarch64"):
            also = f"manylinux_2_17_{each}." if libc == "manylinux2014" else ""
            (tmp_path / f"threadping-0.1.0-py3-none-{also}{libc}_{each}.whl").touch()
    (said,) = (rest for name, rest in STAGES["environment"] if name == "RUN" and rest.startswith("wheel="))
    script = said.partition("&&")[0].replace("/dist/", f"{tmp_path}/").replace("$(uname -m)", machine)
    done = subprocess.run(["sh", "-euc", f"{script}; echo $wheel"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path}/threadping-0.1.0-py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.whl\n"


def test_a_pod_has_cpus_of_its_own_and_runs_as_the_image_does() -> None:
    given = CONTAINER["resources"]
    assert given["requests"] == given["limits"], "else it is not of the class Guaranteed"
    assert given["limits"]["cpu"].isdecimal(), "only whole CPUs are exclusive"
    assert f"{CONTAINER['securityContext']['runAsUser']}:65534" == last(IMAGE, "USER")
    mounted = {one["mountPath"]: one["name"] for one in CONTAINER["volumeMounts"]}
    assert {last(IMAGE, "VOLUME"), "/tmp"} == {*mounted}, "all else of its files is read-only"
    assert {*mounted.values()} == {one["name"] for one in SPEC["volumes"]}


def test_what_keeps_a_pod_from_an_unfit_node_examines_the_cpus_that_the_pod_will_have() -> None:
    assert all(CHECKUP[name] == CONTAINER[name] for name in ("image", "resources", "volumeMounts"))
    assert CHECKUP["command"] == ["threadping", "doctor", "--purpose", "latency"]
