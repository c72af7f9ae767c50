"""Bars on a logarithmic axis."""

from hypothesis import given
from hypothesis import strategies as st

from threadping.views.terminal.bar import WIDTH, Axis

BLOCK = "\N{FULL BLOCK}"
LINE, END = "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BOX DRAWINGS LIGHT VERTICAL AND LEFT}"


def test_the_axis_holds_every_value_in_whole_decades() -> None:
    assert Axis.over([59.3, 28_100, 6e6]).label("ns") == "log 10 ns \u2026 10 ms"
    assert Axis.over([64, 59.3]).label("ns") == "log 10 ns \u2026 100 ns"
    assert Axis.over([100.0]).label("ns") == "log 10 ns \u2026 100 ns"  # a value at the low end would have no length
    assert Axis.over([4e6, 6e8]).label("per_s") == "log 1 M \u2026 1 G"
    assert Axis.over([]) == Axis.over([0.0, 1.0])


def test_a_bar_is_a_logarithm() -> None:
    axis = Axis(1, 5)
    assert axis.bar(1_000.0, None).plain == BLOCK * (WIDTH // 2)
    assert axis.bar(1e5, None).plain == axis.bar(1e9, None).plain == BLOCK * WIDTH
    assert axis.bar(10.0, None).plain == "\N{LEFT ONE EIGHTH BLOCK}"
    assert axis.bar(1_000 * 10 ** (4 / WIDTH / 8), None).plain == BLOCK * (WIDTH // 2) + "\N{LEFT ONE EIGHTH BLOCK}"


def test_a_line_goes_on_to_the_tail_where_that_lies_beyond() -> None:
    axis, half = Axis(1, 5), BLOCK * (WIDTH // 2)
    assert axis.bar(1_000.0, 1e5).plain == half + LINE * (WIDTH // 2 - 1) + END
    assert axis.bar(1_000.0, 900.0).plain == half
    assert axis.bar(1_000.0, 1_500.0).plain == half + END


@given(st.floats(0, 1e12), st.none() | st.floats(0, 1e12))
def test_a_bar_never_leaves_its_column(value: float, tail: float | None) -> None:
    assert 1 <= Axis.over([value, tail or value]).bar(value, tail).cell_len <= WIDTH
