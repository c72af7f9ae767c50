"""What the benchmark of states reads and sums up."""

import pytest

from benchmarks.states.turns import Answer, Latency, Row, State, Turn, answer_in, spreads, variation

NEAR = Row(Latency(26.5, (26, 27), (26.1, 26.9)), State(26.3), 7, 1)
FAR = Row(Latency(127.0, (125, 130)), State(128.0), 4, 1)
NOTHING = Row(None, None, 0, 7)

SAID = """round 1 of 6: 0/6 trials, about 3 s left
{
  "rows": [{"latency_ns": {"typical": 26.5, "range": [26, 27]}, "state": null, "trials": 5, "crossed_trials": 0}]
}
"""


def test_the_answer_is_found_among_what_was_said_to_a_person() -> None:
    assert answer_in(SAID) == Answer((Row(Latency(26.5, (26, 27)), None, 5, 0),))
    cell = '{\n  "cells": [{"latency_ns": {"typical": 26.5, "ci95": [26, 27]}, "state": null, "trials": 12}]\n}\n'
    assert answer_in(cell).cells == (Row(Latency(26.5, None, (26, 27)), None, 12),)


def test_ours_are_summed_up_state_by_state() -> None:
    lines = list(spreads([Turn(0, 30.7, (NEAR, FAR)), Turn(9, 132.2, (NEAR,)), Turn(18, 26.5, (NOTHING,))]))
    assert lines[0] == "core-to-core-latency: 26.5 to 132.2 in 3 runs, standard deviation 94.8%"
    assert lines[1:] == [
        "threadping, 26.3 to 26.3 ns core to core: 26.5 to 26.5 in 2 runs, standard deviation 0.0%",
        "threadping, 128.0 to 128.0 ns core to core: 127 to 127 in 1 run",
        "trials that crossed: 9",
    ]


def test_one_run_does_not_vary() -> None:
    assert variation([7.0]) is None
    assert variation([9.0, 11.0]) == pytest.approx(0.1414, abs=1e-4)
