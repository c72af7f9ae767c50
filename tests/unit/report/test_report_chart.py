"""The scaling chart: what is drawn, where labels stand, and what is said where nothing can be drawn."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden.fixture import ROWS
from tests.golden.lock_fixture import LOCK_ROWS, LOCK_RUN, make_lock_case, make_lock_row
from threadping.errors import ChartRefused, ChartUnwritable
from threadping.model import Row
from threadping.report.chart import check_chart, write_scaling_chart
from threadping.report.chart.labels import spread
from threadping.report.chart.series import COLOURS, SHAPES, crowded_from, looks, series_of
from threadping.report.chart.specification import specification

DRAWN = LOCK_ROWS[:10]


def texts(made: Any) -> list[str]:
    """Every string in a specification."""
    if isinstance(made, dict):
        return [text for value in made.values() for text in texts(value)]
    if isinstance(made, list):
        return [text for value in made for text in texts(value)]
    return [made] if isinstance(made, str) else []


# ---- files ----


def test_every_format_comes_from_one_specification(tmp_path: Path) -> None:
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html>")):
        path = tmp_path / f"chart{ending}"
        write_scaling_chart(LOCK_RUN, (*ROWS, *LOCK_ROWS), path)
        assert path.read_bytes().startswith(start)
    assert "reentrant-lock" in (tmp_path / "chart.svg").read_text()


def test_the_page_needs_no_network(tmp_path: Path) -> None:
    page = tmp_path / "chart.HTML"
    write_scaling_chart(LOCK_RUN, LOCK_ROWS, page)
    text = page.read_text()
    assert not re.search(r"<(script|link)[^>]+(src|href)=", text)
    assert "reentrant-lock" in text


def test_without_a_figure_of_lock_there_is_no_chart_and_no_file(tmp_path: Path) -> None:
    for rows in ((), ROWS, LOCK_ROWS[-1:]):
        with pytest.raises(ChartRefused, match="no lock case"):
            write_scaling_chart(LOCK_RUN, rows, tmp_path / "chart.svg")
    assert not list(tmp_path.iterdir())


def test_an_ending_that_is_no_format_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    for name in ("chart.pdf", "chart"):
        with pytest.raises(ChartRefused, match=r"\.svg, \.png, \.html.*chart"):
            write_scaling_chart(LOCK_RUN, LOCK_ROWS, tmp_path / name)


def test_where_it_cannot_be_written_is_said_before_and_after(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    for path, why in ((tmp_path / "none" / "a.svg", "there is no folder"), (tmp_path / "folder.svg", "it is a folder")):
        with pytest.raises(ChartUnwritable, match=why):
            check_chart(path)
        with pytest.raises(ChartUnwritable, match=why):
            write_scaling_chart(LOCK_RUN, LOCK_ROWS, path)
    check_chart(tmp_path / "new.svg")


def test_a_disk_that_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    path = tmp_path / "full.svg"
    path.symlink_to("/dev/full")
    with pytest.raises(ChartUnwritable, match="No space left on device"):
        write_scaling_chart(LOCK_RUN, LOCK_ROWS, path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ChartUnwritable, match="may not be written"):
        check_chart(tmp_path / "chart.svg")


def test_only_who_draws_waits_for_altair() -> None:
    program = (
        "import sys, threadping.report.chart, threadping.report.ladder, threadping.cli.app\n"
        "print([name for name in ('altair', 'vl_convert') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


# ---- what is drawn ----


def test_a_panel_for_each_runtime_with_its_lines() -> None:
    made = specification(LOCK_RUN, DRAWN)
    assert [panel["title"]["text"] for panel in made["concat"]] == ["cpp", "java-17"]
    points = [value for values in made["datasets"].values() for value in values if "low" in value]
    told = {(point["name"], point["threads"], point["ops"], point["low"], point["high"]) for point in points}
    assert ("mutex", 2, 14_120_000.0, 0.98 * 14_120_000.0, 1.02 * 14_120_000.0) in told


def test_the_title_names_machine_date_version_and_placement() -> None:
    title = specification(LOCK_RUN, DRAWN)["title"]
    said = " ".join([title["text"], *title["subtitle"]])
    for part in ("AMD EPYC 9B45", "2026-03-01", "threadping 0.1.0", "run 8", "placement same-l3 0,1", "95%"):
        assert part in said
    assert "dashed: no lock to wait for" in said
    assert "dotted: loses updates" in said
    assert "same-cpu" not in said  # one thread has no neighbours to name
    assert "dotted" not in " ".join(specification(LOCK_RUN, DRAWN[:2])["title"]["subtitle"])


def test_a_line_says_by_its_dashes_what_it_does_not_protect() -> None:
    assert {line.name: line.kind for line in series_of(DRAWN)} == {
        "mutex": "lock",
        "fetch-add": "no lock",
        "unprotected": "loses updates",
        "reentrant-lock": "lock",
    }


def test_lines_end_in_their_most_threads_whatever_order_the_rows_come_in() -> None:
    for line in series_of(tuple(reversed(DRAWN))):
        assert [row.threads for row in line.rows] == sorted(row.threads for row in line.rows)


def test_no_two_names_look_the_same_and_one_looks_the_same_in_every_panel() -> None:
    rows = [make_lock_row(make_lock_case(f"lock-{n}", "cpp", 2), 1e6 + n) for n in range(len(COLOURS) * len(SHAPES))]
    found = looks(series_of([*rows, *(replace(row, runtime="java-17") for row in rows)]))
    assert len({(look.colour, look.shape) for look in found.values()}) == len(found) == len(rows)


def test_threads_are_crowded_where_they_outnumber_the_cpus_they_may_use() -> None:
    assert crowded_from(DRAWN, 64) == 2  # those that they are pinned to, not all of the machine
    assert crowded_from(DRAWN[:8], 64) is None
    free: list[Row] = [replace(row, cpus=(None,) * row.threads, placement="unpinned") for row in DRAWN]
    assert crowded_from(free, 4) == 4
    assert "more threads than 2 CPUs" in texts(specification(LOCK_RUN, DRAWN))
    assert "a CPU for every thread" in texts(specification(LOCK_RUN, DRAWN[:8]))


@pytest.mark.parametrize("rows", [DRAWN[:1], DRAWN[1:2], (replace(DRAWN[0], threads=4096),)])
def test_a_single_point_is_a_chart_too(rows: tuple[Row, ...], tmp_path: Path) -> None:
    write_scaling_chart(LOCK_RUN, rows, tmp_path / "chart.svg")
    assert rows[0].mechanism in (tmp_path / "chart.svg").read_text()


def test_foreign_words_cannot_leave_the_page(tmp_path: Path) -> None:
    row = replace(DRAWN[0], mechanism="</script><b>x", runtime="a&<b>")
    for ending in ("svg", "html"):
        write_scaling_chart(LOCK_RUN, (row,), tmp_path / f"chart.{ending}")
        text = (tmp_path / f"chart.{ending}").read_text()
        assert "</script><b>x" not in text
        assert "\ue000" not in text
    assert "\\u003c/script>\\u003cb>x" in text


# ---- labels ----


def test_labels_that_have_room_stay_where_they_are() -> None:
    assert spread([100, 10, 50], 15, 0, 400) == [100, 10, 50]


def test_labels_that_touch_move_apart_around_their_middle() -> None:
    assert spread([100, 100], 10, 0, 400) == [95, 105]
    assert spread([100, 104, 300], 10, 0, 400) == [97, 107, 300]
    assert spread([0, 0], 10, 0, 400) == [0, 10]
    assert spread([400, 399], 10, 0, 400) == [400, 390]


@given(st.lists(st.floats(0, 400), max_size=25), st.floats(1, 16))
def test_labels_never_touch_nor_leave_nor_change_their_order(wanted: list[float], gap: float) -> None:
    placed = spread(wanted, gap, 0, 400)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    in_order = [placed[index] for index in order]
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(in_order))
    assert all(-1e-6 <= place <= 400 + 1e-6 for place in placed)
