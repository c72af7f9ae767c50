"""What stands beside the ladder: the announcement, and the lists of runs, trials and runtimes."""

import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console, RenderableType

from tests.conftest import make_windows
from tests.golden.fixture import APART, CASES, RUN, TRIALS, make_trial
from threadping.contract import Distribution, Result
from threadping.model import Skipped, WarmupPolicy
from threadping.report import console
from threadping.report.announcement import announcement
from threadping.report.runs import runs_table, runtimes_table, trials_table


def printed(renderable: RenderableType, width: int = 160) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None, markup=False, highlight=False, emoji=False).print(renderable)
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    return text


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 160])
def test_the_announcement_says_how_much_how_long_and_what_not(width: int) -> None:
    text = flat(printed(announcement(CASES, 12, 0.5, 62.3, RUN.skipped), width))
    assert "Measuring 5 cases in 12 rounds: 60 trials of 500 ms, about 1 min 2 s in all." in text
    assert "mechanisms condition; cas-one-line; release-two-lines spin=100; [bold]lock[/]" in text
    assert "placements same-l3 0,1; same-cpu 1; unpinned" in text
    assert "- java-8: its probe answered [nothing]" in text


def test_the_announcement_tells_what_was_varied_pinned_and_warmed_up_only_where_it_is_unusual() -> None:
    assert "warm-ups" not in printed(announcement(CASES, 12, 0.5, 62.3, ()))
    pinned = replace(CASES[1], placement=replace(APART, pin="process"))
    text = flat(printed(announcement([pinned, replace(CASES[1], warmup=WarmupPolicy(1, 500_000_000))], 3, 0.5, 9, ())))
    assert "placements same-l3 0,1 process; same-l3 0,1 " in text
    assert "warm-ups 10x100k; 1x500M" in text


def test_one_of_each_is_singular() -> None:
    text = flat(printed(announcement(CASES[:1], 1, 0.2, 0.3, ())))
    assert "Measuring 1 case in 1 round: 1 trial of 200 ms, about 0.3 s in all." in text
    assert "Not measured" not in text


def test_runs_are_listed_with_what_came_of_them() -> None:
    interrupted = replace(RUN, id=12, status="interrupted", note="Stopped [by] hand.")
    running = replace(RUN, id=13, status="running", ended=None)
    text = printed(runs_table([(running, 3), (interrupted, 13), (RUN, 58)]))
    third, second, note, first = (flat(line) for line in text.splitlines()[2:])
    assert re.fullmatch(r"7 2026-03-01 \S+ \S+ complete bench-7 5 58/60 1 min 2 s", first)
    assert second.endswith("interrupted bench-7 5 13/60 1 min 2 s")
    assert note == "Stopped [by] hand."
    assert third.endswith("running bench-7 5 3/60 \N{EN DASH}")


def test_no_run_is_no_table() -> None:
    assert printed(runs_table([])) == "No run is stored yet. `threadping run` measures one.\n"


def test_every_trial_is_a_line_and_a_failed_one_says_why() -> None:
    text = printed(trials_table(RUN, TRIALS))
    assert "run 7, 2026-03-01" in text
    assert "complete: 4 of 60 trials ended" in text
    assert text.count("same-l3 0,1  60.5 ns  60.0 ns  60.0 ns  125 ns     120 ns      6          2  0.6 s") == 2
    assert text.count("hung: The probe was killed [/proc/41]: it had not ended.") == 2
    assert "one-way latency" in text


@pytest.mark.parametrize("width", [50, 60, 64, 80, 100])
def test_narrow_trials_lose_columns_not_figures(width: int) -> None:
    text = printed(trials_table(RUN, TRIALS), width)
    assert text.count("60.5 ns") == 2
    assert "A wider terminal shows: " in text


def test_a_run_without_trials_has_a_title_only() -> None:
    assert "0 of 60 trials ended" in printed(trials_table(RUN, []))


def test_a_trial_that_measured_nothing_has_dashes() -> None:
    trial = make_trial(CASES[1], 1, 0)
    assert isinstance(trial.result, Result)
    empty = replace(
        trial.result,
        measured=replace(trial.result.measured, ops=0),
        windows=make_windows(),
        distributions={"round-trip": Distribution((), (), 0)},
    )
    line = flat(printed(trials_table(RUN, [replace(trial, result=empty)])).splitlines()[5])
    assert line == "1 cas-one-line cpp same-l3 0,1 " + "\N{EN DASH} " * 5 + "6 2 0.6 s"


@pytest.mark.parametrize("width", [50, 80, 160])
def test_runtimes_are_listed_with_version_and_command(width: int) -> None:
    text = printed(runtimes_table(RUN.runtimes, [Skipped("/opt/[old]", "Java 8 is too old")]), width)
    assert text.startswith("runtime")
    assert "Not usable\n- /opt/[old]: Java 8 is too old\n" in text
    if width >= 80:
        assert re.search(r"\njava-17 +OpenJDK 17\.0\.14\n +/usr/bin/java -jar probe\.jar\n", text)


def test_without_runtimes_there_are_the_reasons() -> None:
    assert printed(runtimes_table([], RUN.skipped)).startswith("No runtime answers.\n\nNot usable\n- smt: ")


def test_a_terminal_without_unicode_gets_question_marks_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    out = console.stdout()
    out.print("28.1 \N{MICRO SIGN}s [not markup] :smile:")
    out.file.flush()
    assert raw.getvalue() == b"28.1 ?s [not markup] :smile:\n"
