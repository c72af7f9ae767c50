"""What other programs print, to the letter."""

import pytest

from benchmarks.agreement import bare, peer
from benchmarks.records import Unmeasured

CORE_TO_CORE_LATENCY = """\
CPU: Intel(R) Xeon(R) Processor
Num cores: 2
Num iterations per samples: 1000
Num samples: 30

1) CAS latency on a single shared cache line

           0       1\x20\x20\x20
      0
      1 \x1b[1;37m  65\x1b[0m\x1b[2;37m±1 \x1b[0m

    Min  latency: \x1b[1;37m65.0\x1b[0mns \x1b[2;37m±0.6\x1b[0m cores: (1,0)
    Max  latency: \x1b[1;37m65.0\x1b[0mns \x1b[2;37m±0.6\x1b[0m cores: (1,0)
    Mean latency: \x1b[1;37m65.0\x1b[0mns
,
64.98063333333333,
"""


def test_the_peers_only_pair_is_read_in_full() -> None:
    assert peer.one_way_ns(CORE_TO_CORE_LATENCY) == 64.98063333333333


@pytest.mark.parametrize("output", ["", ",\n,\n", CORE_TO_CORE_LATENCY + ",\n65.5,\n"])
def test_no_pair_or_two_are_no_figure(output: str) -> None:
    with pytest.raises(Unmeasured, match=r"holds [02] figures instead of one"):
        peer.one_way_ns(output)


def test_a_bare_programs_figure_is_found_in_chatter() -> None:
    output = "OpenJDK 64-Bit Server VM warning: 12 things, 3.5 of them bad\none-way ns: 61.031\n"
    assert bare.one_way_ns(output) == 61.031
