"""What is said of a placement: what it gains, or that it gains nothing, or why that is not known."""

import re

import pytest
from msgspec.structs import replace

from tests.unit.output.printing import printed
from tests.unit.studies.place.examples import ANSWER, PLACING, answer, trials
from threadping.analysis.answer import Answer
from threadping.output.layout import Blocks
from threadping.studies.place.output import say_cost, say_known, verdict
from threadping.studies.place.study import STUDY


def said(of: Answer) -> str:
    placed = STUDY.read(of, None)
    return verdict(placed.of, placed.gain).text


@pytest.mark.parametrize(
    ("ratio", "begins"),
    [
        (2.0, "CPUs 0-1: 2.000x (1.9"),
        (0.5, "Leave them to the scheduler: pinned to CPUs 0-1 they are 0.500x (0."),
        (1.0, "No difference here: pinned to CPUs 0-1 or left to the scheduler, same within 3%"),
        (1.01, "No difference here that matters: pinned to CPUs 0-1 they are faster, by less than 3%"),
    ],
)
def test_the_gain_is_how_many_times_as_fast_pinned_threads_are(ratio: float, begins: str) -> None:
    assert said(answer(ratio)).startswith(begins)


def test_what_too_few_blocks_do_not_tell_is_not_told() -> None:
    assert said(answer(blocks=2)) == "CPUs 0-1: cannot tell what pinning gains: too few blocks for an answer"
    assert said(answer(blocks=1)).startswith("CPUs 0-1: cannot tell what pinning gains: too few blocks")


def test_what_may_be_a_gain_or_a_loss_says_between_how_many_times_as_fast() -> None:
    apart = [
        replace(one, figures={**one.figures, "latency_ns.mean": 25.0 + 9 * (at % 5)})
        for at, one in enumerate(trials(10, 1.0))
    ]
    text = said(answer(trials_of=apart))
    assert re.fullmatch(r"CPUs 0-1: cannot tell what pinning gains: 0\.\d+ to 1\.\d+ times as fast", text)


def test_what_it_costs_stands_beside_what_a_draw_costs_and_how_much_of_that_is_known() -> None:
    assert say_cost(PLACING) == "25.0 ns one way"
    assert say_known(PLACING) == "1 pair by reference pings just before"
    many = replace(
        PLACING,
        shape="crowd",
        considered=tuple(range(8)),
        exchanges=((0, 1, 25.0), (0, 2, 90.0)),
        cost_ns=90.0,
        usual_ns=120.0,
        known=12,
        matrix="the matrix of run 3",
    )
    assert say_cost(many) == "90.0 ns one way, to the farthest; on CPUs drawn at random 120 ns"
    assert say_known(many) == "12 of 28 pairs by the matrix of run 3, the others as those that share as much"


def test_the_screen_has_threads_lines_gain_and_notes_in_80_columns() -> None:
    shown = printed(Blocks.of(*STUDY.blocks(ANSWER, STUDY.read(ANSWER, None))), 80)
    assert max(map(len, shown.splitlines())) <= 80
    for part in (
        "taskset -c 0-1 COMMAND",
        "CPUAffinity=0-1",
        "OMP_PLACES='{0},{1}'",
        "A unpinned · B pinned to 0-1",
        "hand-overs of its farthest hop, alone",
        "There are no more CPUs than threads, so none was chosen",
        "Isolated and outside this process's mask",
    ):
        assert part in shown
    wider = answer(of=replace(PLACING, considered=(0, 1, 2), known=1))
    assert "none was chosen" not in printed(Blocks.of(*STUDY.blocks(wider, STUDY.read(wider, None))), 80)


def test_a_page_begins_with_it() -> None:
    (section,) = STUDY.sections(ANSWER)
    assert (section.name, section.place, section.digest) == ("place", 0, True)
