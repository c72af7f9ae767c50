"""Texts and quantities as they are read and written."""

import ast
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from tests.commands import commands_in, parsed
from tests.conftest import CONTRACT, ROOT
from threadping.cli.app import PROGRAM
from threadping.model import quantities
from threadping.model.cases import Runtime
from threadping.model.errors import UsageError
from threadping.model.quantities import compact, letters, named, parse, parse_count, parse_cpus, ranges
from threadping.model.text import LEGIBLE, STORELESS, in_columns, keep_store, made_literal, proposed, stand_ins, visible
from threadping.options.shared import LOCATION
from threadping.output.charts import LESS_THAN
from threadping.output.printing import TrimmingConsole
from threadping.studies.fleet.command import checked

OURS = ROOT / "src" / "threadping"


def texts(file: Path) -> Iterator[str]:
    """All strings of a source that may have another character than ASCII's, or all of a file of words."""
    content = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield content
        return
    written = not content.isascii() or re.search(r"\\[NuUx]", content)
    for node in ast.walk(ast.parse(content)) if written else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


READS = OURS / "studies" / "matrix" / "pasted.py"
"""Its characters are looked for in what others wrote."""


def test_every_character_that_we_print_has_an_ascii_replacement() -> None:
    files = {*OURS.rglob("*.py"), *OURS.rglob("*.toml"), CONTRACT / "words.json"} - {READS}
    ours = {char for file in files for text in texts(file) for char in text if not char.isascii()}
    assert ours - stand_ins().keys() == {LESS_THAN[0]}, "a character that a terminal may not have needs a replacement"
    assert all(stand_in.isascii() and stand_in.isprintable() for stand_in in stand_ins().values())


def test_only_what_an_encoding_lacks_is_replaced() -> None:
    rows: list[tuple[str, bytes]] = [
        ("ascii", rb"12 +-1 us ? ch\xe9"),
        ("latin-1", b"12 \xb1" + rb"1 " + b"\xb5" + rb"s ? ch\xe9"),
    ]
    for encoding, expected in rows:
        assert "12 ±1 µs 字 ch\udce9".encode(encoding, LEGIBLE) == expected


def test_names_that_are_no_utf_8_are_visible_in_all_of_a_record() -> None:
    odd, shown = "caf\udce9/µ", r"caf\xe9/µ"
    assert visible({odd: [odd, (odd, 1, None)], "x": odd}) == {shown: [shown, [shown, 1, None]], "x": shown}
    json.dumps(visible(odd)).encode()


def test_columns_keep_their_places() -> None:
    """A longer cell uses the blanks behind it, anywhere in the line, and leaves one."""
    assert [*in_columns(["12 ±1  ", "  34 ±2", " → b"], "ascii")] == ["12 +-1 ", "  34 +-2", " -> b"]
    assert [*in_columns(["… ", "a  b    c"], "ascii")] == ["... ", "a b   c"]
    assert [*in_columns(["12 ±1    ", "34 ±2"], "latin-1")] == ["12 ±1    ", "34 ±2"]


def test_a_console_without_utf_8_prints_rules_and_signs_in_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors=LEGIBLE, newline="")
    console = TrimmingConsole(file=stream, markup=False, highlight=False, emoji=False, width=40)
    console.print(Text("─────────  ───\nTell → it  12\n▇▁ 3 ±1    13"))
    stream.flush()
    assert raw.getvalue().decode() == "---------  ---\nTell -> it 12\n*_ 3 +-1   13\n"


SECONDS_OF = {"ns": 1.0, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}


def test_a_quantity_has_the_digits_and_the_unit_that_suit_it() -> None:
    rows: list[tuple[Callable[[Any], str], dict[float, str]]] = [
        (quantities.time, {0: "0.00 ns", 0.42: "0.42 ns", 9.994: "9.99 ns", 9.995: "10.0 ns", 59.274: "59.3 ns"}),
        (quantities.time, {99.96: "100 ns", 999.4: "999 ns", 999.6: "1.00 \u00b5s", 28_112.5: "28.1 \u00b5s"}),
        (quantities.time, {5_998_214.7: "6.00 ms", 999_600_000: "1.00 s", 4.2e9: "4.20 s", 1.5e12: "1500 s"}),
        (quantities.count, {167: "167", 35_571: "35.6 k", 16_870_803: "16.9 M", 999_700: "1.00 M", 0.5: "0.50"}),
        (quantities.duration, {0.62: "0.6 s", 5: "5.0 s", 9.96: "10 s", 42.4: "42 s", 59.7: "1 min"}),
        (quantities.duration, {102: "1 min 42 s", 3599.8: "1 h", 7500: "2 h 5 min"}),
        (quantities.memory, {17: "17 B", 1 << 20: "1 MiB", 25_276_510_208: "23.5 GiB", 3 << 50: "3072 TiB"}),
        (quantities.percent, {0: "0", 1e-9: "<0.01%", 0.0042: "0.42%", 0.042: "4.2%", 0.365: "36%", 1: "100%"}),
        (quantities.more, {0.042: "4.2%", 9.9: "990%", 746.54: "748x"}),  # beyond tenfold nobody reads a percentage
        (quantities.around, {0.004: "\xb10%", 0.04: "\xb14%", 0.1: "\xb110%"}),
    ]
    for write, shown in rows:
        assert {value: write(value) for value in shown} == shown


