"""The announcement, lists of runs, runtimes and mechanisms, names, and cells with intervals."""

import io
import re
from operator import itemgetter

import pytest
from msgspec.structs import replace

from tests.golden.fixture import BRACKETS, CAS, CASES, MUTEX, RUN
from tests.unit.output.printing import flat, printed
from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import Estimate
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Home, Placement, Skipped
from threadping.model.contract import MechanismDescription, MechanismWords, OnlyWith, ParamDescription
from threadping.model.errors import RunDamaged
from threadping.model.text import keep_store
from threadping.output import names, printing
from threadping.output.layout import Field, column, grid, named, sure, with_interval
from threadping.output.listings import MechanismInRuntime, announcement, mechanisms_table, runs_table, runtimes_table


def test_the_announcement_says_what_how_much_and_how_long_in_two_lines() -> None:
    cases = [case for case in CASES if case.runtime in ("cpp", "java-17")]
    lines = printed(announcement(cases, 204, 0.5, 62.3), 80).splitlines()
    assert lines == [
        f"Measuring signal and lock in java-17 and cpp: {len(cases)} cases, 204 trials of 500 ms,",
        "about 1 min 2 s. Ctrl-C ends it early and keeps what was measured.",
    ]
    text = flat(printed(announcement([CAS], 1, 0.2, 0.3, RUN.skipped)))
    assert text.startswith("Measuring signal in cpp: 1 case, 1 trial of 200 ms, about 0.3 s.")
    assert "Not measured - smt, numa-near: no two of the CPUs" in text
    assert "- java-8: its probe answered [nothing]" in text


def test_runs_are_listed_with_what_came_of_them() -> None:
    interrupted = replace(RUN, id=12, status="interrupted", note="Stopped [by] hand.")
    running = replace(RUN, id=13, status="running", ended=None, cases=(MUTEX[1],))
    text = printed(runs_table([(running, 3), (interrupted, 13), (RUN, 58)]))
    third, second, note, first = (flat(line) for line in text.splitlines()[2:])
    assert re.fullmatch(r"7 2026-03-01 \S+ \S+ complete bench-7 signal, lock 17 58/102 1 min 2 s", first)
    assert second.endswith("interrupted bench-7 signal, lock 17 13/102 1 min 2 s")
    assert note == "Stopped [by] hand."
    assert third.endswith("running bench-7 lock 1 3/6 \N{EN DASH}")
    assert "soon" in printed(runs_table([(replace(RUN, started="soon"), 1)]))  # a time that is none
    assert printed(runs_table([])) == "No run is stored yet. `threadping run` measures one.\n"
    keep_store("my.db")  # which the command that removes a damaged one names
    assert "`threadping runs rm 3 --store my.db`" in printed(runs_table([], [RunDamaged(3, ValueError("no run"))]))


@pytest.mark.parametrize("width", [50, 80, 160])
def test_runtimes_are_listed_with_version_and_command(width: int) -> None:
    text = printed(runtimes_table(RUN.runtimes, [Skipped("/opt/[old]\x1b", "Java 8\nis too old")]), width)
    assert re.search(r"\njava-17 +OpenJDK 17\.0\.14\n +/usr/bin/java -jar\s+probe\.jar\n", text)
    assert text.endswith("\nNot usable\n-  /opt/[old]\\x1b: Java 8 is too old\n")
    assert printed(runtimes_table([], RUN.skipped)).startswith("No runtime answers.\n\nNot usable\n-  smt, numa-near: ")


WAIT = ParamDescription("wait", "spin", ("spin", "pause"), None, None)
PAUSES = ParamDescription("pauses", 1, None, (1, 10000), OnlyWith("wait", "pause"))
BETWEEN = ParamDescription("between", "threads", ("threads", "processes"), None, None)
SWAPPING = MechanismDescription("cas", False, ("round-trip",), True, 256, (WAIT, PAUSES), None, None)
VIRTUAL = MechanismDescription("virtual", True, ("round-trip",), False, 1, (), "Java 21", None)
SWAPS, PARKS = MechanismWords("It swaps.", "It burns."), MechanismWords("It [parks].", "It sleeps.")

