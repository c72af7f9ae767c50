"""Which rows belong together."""

from msgspec.structs import replace

from tests.golden.fixture import DECLARED, MUTEX, RACE, ROWS
from threadping.model import Case, Home, Placement, Row, State, WarmupPolicy
from threadping.views.terminal.series import families, lost


def row(name: str, *cpus: int | None, case: Case = MUTEX[1]) -> Row:
    return Row(replace(case, placement=Placement(name, cpus)), 6, 0, {}, {})


def test_a_line_goes_on_where_more_threads_need_cpus_further_apart() -> None:
    (line,) = families([row("cross-node", 1, 2, 9), row("same-cpu", 1), row("same-l3", 1, 2)])
    assert line.standing == "same-l3 to cross-node"
    assert list(line.rows) == [1, 2, 3]


def test_placements_of_as_many_threads_are_lines_of_their_own_that_share_the_single_thread_on_their_cpus() -> None:
    alone = [row("same-cpu", 4), row("same-cpu", 1)]
    near, far = families([*alone, row("same-l3", 1, 2), row("cross-node", 4, 9)])
    assert (near.standing, near.rows[1].case.placement.cpus) == ("same-l3", (1,))
    assert (far.standing, far.rows[1].case.placement.cpus) == ("cross-node", (4,))


def test_single_threads_by_themselves_are_told_apart_by_their_cpu() -> None:
    alone = families([row("same-cpu", 1), row("same-cpu", 4)])
    assert [line.standing for line in alone] == ["same-cpu 1", "same-cpu 4"]


def test_what_differs_in_anything_but_threads_is_another_line() -> None:
    usual = MUTEX[1]
    others = (
        row("unpinned", None, None),
        row("same-cpu", 0, case=replace(usual, home=Home("node 1", (9,)))),
        row("same-cpu", 0, case=replace(usual, params={"critical": 9}, varied=("critical",))),
        row("same-cpu", 0, case=replace(usual, warmup=WarmupPolicy(1, 500_000_000))),
        row("same-cpu", 0, case=replace(usual, runtime="java-17")),
        replace(row("same-cpu", 0), case=replace(usual, placement=Placement("same-cpu", (0,), "process"))),
    )
    for other in others:
        assert len(families([row("same-cpu", 0), other])) == 2


def test_a_line_of_a_state_has_what_was_measured_in_it_or_in_no_state_alone_and_nothing_of_another() -> None:
    near, far = (State((1, 2), ns, (ns, ns), 0.5, 9) for ns in (26.0, 127.0))
    alone = row("same-cpu", 1)
    two, three = row("same-l3", 1, 2), row("same-l3", 1, 2, 1)
    rows = [alone, *(replace(two, states=(at,)) for at in (near, far)), replace(three, states=(near,))]
    found = {line.apart: list(line.rows) for line in families(rows)}
    assert found == {"26.0 ns apart": [1, 2, 3], "127 ns apart": [1, 2]}


def test_a_family_that_loses_work_with_any_number_of_threads_says_which() -> None:
    of = {line.mechanism: line for line in families([one for one in ROWS if one.case.experiment == "lock"])}
    found = lost(of["unprotected"], DECLARED["lock"])
    assert found is not None
    assert found.name == "lock.updates.lost"
    assert list(of["unprotected"].rows) == [case.threads for case in RACE.values()]
    assert lost(of["fetch-add"], DECLARED["lock"]) is None