@given(st.floats(1, 9.9e11))
def test_a_time_reads_back_within_half_of_its_last_digit(ns: float) -> None:
    digits, unit = quantities.time(ns).split()
    assert float(digits) * SECONDS_OF[unit] == pytest.approx(ns, rel=0.00502)
    assert len(digits.replace(".", "")) == 3


RATES = quantities.MULTIPLES


def test_an_interval_has_the_unit_of_its_figure_and_digits_that_distinguish_its_ends_unless_they_are_far() -> None:
    rows: list[tuple[Callable[..., str], dict[tuple[Any, ...], str]]] = [
        (quantities.interval, {(950, 890, 1_240): "890\u20131240", (100, 100, 100): "100\u2013100"}),
        (quantities.interval, {(28_112.5, 27_350, 28_990): "27.4\u201329.0"}),  # the unit is the mean's, at both ends
        (
            quantities.interval,
            {(59.274, 59.26, 59.29): "59.26\u201359.29", (59.274, 59.2731, 59.2732): "59.3\u201359.3"},
        ),
        (quantities.interval, {(1_152_000, 18_000, 34_721_000): "18 \u00b5s\u201335 ms"}),
        (quantities.interval, {(14_120_000, 13_800_000, 14_400_000, RATES): "13.8\u201314.4"}),
        (quantities.from_to, {(18, 1.1, 38.1): "1.1\u201338", (26, 0, 100): "0\u2013100"}),
        (quantities.from_to, {(1_152_000, 18_000, 34_721_000): "18 \u00b5s\u201335 ms"}),
        (quantities.from_to, {(5e6, 1e5, 9e7, RATES): "0.10\u201390", (5e6, 1e3, 9e7, RATES): "1.0 k\u201390 M"}),
        (
            quantities.shares,
            {(0.31, 0.69): "31\u201369%", (0.5, 0.5): "50%", (0.496, 0.504): "50%", (0, 1): "0\u2013100%"},
        ),
        (quantities.shares, {(0.071, 0.188): "7\u201319%", (0.008, 0.024): "0.8\u20132.4%"}),
        (quantities.shares, {(0.0001, 0.0041): "0.01\u20130.41%"}),  # digits suit the larger
    ]
    for write, shown in rows:
        assert {of: write(*of) for of in shown} == shown


def hours(text: str) -> tuple[int, ...]:
    return parse(text, "--hours", 1, 12, what="hours", example="1,2 or 3-12")


ADVICE = "Write hours from 1 to 12: 1,2 or 3-12."


def test_what_is_refused_is_named_with_the_remedy() -> None:
    for text, complaint in [
        ("", f"cannot be read at ''. {ADVICE}"),
        ("1,,2", f"cannot be read at ''. {ADVICE}"),
        ("1, -1", f"cannot be read at '-1'. {ADVICE}"),
        ("\u0663", f"cannot be read at '\u0663'. {ADVICE}"),  # a digit, but none of ours
        ("1,3-2", "runs backwards at '3-2'. Write 2-3, or 3,2."),
        ("13", f"is out of bounds at '13'. {ADVICE}"),
        ("2,0-3", f"is out of bounds at '0-3'. {ADVICE}"),
        ("1-99999999999", f"is out of bounds at '1-99999999999'. {ADVICE}"),
    ]:
        with pytest.raises(UsageError, match=re.escape(f"--hours '{text}' {complaint}") + "$"):
            hours(text)


def test_a_long_list_is_quoted_by_its_beginning_and_refused_before_it_is_too_long() -> None:
    many = ",".join(["1-12"] * 100)
    with pytest.raises(UsageError, match=rf"^--hours '{many[:59]}…' names some of its numbers twice\. Write hours"):
        hours(many)
    with pytest.raises(UsageError, match=r"^--hours '1{59}…' cannot be read at '1{59}…'\."):
        hours("1" * 5000)
    assert len(parse_cpus("0-65535")) == 65_536


def test_cpus_go_as_far_as_the_contract_and_each_is_given_once() -> None:
    assert parse_cpus("3,0,65535") == (3, 0, 65535)
    assert hours(" 4 , 6 - 8 ,12,5,3-3") == (4, 6, 7, 8, 12, 5, 3)
    with pytest.raises(UsageError, match=r"^--cpus '1,0-2' names CPU 1 twice\. For threads on one CPU write"):
        parse_cpus("1,0-2")
    with pytest.raises(UsageError, match=r"^--cpus '65536' .* Write CPU numbers from 0 to 65535: 0,1 or 2-3\.$"):
        parse_cpus("65536")


@given(st.lists(st.integers(0, 65535), min_size=1, unique=True), st.integers(2, 4))
def test_what_is_written_is_read_back(numbers: list[int], at_least: int) -> None:
    assert list(parse_cpus(",".join(ranges(numbers, at_least)))) == numbers


