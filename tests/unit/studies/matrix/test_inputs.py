"""Files of other tools, as people attach them to issues: each is read rightly, or refused by its name."""

import re
from tomllib import loads

import numpy as np
import pytest

from tests.conftest import ROOT
from threadping.model.errors import MatrixUnreadable
from threadping.studies.matrix.pasted import PastedMatrix, clock_step, read
from threadping.studies.reproduce.stated import tools

INPUTS = ROOT / "tests" / "data" / "pasted"
RIGHT = loads(INPUTS.with_suffix(".toml").read_text())
REFUSALS = [(name, code, says) for code, of in ((2, "named"), (1, "refused")) for name, says in RIGHT[of].items()]


def found(name: str) -> tuple[PastedMatrix, ...]:
    return read((INPUTS / name).read_text(), "it")


@pytest.mark.parametrize("name", RIGHT["read"])
def test_what_has_latencies_of_pairs_is_read_with_its_groups(name: str) -> None:
    groups = [[[group.pairs, round(group.latency_ns, 1)] for group in one.map.groups] for one in found(name)]
    assert [[one.form, one.title, of] for one, of in zip(found(name), groups, strict=True)] == RIGHT["read"][name]


@pytest.mark.parametrize(("name", "code", "says"), REFUSALS)
def test_the_rest_is_answered_with_a_command_or_with_what_is_read(name: str, code: int, says: str) -> None:
    with pytest.raises(MatrixUnreadable) as raised:
        found(name)
    assert str(raised.value).startswith(f"it cannot be imported: {says}") and raised.value.exit_code == code
    assert {*re.findall(r"threadping reproduce ([\w-]+)", says)} <= {*tools()}


def test_every_file_is_right() -> None:
    assert {*RIGHT["read"], *(name for name, *_ in REFUSALS)} == {one.name for one in INPUTS.iterdir()}


def test_figures_in_steps_of_a_clock_say_so_and_others_do_not() -> None:
    (coarse,) = found("c2c-coarse-5800x3d.txt")
    assert coarse.note == "Its figures come in steps of 5.2 ns: finer differences are the clock's."
    assert [one.note for name in ("c2c-9900x-agesa.txt", "pairs-long-frangkli.csv") for one in found(name)] == ["", ""]
    assert clock_step([6.7 * step for step in (9, 10, 38, 39, 40, 41)] * 4) == pytest.approx(6.7, rel=0.01)


def test_whole_figures_that_vary_freely_are_seldom_taken_for_steps() -> None:
    rng = np.random.default_rng(1)
    maps = (rng.choice([25, 90], 21) * np.exp(rng.normal(0, rng.choice([0.03, 0.1, 0.3]), 21)) for _ in range(200))
    assert sum(clock_step(one.round().tolist()) > 0 for one in maps) <= 2  # 1 of 100 maps of 7 CPUs


@pytest.mark.parametrize(("error", "groups"), [(0, 2), (13, 1)])
def test_a_printed_error_keeps_groups_together_that_it_covers(error: int, groups: int) -> None:
    cells = [[f"{40 if cpu // 4 == other // 4 else 52}±{error}" for other in range(cpu)] for cpu in range(8)]
    rows = [" ".join([str(cpu), *row]) for cpu, row in enumerate(cells)]
    (one,) = read("\n".join([" ".join(map(str, range(8))), *rows]), "it")
    assert len(one.map.groups) == groups
