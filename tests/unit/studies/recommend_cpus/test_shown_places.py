"""The display of a placement, and the command lines of other tools that create it."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from msgspec.structs import replace

from tests.unit.output.printing import printed
from tests.unit.studies.matrix.planted import machine
from tests.unit.studies.recommend_cpus.examples import ANSWER, PLACING, answer, trials
from threadping.analysis.answer import Answer
from threadping.model.quantities import parse_cpus
from threadping.output.layout import Blocks
from threadping.studies.recommend_cpus.study import STUDY, lines_of, say_cost, say_known


def said(of: Answer) -> str:
    return str(STUDY.facts(of, STUDY.read(of, None))["verdict"])


def test_the_gain_is_how_many_times_as_fast_pinned_threads_are() -> None:
    for ratio, begins in [
        (2.0, "CPUs 0-1: 2.000x (1.9"),
        (0.5, "Leave them to the scheduler: pinned to CPUs 0-1 they are 0.500x (0."),
        (1.0, "No difference here: pinned to CPUs 0-1 or left to the scheduler, same within 3%"),
        (1.01, "No difference here that matters: pinned to CPUs 0-1 they are faster, by less than 3%"),
    ]:
        assert said(answer(ratio)).startswith(begins)


@pytest.mark.parametrize("blocks", [1, 2])
def test_too_few_blocks_have_no_figure(blocks: int) -> None:
    assert said(answer(blocks=blocks)) == "CPUs 0-1: cannot tell what pinning gains: too few blocks for a verdict"


def test_what_may_be_a_gain_or_a_loss_says_between_how_many_times_as_fast() -> None:
    wild = [{**one.figures, "latency_ns.mean": 25.0 + 9 * (at % 5)} for at, one in enumerate(trials(10, 1.0))]
    text = said(answer(trials_of=[replace(one, figures=of) for one, of in zip(trials(10, 1.0), wild, strict=True)]))
    assert re.fullmatch(r"CPUs 0-1: cannot tell what pinning gains: 0\.\d+ to 1\.\d+ times as fast", text)


def test_the_cost_appears_next_to_that_of_a_random_choice_and_its_certainty() -> None:
    assert say_cost(PLACING) == "25.0 ns one way"
    assert say_known(PLACING) == "1 pair by reference pings just before"
    changes = {"shape": "barrier", "exchanges": ((0, 1, 25.0), (0, 2, 90.0)), "cost_ns": 90.0, "usual_ns": 120.0}
    many = replace(PLACING, considered=tuple(range(8)), known=12, matrix="the matrix of run 3", **changes)
    assert say_cost(many) == "90.0 ns one way, to the farthest; on randomly chosen CPUs 120 ns"
    assert say_known(many).startswith("12 of 28 pairs by the matrix of run 3, the others estimated from pairs that sh")


def test_where_there_are_more_cpus_than_threads_it_is_not_said_that_there_is_no_choice() -> None:
    wider = answer(of=replace(PLACING, considered=(0, 1, 2), known=1))
    assert "there is no choice" not in printed(Blocks.of(*STUDY.blocks(wider, STUDY.read(wider, None))), 80)


def test_a_page_begins_with_it() -> None:
    (section,) = STUDY.sections(ANSWER)
    assert (section.name, section.place, section.digest) == ("recommend-cpus", 0, True)


FOUR = (4, 5, 6, 12)
NODES = machine(16, 4, 8)
"""Two nodes of eight CPUs."""


def line(tool: str, cpus: tuple[int, ...] = FOUR, place: int = 0) -> str:
    return [one.line for one in lines_of(cpus, machine(16, 16, 16)) if one.tool == tool][place]


def test_cpus_are_listed_in_order_for_all_and_one_by_one_for_openmp() -> None:
    assert line("taskset", (6, 4, 12, 5)) == "taskset -c 4-6,12 COMMAND"
    assert line("openmp", (6, 4, 12, 5)).split()[:2] == ["OMP_NUM_THREADS=4", "OMP_PLACES='{6},{4},{12},{5}'"]
    assert "--cpuset-cpus=4-6,12 " in line("docker", (6, 4, 12, 5))
    assert line("java") == "taskset -c 4-6,12 java -XX:ActiveProcessorCount=4 -jar APP.jar"


def test_on_one_of_several_nodes_the_memory_is_there_too() -> None:
    one_node, both = ([one.line for one in lines_of(cpus, NODES)] for cpus in ((1, 2), (1, 12)))
    assert {"CPUAffinity=1-2", "NUMAPolicy=bind", "NUMAMask=0"} <= {*one_node}
    assert "numactl --physcpubind=1-2 --membind=0 COMMAND" in one_node
    assert "docker run --cpuset-cpus=1-2 --cpuset-mems=0 IMAGE" in one_node
    assert "numactl --physcpubind=1,12 --localalloc COMMAND" in both
    assert "docker run --cpuset-cpus=1,12 IMAGE" in both


@pytest.mark.parametrize("tool", ["taskset", "numactl"])
def test_a_shell_takes_the_line_and_the_program_runs_there(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not here")
    here = tuple(sorted(os.sched_getaffinity(0)))[:2]
    command = line(tool, here).replace("COMMAND", "sh -c 'grep Cpus_allowed_list /proc/self/status'")
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True, timeout=20)
    assert parse_cpus(done.stdout.split()[-1]) == here


@pytest.mark.parametrize(("cpus", "wrong"), [("1-2", False), ("1-x", True)])
def test_systemd_takes_its_line(cpus: str, wrong: bool, tmp_path: Path) -> None:
    lines = [one.line for one in lines_of((1, 2), NODES) if one.tool == "systemd"]
    text = "\n".join(["[Service]", "ExecStart=/bin/true", *lines, ""])
    (unit := tmp_path / "place.service").write_text(text.replace("CPUAffinity=1-2", f"CPUAffinity={cpus}"))
    if not (analyze := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze is not here")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=20)
    assert ("place.service" in done.stderr) is wrong, done.stderr


def test_the_containers_resources_are_yaml_of_a_guaranteed_pod() -> None:
    resources = yaml.safe_load(line("kubernetes"))["resources"]
    assert resources["requests"] == resources["limits"] == {"cpu": 4, "memory": "1Gi"}
