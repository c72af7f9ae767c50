"""Files of other tools, as people attach them to issues: each is read rightly, or refused by its name."""

import re
from importlib.resources import files
from tomllib import loads

import pytest

from tests.conftest import ROOT
from threadping.model.errors import MatrixUnreadable
from threadping.studies.matrix.pasted import ACCEPTED, PastedMatrix, clock_step, read
from threadping.studies.reproduce.stated import tools

INPUTS = ROOT / "tests" / "data" / "pasted"

CAS = "CAS latency on a single shared cache line"
READ = {  # what it is called, and the pairs and the latency of each group, by file
    "c2c-9900x-agesa.txt": [
        ("core-to-core-latency", f"AMD Ryzen 9 9900X 12-Core Processor, {CAS}", [(67, 21.0), (24, 96.0)])
    ],
    "c2c-balanced-5700x.csv": [("core-to-core-latency", "", [(28, 38.2)])],
    "c2c-coarse-5800x3d.txt": [("core-to-core-latency", "", [(7, 5.0), (98, 21.0)])],
    "c2c-coarse-made-up.txt": [("core-to-core-latency", "", [(3, 60.0), (12, 260.0)])],
    "c2c-numa-per_pair.csv": [("list of pairs", "", [(1, 15.0), (1, 27.5)])],
    "c2c-numa-per_domain.csv": [
        ("list of pairs", "Memory domain: NUMA node 0", [(1, 25.1), (2, 110.8)]),
        ("list of pairs", "Memory domain: NUMA node 1", [(1, 47.4), (2, 108.8)]),
    ],
    "c2c-numa-two-domains.txt": [
        ("core-to-core-latency", f"made up, {CAS}, Memory domain: NUMA node 0", [(2, 25.5), (4, 110.5)]),
        ("core-to-core-latency", f"made up, {CAS}, Memory domain: NUMA node 1", [(1, 25.0), (1, 47.0), (4, 108.5)]),
    ],
    "c2c-soilros-8565u.csv": [("CSV", "", [(8, 6.0), (48, 23.4)])],
    "pairs-long-frangkli.csv": [("list of pairs", "", [(4, 27.0), (23, 126.0), (1, 193.0)])],
}
NAMED = {  # the sentence and its command, by file
    "cyclictest-nuttx.hist": "it is the output of cyclictest, and not a matrix. `threadping reproduce cyclictest`",
    "lscpu-13900kf-favoured.txt": "it is the output of lscpu, and not a matrix. `threadping matrix` measures",
    "mlc-c2c.txt": "it is the output of Intel MLC's --c2c_latency, and not a matrix. `threadping reproduce mlc`",
    "mlc-latency-matrix.txt": "it is the output of Intel MLC, latencies of memory, and not a matrix.",
    "numactl-distances.txt": "it is the output of numactl --hardware, distances by the firmware, and not a matrix.",
    "rtla-timerlat-hist.txt": "it is the output of rtla timerlat, and not a matrix. `threadping reproduce rtla",
    "schbench-scx3129.txt": "it is the output of schbench, and not a matrix. `threadping reproduce schbench` measures",
}
REFUSED = {
    "c2c-timeout-576.txt": "the table in line 9 is of 11 CPUs, but its row of CPU 4 is missing",
    "gate-ten-runs-thetadatadx.csv": "a matrix of 11 rows has as many columns, but line 1 has 4. " + ACCEPTED,
    "gb10-topology.txt": "it is not a matrix: line 1 is '# NVIDIA GB10 (DGX Spark), 20 CPUs, one '. " + ACCEPTED,
    "hybrid-bazzite-map.txt": "it is not a matrix: line 1 is '# per-CPU map as reported (ublue-os/bazz'. " + ACCEPTED,
}


def found(name: str) -> tuple[PastedMatrix, ...]:
    return read((INPUTS / name).read_text(), "it")


def test_every_file_is_read_or_refused() -> None:
    assert {*READ, *NAMED, *REFUSED} == {one.name for one in INPUTS.iterdir()}


@pytest.mark.parametrize("name", READ)
def test_what_has_latencies_of_pairs_is_read_with_its_groups(name: str) -> None:
    of_it = [
        (one.form, one.title, [(group.pairs, round(group.latency_ns, 1)) for group in one.map.groups])
        for one in found(name)
    ]
    assert of_it == READ[name]


@pytest.mark.parametrize("name", NAMED)
def test_the_output_of_a_known_tool_is_answered_with_a_command(name: str) -> None:
    with pytest.raises(MatrixUnreadable) as raised:
        found(name)
    assert f"it cannot be imported: {NAMED[name]}" in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_is_accepted(name: str) -> None:
    with pytest.raises(MatrixUnreadable) as raised:
        found(name)
    assert str(raised.value) == f"it cannot be imported: {REFUSED[name]}."
    assert raised.value.exit_code == 1


def test_a_proposed_command_exists() -> None:
    others = loads((files("threadping.studies.matrix") / "others.toml").read_text())["others"]
    for command in {one["command"] for one in others} - {"threadping matrix"}:
        (tool,) = re.fullmatch(r"threadping reproduce ([\w-]+)", command).groups()  # type: ignore[union-attr]
        assert tool in tools()


def test_figures_in_steps_of_a_clock_say_so_and_others_do_not() -> None:
    (coarse,) = found("c2c-coarse-5800x3d.txt")
    assert coarse.note == "Its figures come in steps of 5.2 ns: finer differences are the clock's."
    assert [one.note for name in ("c2c-9900x-agesa.txt", "pairs-long-frangkli.csv") for one in found(name)] == ["", ""]
    assert clock_step([6.7 * step for step in (9, 10, 38, 39, 40, 41)] * 2) == pytest.approx(6.7, rel=0.01)
    assert clock_step([6.7 * step for step in (9, 10, 38, 39, 40)]) == 0.0  # too few


def test_a_printed_error_keeps_groups_together_that_it_covers() -> None:
    def groups(error: int) -> int:
        near, far = (f"{ns}±{error}" for ns in (40, 52))
        rows = [
            f"{cpu} {' '.join(near if other // 4 == cpu // 4 else far for other in range(cpu))}" for cpu in range(8)
        ]
        (one,) = read("\n".join(["  " + " ".join(map(str, range(8))), *rows]), "it")
        return len(one.map.groups)

    assert (groups(0), groups(13)) == (2, 1)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("0,1,20.5\n1,0,20.5\n0,1,21\n", "line 4 has a second latency of CPUs 0 and 1"),
        ("0,0,3.5\n0,1,20.5\n", "'3.5' in line 2 is a latency of CPU 0 with itself"),
        ("0,1,fast\n", "'fast' in line 2 is not a latency in nanoseconds"),
        ("0,1,\n", "it has no latency between two CPUs"),
    ],
)
def test_a_list_of_pairs_that_cannot_be_is_refused(rows: str, why: str) -> None:
    with pytest.raises(MatrixUnreadable) as raised:
        read(f"cpu1,cpu2,latency_ns\n{rows}", "it")
    assert str(raised.value) == f"it cannot be imported: {why}."


@pytest.mark.parametrize(
    "header", ["cpu1,cpu2,latency_us", "cpu1,cpu2,round trip (ns)", "cpu1,cpu2,cpu3", "a,b,latency"]
)
def test_a_list_of_something_else_is_no_list_of_latencies(header: str) -> None:
    with pytest.raises(MatrixUnreadable):
        read(f"{header}\n0,1,20\n0,2,21\n1,2,22\n2,1,22\n", "it")
