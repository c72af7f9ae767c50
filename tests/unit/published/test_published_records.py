"""Reading the published figures: all of them, and nothing else."""

from collections import Counter

import pytest

from threadping.published.records import Published, experiments, figures, read

HEADS = ",".join(Published.__struct_fields__)
LINE = 'notify-cost,"Notify, 2015",2015,,Linux,"Java, Object.notify",16 pairs,32,notify call p50,1532,ns,'


def test_every_figure_is_there_once() -> None:
    assert len(figures()) == len(set(figures())) == 117
    assert Counter(one.experiment for one in figures()) == {
        "inter-thread-latency": 24,
        "disruptor": 5,
        "locked-signalling": 6,
        "network-hop": 2,
        "lock-contention": 48,
        "notify-cost": 32,
    }
    assert experiments()[0] == "inter-thread-latency"


def test_a_figure_is_read_as_it_was_published() -> None:
    (one,) = read(f"{HEADS}\n{LINE}")
    assert (one.year, one.threads, one.value, one.unit) == (2015, 32, 1532.0, "ns")
    assert (one.what, one.where) == ("Java, Object.notify, 16 pairs", "Linux")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{HEADS},more\n{LINE},1", "columns are"),
        (f"{HEADS.removesuffix(',note')}\n{LINE}", "columns are"),
        (f"{HEADS}\n{LINE}\n{LINE},more", "Line 3"),
        (f"{HEADS}\n{LINE.replace('1532', 'fast')}", "Line 2: .*float"),
        (f"{HEADS}\n{LINE.replace('1532', '-1')}", "Line 2: .*>= 0"),
        (f"{HEADS}\n{LINE.replace('1532', 'nan')}", "Line 2: .*>= 0"),
        (f"{HEADS}\n{LINE.replace(',ns,', ',bogomips,')}", "Line 2: .*bogomips"),
        (f"{HEADS}\n{LINE.replace(',2015,,', ',MMXV,,')}", "Line 2: .*int"),
        (f"{HEADS}\n{LINE.replace('notify-cost', '')}", "Line 2: .*length >= 1"),
        (f'{HEADS}\n"{LINE}', "not CSV"),
    ],
)
def test_what_is_no_figure_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read(text)