HAVING = [
    MechanismInRuntime("signal", "java-17", SWAPPING, "round trip", SWAPS),
    MechanismInRuntime("signal", "java-17", VIRTUAL, "round trip", None),
    MechanismInRuntime("signal", "cpp", replace(SWAPPING, params=(WAIT, PAUSES, BETWEEN)), "round trip", SWAPS),
    MechanismInRuntime("signal", "java-25", replace(VIRTUAL, needs=None), "round trip", PARKS),
]


def test_every_mechanism_is_listed_once_with_its_runtimes_and_each_parameter_is_explained_once() -> None:
    lines = [flat(line) for line in printed(mechanisms_table(HAVING, ())).splitlines()]
    assert lines[:6] == [
        "signal",
        "all timed round trip; version 1.0.0",
        "params wait=spin|pause",
        "pauses=1 (1 to 10000, with wait=pause)",
        "between=threads|processes (cpp only)",
        "mechanism waits runtimes parameters",
    ]
    assert lines[7:] == [
        "cas spins java-17, cpp wait, pauses, between",
        "It swaps. It burns.",
        "virtual sleeps java-17 (needs Java 21), java-25 \N{EN DASH}",
        "It [parks]. It sleeps.",
    ]


def test_a_parameter_that_is_not_everywhere_the_same_names_its_mechanisms() -> None:
    yielding = replace(SWAPPING, name="add", params=(replace(WAIT, default="pause"),))
    added = MechanismInRuntime("signal", "cpp", yielding, "round trip", None, "1.2.0")
    text = printed(mechanisms_table([*HAVING, added, replace(added, runtime="rust", version="2.0.0")], ()))
    assert "1.2.0, rust 2.0.0" in flat(text)
    assert "wait=spin|pause (of cas)\n" in text
    assert "wait=pause|spin (of add)\n" in text


def test_common_properties_are_listed_once_and_experiments_are_separate() -> None:
    critical = ParamDescription("critical", 0, None, (0, 9), None)
    mutex = MechanismDescription("mutex", True, ("acquire",), True, 8, (critical,), None, None)
    add = MechanismDescription("add", False, ("increment",), True, 8, (critical,), None, None)
    locks = [
        MechanismInRuntime("lock", "cpp", mutex, "wait for the lock", SWAPS),
        MechanismInRuntime("lock", "cpp", add, "increment", None),
    ]
    text = printed(mechanisms_table([*HAVING, *locks], [Skipped("java-8", "too old")]))
    lines = [flat(line) for line in text.partition("\n\n")[2].splitlines()]
    assert lines[:4] == [
        "lock",
        "all runtimes cpp; version 1.0.0",
        "params critical=0 (0 to 9)",
        "mechanism waits timed",
    ]
    assert lines[5:8] == ["mutex sleeps wait for the lock", "It swaps. It burns.", "add spins increment"]
    assert text.endswith("\n\nNot usable\n-  java-8: too old\n")


def test_a_terminal_without_unicode_gets_ascii_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    out = printing.stdout()
    out.print(f"28.1 \N{MICRO SIGN}s {BRACKETS.mechanism} :smile:")
    out.file.flush()
    assert raw.getvalue() == b"28.1 us [bold]lock[/] :smile:\n"