def test_numbers_that_follow_each_other_are_a_range() -> None:
    of: list[list[int | None]] = [[], [3], [0, 1], [1, 2, 3, 5, 8, 9], [2, 1, 0, 0, 1], [0, 1, 2, None, 4, 5, 6]]
    pairs = ["", "3", "0-1", "1-3,5,8-9", "2,1,0,0-1", "0-2,-,4-6"]
    threes = ["", "3", "0,1", "1-3,5,8,9", "2,1,0,0,1", "0-2,-,4-6"]
    assert [",".join(ranges(numbers)) for numbers in of] == pairs
    assert [",".join(ranges(numbers, at_least=3)) for numbers in of] == threes


def test_of_many_parts_the_ends_are_shown_and_cpus_are_named_once_and_ascending() -> None:
    assert ranges(range(0, 8, 2), at_most=4) == ["0", "2", "4", "6"]
    assert ranges([0, 2, 4, 6, 8, 9], at_most=4) == ["0", "2", "\u2026", "8-9"]
    assert [named(cpus) for cpus in ([3], [1, 0, 1], {8, 0, 1, 2})] == ["CPU 3", "CPUs 0-1", "CPUs 0-2,8"]


def test_a_whole_number_may_be_in_thousands_or_millions() -> None:
    read = {"0": 0, "-1": -1, "10k": 10_000, "1.5M": 1_500_000, " 2G ": 2_000_000_000}
    assert {text: parse_count(text) for text in read} == read
    assert {*map(parse_count, ("1.5", "0.0001k", "1K", "k", "1e3", "", "\u0663"))} == {None}


@given(st.integers(0, 10**15))
def test_a_number_that_is_written_short_is_read_again(number: int) -> None:
    assert parse_count(compact(number)) == number
    assert len(compact(number)) <= len(str(number))


def test_places_beyond_the_alphabet_have_two_letters() -> None:
    assert [letters(place) for place in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_a_command_names_the_store_that_was_named_without_its_password() -> None:
    assert proposed("show", "7") == "threadping show 7"
    keep_store("my runs.db")
    assert proposed("show", "7") == "threadping show 7 --store 'my runs.db'"
    assert parsed(proposed("show", "7")).params["location"] == "my runs.db"
    assert proposed("ping", "0,1") == "threadping ping 0,1", "it has no store"
    assert (
        made_literal("`threadping recommend wait --help` lists them") == "`threadping recommend wait --help` lists them"
    )
    keep_store(None)
    assert proposed("show", "7") == "threadping show 7"
    keep_store("postgresql://me:se:cr@et@host/db")
    assert proposed("show") == "threadping show --store postgresql://me@host/db"


def test_only_the_option_is_kept_and_not_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADPING_STORE", "environment.db")
    assert parsed("threadping show").params["location"] == "environment.db"
    assert proposed("show") == "threadping show"
    parsed("threadping show --store named.db")
    assert proposed("show") == "threadping show --store named.db"


def test_a_command_of_another_host_has_no_store_of_ours() -> None:
    parsed("threadping fleet resume last --store fleet.db")
    checked(["signal", "--budget", "2s"])
    assert proposed("fleet", "resume", "1") == "threadping fleet resume 1 --store fleet.db"


def test_the_commands_without_a_store_are_those_that_have_no_such_option() -> None:
    without = {name for name, one in PROGRAM.commands.items() if LOCATION not in one.params}
    groups = {"fleet", "recommend", "runs"}
    assert without | {"ping"} == {*STORELESS, *groups}, "a ping is not stored; commands of groups have their own"


def test_a_text_is_literal_with_a_run_or_the_newest() -> None:
    text = "See `threadping show RUN --trials`; `threadping ping A,B` too, and `RUN`."
    assert made_literal(text, 7) == "See `threadping show 7 --trials`; `threadping ping A,B` too, and `RUN`."
    assert "`threadping show last --trials`" in made_literal(text)
    keep_store("x.db")
    assert made_literal(made_literal(text, 7)) == made_literal(text, 7)
    assert made_literal("`threadping 'unbalanced`") == "`threadping 'unbalanced`"


def test_a_runtime_is_found_by_its_label_unless_it_was_named_by_a_path() -> None:
    def is_found(label: str, probe: str, program: str = "/probes/threadping-probe") -> bool:
        return Runtime(label, probe, (program,), "").is_found

    assert is_found("cpp", "cpp") and is_found("cpp -march=native", "cpp") and is_found("java-17 -Xint", "java")
    assert is_found("rust", "rust", "/probes/threadping-probe-rust") and is_found("java-17", "java", "/jdk/bin/java")
    assert not is_found("mine", "cpp") and not is_found("java-17-Fake -Xint", "java")
    assert not is_found("probe", "probe") and not is_found("probe-2", "probe")
    assert not is_found("cpp-2", "cpp", "/dir/cpp") and not is_found("rust", "rust", "/dir/rust")


def test_commands_are_found_in_what_is_printed() -> None:
    text = "also: a · threadping explain a 1\nNext:  threadping show 1 --outliers  why\nSee `threadping show\nlast`."
    assert [*commands_in(text)] == ["threadping show last", "threadping explain a 1", "threadping show 1 --outliers"]
