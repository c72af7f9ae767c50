"""The composite action: its steps as GitHub runs them, one script after the other, on the fake probe."""

import os
import re
import shlex
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml  # type: ignore[import-untyped]

from tests.commands import parsed
from tests.conftest import ROOT
from tests.fakes.answers import PROGRAM

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, COMPARE = ACTION["runs"]["steps"]

FILES = ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")

INPUTS = {"experiment": "signal", "budget": "9s", "args": "--placement same-l3 --seed 3 --margin '20%' --metric mean"}


class Job(NamedTuple):
    """A job on a runner: its folders and files, and what all of its steps have in their environment."""

    folder: Path
    environment: Mapping[str, str]

    def read(self, name: str) -> str:
        """Return the text that steps have written into one of GitHub's files."""
        return (self.folder / name).read_text(encoding="utf-8") if (self.folder / name).exists() else ""

    def run(self, step: Mapping[str, Any], **inputs: str) -> tuple[int, str]:
        """Run a step with these inputs, as GitHub does: its exit code, and its log."""
        every = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | INPUTS | inputs
        values = {name: filled(value, every) for name, value in step["env"].items()}
        path = os.pathsep.join([*reversed(self.read("GITHUB_PATH").split()), self.environment["PATH"]])
        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        environment = {**self.environment, **{name: str(self.folder / name) for name in FILES}}
        environment |= {"RUNNER_TEMP": str(self.folder), "PATH": path, **values}
        done = subprocess.run(
            command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=500, check=False
        )
        return done.returncode, done.stdout + done.stderr


def filled(text: str, inputs: Mapping[str, str]) -> str:
    """A text with the inputs that its expressions name."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)


PYTHON = """#!/bin/sh
echo "$@" >> "$RUNNER_TEMP/asked"
[ "$2" != venv ] || install -D "$0" "$3/bin/python"
"""
"""A Python that notes what it is asked to do, and makes an environment with itself in it."""


def executable(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job whose first step is done."""
    folder = tmp_path_factory.mktemp("runner")
    executable(folder / "python3", PYTHON)
    job = Job(folder, {**os.environ, "RUNNER_TEMP": str(folder), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"})
    code, log = job.run(INSTALL, version="0.1.0")
    assert code == 0, log
    executable(folder / "threadping" / "bin" / "threadping", PROGRAM)
    return job


@pytest.fixture
def job(installed: Job, environment: dict[str, str], fake_probes: Path, tmp_path: Path) -> Job:
    """A job of its own that finds what the first step installed."""
    fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady,slow", "FAKE_NOISE": "0.01"}
    (tmp_path / "GITHUB_PATH").write_text(installed.read("GITHUB_PATH"), encoding="utf-8")
    return Job(tmp_path, {**environment, **fake})


STAND_IN = """#!/bin/sh
printf '%s|' "$@" >> "$RUNNER_TEMP/asked"
echo >> "$RUNNER_TEMP/asked"
case "$*" in
  *markdown) echo "a comment" ;;
  "compare last --strict "*) exit {again} ;;
  *) echo "what it says"; exit {code} ;;
esac
"""
"""threadping that notes what it is asked: once an experiment, and then of the last run."""


def stand_in(job: Job, code: int = 0, again: int = 0) -> Job:
    """The same job, whose threadping compares with an exit code, and ends so when asked whether it is undecided."""
    executable(job.folder / "threadping", STAND_IN.format(code=code, again=again))
    (job.folder / "GITHUB_PATH").write_text(str(job.folder), encoding="utf-8")
    return job


def test_the_version_that_was_asked_for_is_installed_and_found_by_later_steps(installed: Job) -> None:
    there = f"{installed.folder}/threadping"
    install = "-m pip install --quiet --disable-pip-version-check threadping==0.1.0"
    assert installed.read("asked").splitlines() == [f"-m venv {there}", install]
    assert installed.read("GITHUB_PATH") == f"{there}/bin\n"


def test_a_job_ends_by_the_gate_and_its_summary_is_the_comparison(job: Job) -> None:
    ended, log = job.run(COMPARE, mechanism="steady,slow")
    assert ended == 3, log
    assert job.read("GITHUB_STEP_SUMMARY").startswith("### threadping: 🔴 B is 20 times slower: ")


@pytest.mark.parametrize(("code", "again"), [(0, 0), (0, 4), (1, 0), (2, 0), (3, 0), (4, 4)])
def test_a_job_ends_as_threadping_does_and_its_summary_says_why(job: Job, code: int, again: int) -> None:
    ended, log = stand_in(job, code, again).run(COMPARE)
    assert (ended, "what it says" in log, job.read("GITHUB_OUTPUT")) == (code, True, f"exit-code={code}\n"), log
    nothing = "### threadping: nothing was compared\n\n```\nwhat it says\n```\n"
    assert job.read("GITHUB_STEP_SUMMARY") == (nothing if code in (1, 2) else "a comment\n")
    assert ("::warning title=threadping cannot tell::" in log) == ((code, again) == (0, 4))


def test_options_come_as_they_were_given_and_nothing_in_them_is_expanded(job: Job) -> None:
    sides, further = {"a": "cpp steady", "b": "cpp slow", "strict": "true"}, "'$(touch seen)' `touch seen` ; touch seen"
    stand_in(job).run(COMPARE, args=f"--margin '20%' {further}", **sides)
    stand_in(job).run(COMPARE, mechanism="steady,slow", runtime="cpp", args="")
    asked = [line.split("|")[:-1] for line in job.read("asked").splitlines()]
    named = ["--a", "cpp steady", "--b", "cpp slow", "--strict", "--margin", "20%"]
    first = ["compare", "signal", "--fail-above", "5%", "--budget", "9s"]
    assert asked[0] == [*first, *named, "$(touch seen)", "`touch", "seen`", ";", "touch", "seen"]
    assert asked[2] == ["compare", "last", "--strict", "--fail-above", "5%"]
    assert asked[3] == [*first, "--mechanism", "steady,slow", "--runtime", "cpp"]
    assert not (job.folder / "seen").exists()
    for words in ([*first, *named], *asked[1:]):
        parsed(shlex.join(["threadping", *words]))


def test_every_input_is_used_and_every_expression_is_an_input_s() -> None:
    expressions = re.findall(r"\$\{\{ *(.*?) *\}\}", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(expressions) == {f"inputs.{name}" for name in ACTION["inputs"]} | {"steps.compare.outputs.exit-code"}
    scripts = [step["run"] for step in (INSTALL, COMPARE)]
    assert not any("${{" in script for script in scripts)  # an expression in a script is code that an input writes


def test_the_page_of_the_gate_uses_the_action_with_inputs_that_it_has() -> None:
    page = (ROOT / "docs" / "how-to" / "ci-gate.md").read_text(encoding="utf-8")
    uses = [
        loaded["jobs"]["gate"]["steps"] if "jobs" in (loaded := yaml.safe_load(textwrap.dedent(block))) else loaded
        for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    ]
    (given,) = [step["with"] for steps in uses for step in steps if "threadping@" in step.get("uses", "")]
    assert given.keys() <= ACTION["inputs"].keys()
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= given.keys()