def test_foreign_words_cannot_steer_the_terminal() -> None:
    for foreign, shown in [
        ("two\nlines\tand\r\nmore", "two lines and more"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("left\u202eright", "left\\u202eright"),
        ("[bold]kept[/]", "[bold]kept[/]"),
        ("caf\u00e9 \u00b5s", "caf\u00e9 \u00b5s"),
    ]:
        assert names.plain(foreign) == shown


def test_a_placement_names_each_cpu_once() -> None:
    rows: list[tuple[tuple[int | None, ...], str]] = [
        ((0, 1, 0, 1), "same-l3 0,1"),
        ((2, 0), "same-l3 2,0"),  # roles keep their order
        ((3, 3, 3), "same-l3 3"),
        (tuple(range(8)) * 2, "same-l3 0-7"),
        ((1, 2, 3, 5, 8, 9), "same-l3 1-3,5,8,9"),
        (tuple(range(0, 64, 2)), "same-l3 0,2,4,6,8,10,\u2026,62"),
        ((None, None), "same-l3"),
        ((None, 1), "same-l3 -,1"),
    ]
    for cpus, shown in rows:
        case = replace(CAS, placement=Placement("same-l3", cpus))
        assert names.placement_label(case) == shown
        unusual = replace(case, placement=Placement("same-l3", cpus, "process"), home=Home("node 0", (0,)))
        assert names.placement_label(unusual) == f"{shown} process home node 0"
        hybrid = replace(CAS, placement=Placement("same-l3", cpus, kinds="P-E"))
        assert names.placement_label(hybrid) == shown.replace("same-l3", "same-l3 P-E")
        assert "same-l3 P-E" in hybrid.title


def test_a_name_breaks_between_words_as_long_as_all_columns_fit() -> None:
    fields = named("mechanism", itemgetter(0), "bold"), named("placement", itemgetter(1)), column("p99", itemgetter(2))
    table = grid([("futex arrivals=idle", "same-l3 0,1", "1.23 ms (0.99-1.25)")], *fields)
    for width in (43, 47, 55):
        assert {"arrivals=idle", "same-l3", "placement"} < {*printed(table, width).split()}, "no word is cut"


def test_a_parameter_has_a_column_if_a_case_has_it() -> None:
    declared = EXPERIMENTS["load"].figures
    for params, has in (({"rate": "1000"}, True), ({}, False)):
        cases = [replace(CAS, params=params), replace(CAS, params=params and {"rate": "2000"})]
        fields = names.columns(cases, declared, of=lambda case: case)
        assert ("rate" in [field.head for field in fields]) is has


WIDE = Estimate(65_000, 57_000, 173_000, "ci95")


def test_how_sure_a_figure_is() -> None:
    rows: list[tuple[Unit, Estimate, str]] = [
        ("ns", Estimate(100, 96, 104, "ci95"), "\xb14%"),
        ("ns", Estimate(100, 90, 110, "ci95"), "\xb110%"),
        ("ns", Estimate(100, 89.9, 110.1, "ci95"), "90\u2013110"),
        ("ns", WIDE, "57\u2013173"),
        ("ns", Estimate(100, 96, 104, "range"), "(96\u2013104)"),  # half of it would look surer than six trials do
        ("ns", Estimate(65_000, 57_000, 173_000, "range"), "(57\u2013173)"),
        ("per_s", Estimate(17e6, 12e6, 19e6, "ci95"), "12\u201319"),
        ("share", Estimate(0.2, 0.1, 0.4, "ci95"), "10\u201340%"),
        ("ns", Estimate(100), "2 trials"),
        ("ns", Estimate(0, 0, 4, "ci95"), "0\u20134.0"),
    ]
    for unit, found, said in rows:
        assert sure(unit, found, 2).plain == said


def test_a_figure_with_its_interval_is_aligned_below_others() -> None:
    assert with_interval("ns", WIDE).plain == "65.0 \xb5s 57\u2013173"
    assert with_interval("ns", Estimate(65_000)).plain == "65.0 \xb5s"
    assert with_interval("ns", None).plain == "\u2013"
    found = [WIDE, Estimate(1_000, 990, 1_010, "ci95"), None, Estimate(12)]
    lines = grid(found, Field(head="p99", unit="ns", of=lambda one: one, aligned=True)).lines
    assert [cell.plain for (cell,) in lines] == [
        "65.0 \xb5s 57\u2013173",
        "1.00 \xb5s \xb11%   ",
        "\u2013       ",
        "12.0 ns       ",
    ]
