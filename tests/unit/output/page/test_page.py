"""The page: it asks nobody for anything, runs nothing that it was given, and gives its run back."""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from tests.golden import calls, minute
from tests.golden.fixture import CAS, DECLARED, MOVED, OBSERVATIONS, RUN, failed
from tests.unit.output.printing import exported, printed
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.cli.report import import_files, report
from threadping.conduct.pages import article_of, digest, page_of
from threadping.conduct.stored import answered
from threadping.model.cases import Runtime, Skipped
from threadping.model.errors import OutputUnwritable, PageUnreadable, StoreMissing, UsageError
from threadping.model.run import Failure, Stored
from threadping.model.text import keep_store
from threadping.output import bundle
from threadping.output.bundle import OPEN
from threadping.output.layout import Chart
from threadping.output.page import page
from threadping.output.page.page import as_html
from threadping.output.printing import Definitions
from threadping.store.store import open_store
from threadping.studies.reproduce.stated import articles

EVIL = "</script><img src=x onerror=alert(1)><svg/onload=alert(2)>"

ADDRESSES = {one.url for one in articles().figures}
"""The external links of a report: addresses of articles, which threadping itself lists."""


@cache
def made(*names: str) -> str:
    known = {"moved": MOVED, "minute": minute.ANSWER, "calls": calls.ANSWER}
    return page_of([known.get(name) or answer_of(machine(16, 4, 8), trials=1) for name in names])


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def headings(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


def stored(answers: list[Answer], folder: Path) -> str:
    """A store with these runs, as if they had been measured with it."""
    location = str(folder / "runs.sqlite3")
    with open_store(location) as store:
        for one in answers:
            store.take(one.stored)
    return location


@pytest.mark.parametrize("names", [("calls",), ("moved", "minute")])
def test_a_page_allows_its_own_script_and_style_and_nothing_else(names: tuple[str, ...]) -> None:
    text = made(*names)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    for kind in ("style", "script"):
        (body,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.S)
        digest_of = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest_of}'" in policy
        assert not re.search(r"@import|url\(|https?:|fetch\(|eval|innerHTML", body)
    assert policy.startswith("default-src 'none'; ")
    for tag, attributes in Elements(text).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "form", "base")
        assert not any(name.startswith("on") or name in ("style", "src") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#") or attributes.get("href") in ADDRESSES


def test_names_with_markup_are_text_everywhere() -> None:
    case = replace(CAS, mechanism=EVIL, runtime=EVIL, params={EVIL: EVIL}, varied=(EVIL,))
    evil = [replace(one, case=case if one.case == CAS else one.case) for one in OBSERVATIONS]
    evil += [replace(one, failure=Failure(EVIL, EVIL)) for one in failed(CAS, Failure("x", "y"), 1)]
    run = replace(
        RUN,
        machine=replace(RUN.machine, cpu_model=EVIL, kernel=EVIL, os=EVIL, hypervisor=EVIL),
        runtimes=(Runtime(EVIL, EVIL, (EVIL,), EVIL),),
        cases=tuple(dict.fromkeys(one.case for one in evil)),
        skipped=(Skipped(EVIL, EVIL),),
        arguments=(EVIL,),
        note=EVIL,
        version=EVIL,
    )
    text = page_of([analyse(run, evil, (), DECLARED)] * 2)
    assert text.count("&lt;img src=x") > 10
    assert not re.search(r"<img|<svg/|onload=alert\(2\)>", text.replace("&gt;", ""))
    usual = {tag for tag, _ in Elements(made("moved", "minute")).found}
    assert {tag for tag, _ in Elements(text).found} <= usual
    lines = [one for one in digest(analyse(run, evil, (), DECLARED)).splitlines() if not one.startswith("    ")]
    assert not re.search(r"(?<!\\)<", "".join(lines))


def test_what_a_run_lacks_has_no_heading() -> None:
    assert headings(made("calls")) == [
        "wakeup: duration of the call that wakes a thread",
        "The machine",
        "Warnings and notes",
        "Repeat this run",
    ]
    nothing = page_of([analyse(replace(RUN, cases=(), skipped=(), arguments=()), (), (), DECLARED)])
    assert headings(nothing)[0] == "The machine"
    assert "Repeat" not in nothing
    interrupted = analyse(replace(RUN, status="running"), OBSERVATIONS[:1], (), DECLARED)
    assert "<p>1 trial" not in page_of([interrupted])
    assert "interrupted" in page_of([interrupted])


def test_each_chart_has_a_mark_for_each_row_and_a_key_for_each_colour() -> None:
    text = made("minute")
    drawn = dict(re.findall(r'<figure id="([\w-]+)">(.*?)</figure>', text, re.S))
    assert {"signal-percentiles", "lock-by-threads", "wakeup-wake", "queue-latency", "states-0-1"} <= drawn.keys()
    for name in ("signal", "queue", "wakeup"):
        known = [row for row in minute.ANSWER.rows if row.case.experiment == name and row.figures]
        known = [row for row in known if row.leading.unit == row.declared.leading.unit]
        marks = re.search(r'<g class="mark-symbol role-mark[^>]*>(.*?)</g>', drawn[name])
        assert marks is not None
        assert marks[1].count("<path") == len(known)
    for name, body in drawn.items():
        if name in ("signal", "wakeup", "queue", "queue-median", "barrier"):
            assert "checkbox" not in body  # each row says whose it is
            continue
        places = set(re.findall(r'class="s(\d+)"', body))
        assert places <= set(re.findall(r'type="checkbox" value="(\d+)"', body))


def test_the_twin_for_a_pull_request_has_the_answers() -> None:
    text = digest(minute.ANSWER)
    row = "| release-one-line wait=pause | 25.8 ns ±2% | ⇄79.0 ns | ⇄105 ns | 26.5 ns ±2% | ⇄81.0 ns | ⇄108 ns | 1x |\n"
    assert row in text
    assert "| **signal a spinning thread** |  |  |  |  |  |  |  |\n" in text
    assert "- ! not-steady: 1 row" in text
    assert "\n    threadping run --budget 60s --seed 424242\n" in text


@pytest.mark.usefixtures("undrawn")
def test_several_runs_have_a_column_each_and_each_case_a_line() -> None:
    twice = replace(minute.ANSWER, run=replace(minute.MINUTE, started="2026-04-01T09:30:00+00:00"))
    text = page_of([minute.ANSWER, twice])
    together = text.partition('id="A-answers"')[0]
    line = next(one for one in together.splitlines() if "cas-one-line</abbr> cpp same-l3" in one)
    cells = re.sub("(<[^>]+>| )+", " ", line).strip()
    assert cells == "cas-one-line cpp same-l3 26.2 ns 27.8 ns ±2% 27.8 ns ±2% 1.000x"
    assert "Measured apart" in together
    assert 'id="B-signal"' in text


@pytest.mark.usefixtures("undrawn")
def test_figures_of_two_states_of_a_machine_are_not_divided() -> None:
    """A report printed 4.29x for runs at 28 and 120 ns core to core, although `compare` finds nothing comparable."""
    pings = tuple(replace(one, ns=one.ns and 20 * one.ns) for one in minute.PINGS)
    far = analyse(minute.MINUTE, minute.OBSERVATIONS, pings, DECLARED)
    together = page_of([minute.ANSWER, far]).partition('id="A-answers"')[0]
    assert "cas-one-line</abbr> cpp same-l3" not in together and "condition</abbr> cpp same-l3" in together


def test_the_details_of_a_page_are_of_the_rows_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.studies.survey.MOST_ON_PAGE", 2)
    (section,) = [one for one in article_of(MOVED).sections if one.name == "signal"]
    (table,) = [printed(block, 250) for block in section.details[0].blocks if "p99.9" in printed(block, 250)]
    assert section.details[0].summary == "Every percentile" and len(table.splitlines()) == 4


def test_an_imported_run_is_row_for_row_the_same_and_so_is_its_page(tmp_path: Path) -> None:
    location, first, again = stored([MOVED], tmp_path), tmp_path / "first.html", tmp_path / "again.html"
    report(["last"], location=location, files=(first,))
    other = str(tmp_path / "other.sqlite3")
    import_files([first], location=other)
    report(["1"], location=other, files=(again,))
    assert first.read_bytes() == again.read_bytes()
    with open_store(other, create=False) as store:
        back = answered(store, "1")
        assert store.trials(back.run) == []
    assert (back.run.machine.hostname, back.run.status) == ("", "complete")
    own = replace(back, run=replace(back.run, id=1, owner=RUN.owner, machine=RUN.machine))
    assert exported(own, "json", True) == exported(replace(MOVED, run=replace(MOVED.run, id=1)), "json", True)
    assert own.rows == MOVED.rows


def test_an_imported_report_is_compared_with_a_local_run_and_a_new_report_has_both(tmp_path: Path) -> None:
    location, theirs, both = stored([calls.ANSWER], tmp_path), tmp_path / "theirs.html", tmp_path / "both.html"
    own = calls.ANSWER.run.seed
    theirs.write_text(edited(made("calls"), run=replace(calls.ANSWER.run, seed=own + 1)))
    report(["1", str(theirs)], location=location, files=(both,))
    assert [one.run.seed for one in bundle.unpack_runs(both.read_bytes(), both)] == [own, own + 1]
    import_files([both], location=location)
    with open_store(location, create=False) as store:
        assert [run.seed for run, _ in store.listed()[0]] == [own + 1, own]


def test_a_run_is_imported_once_and_found_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    location, own, changed = stored([calls.ANSWER], tmp_path), tmp_path / "own.html", tmp_path / "changed.html"
    report(["1"], location=location, files=(own,), identify=True)
    changed.write_text(edited(made("calls"), observations=calls.ANSWER.stored.observations[:-1]))
    keep_store(location)
    for path, said in ((own, "1 is stored already"), (changed, "2 is from"), (changed, "2 is stored already")):
        capsys.readouterr()
        import_files([path], location=location)
        message = capsys.readouterr().err
        assert f"Run {said}" in message and f" --store {location}`." in message
    with open_store(location, create=False) as store:
        assert len(store.listed()[0]) == 2


def edited(text: str, **changes: Any) -> str:
    """A page whose run was changed, by somebody who makes the digest anew."""
    (found,) = bundle.unpack_runs(text.encode(), "page")
    return text.partition(OPEN)[0] + bundle.embed_runs([replace(found, **changes)]) + "</body>"


def spoilt(**changes: Any) -> Callable[[str], str]:
    """Edits the distributions of a page as they are stored: in steps."""

    def edit(text: str) -> str:
        with patch.object(bundle, "_in_steps", lambda of: replace(of, **changes)):
            return edited(text)

    return edit


def test_every_number_comes_back() -> None:
    rows: list[tuple[int, ...]] = [(), (0,), (7, 8, 2047, 2049, 4096), (0, 1, 2**31 + 1, 2**53 - 1), (5 << 40, 7 << 40)]
    for values in rows:
        counts = tuple(range(254, 254 + len(values)))
        timed = {name: replace(of, values=values, counts=counts) for name, of in OBSERVATIONS[3].distributions.items()}
        seen = (replace(OBSERVATIONS[3], distributions=timed), OBSERVATIONS[3])
        one = Stored(RUN, seen, ())
        assert bundle.unpack_runs(bundle.embed_runs([one]).encode(), "page") == [one]


OF_NO_NUMBER = replace(OBSERVATIONS[3], figures={"lines": float("nan")})
TIMED = OBSERVATIONS[3].distributions
ONE_COUNT_LESS = replace(
    OBSERVATIONS[3], distributions={name: replace(of, counts=of.counts[1:]) for name, of in TIMED.items()}
)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda text: text[: text.index(OPEN) + 2000], "its end is missing"),
        (lambda text: text.replace('"data":"Qlpo', '"data":"Qlpp'), "the run in it was changed"),
        (lambda text: text.replace('"format":5', '"format":2'), "an older threadping made it"),
        (lambda text: text.replace('{"format"', '{"format":[{"a"'), "the run in it was changed"),
        (lambda text: edited(text, observations=(ONE_COUNT_LESS,)), "its values contradict each other"),
        (lambda text: edited(text, observations=(OF_NO_NUMBER,)), "the run in it was changed"),
        (spoilt(values=(5, 0), counts=(1, 1)), "its values contradict each other"),
        (spoilt(values=(2**52, 2**52), counts=(1, 1)), "its values contradict each other"),
        (spoilt(values=(5, -1), counts=(1, 1)), "the run in it was changed"),
        (spoilt(values=(5,), counts=(0,)), "the run in it was changed"),
        (lambda text: edited(text, observations=(replace(OBSERVATIONS[3], form=99),)), "a newer threadping read"),
    ],
)
def test_a_page_that_cannot_be_believed_is_refused_and_nothing_is_stored(tmp_path: Path, spoil: Any, why: str) -> None:
    spoiled, location = tmp_path / "page.html", str(tmp_path / "runs.sqlite3")
    spoiled.write_text(spoil(made("moved")))
    with pytest.raises(PageUnreadable, match=rf"^{re.escape(str(spoiled))} cannot be imported: .*{why}"):
        import_files([spoiled], location=location)
    with pytest.raises(StoreMissing):
        open_store(location, create=False)


def test_a_host_may_send_no_more_than_a_file_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MOST_BYTES", 1 << 20)
    with pytest.raises(PageUnreadable, match="it has 1 MB, and no page of threadping has more than 1"):
        bundle.unpack_runs(bytes((1 << 20) + 1), "host")


def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    location = stored([MOVED, MOVED], tmp_path)
    monkeypatch.setattr("threadping.cli.stored.answered", lambda *_: pytest.fail("work was done"))
    for wanted in ({"form": "markdown"}, {"files": (tmp_path / "charts.svg",)}):
        with pytest.raises(UsageError, match="name one run"):
            report(["1", "2"], location=location, **wanted)


def test_an_entry_of_a_legend_keeps_its_place_next_to_an_unused_one() -> None:
    panel = {"layer": [{"mark": "rule"}, {"encoding": {"shape": {"field": "line"}}}]}
    shapes = page.legend(Chart("", "", (), [panel], ("near", "", "no state")))
    assert shapes == [(0, page.KEYS[0], "near"), (2, page.KEYS[2], "no state")]
    alike = page.legend(Chart("", "", (), [{"mark": "point"}], ("near", "far")))
    assert [key for _, key, _ in alike] == [page.KEYS[0]] * 2


def test_an_engine_that_ends_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Popen(["false"], stdin=PIPE, stdout=PIPE)
    monkeypatch.setattr(page, "_engine", lambda: ended)
    monkeypatch.setattr(page, "_drawn", page._drawn.__wrapped__)  # type: ignore[attr-defined]
    with pytest.raises(OutputUnwritable, match=r"the process that draws them ended \(1\)"):
        page_of([minute.ANSWER])
    ended.communicate()


def test_the_charts_are_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda _: "<svg/>")  # whose start takes a second
    report(["1"], location=stored([calls.ANSWER], tmp_path), files=((file := tmp_path / "calls.svg"),))
    assert b"<svg" in file.read_bytes()


def test_a_page_begins_with_what_it_is_who_measured_it_when_and_how_to_read_it() -> None:
    lead = made("minute").partition("<nav")[0].partition("<h1>")[2]
    answer, _, rest = re.sub(r"<[^>]+>", "", lead.partition("<p>")[2]).partition("\n")
    assert re.fullmatch(r"One way: 25\.8 ns .* spinning, 24\.3 µs .* blocked\.", answer.strip())
    assert rest.strip().startswith(
        "This report shows what it costs threads to signal, wake and wait for each other on AMD EPYC, "
        "2 CPUs (KVM), measured by threadping 0.1.0 at 2026-03-01 09:30 UTC. Lower is better, except for rates (/s);"
    )
    assert "Each row is a mechanism with its parameters" in lead


def test_the_heading_of_a_page_is_the_answer_or_what_was_measured_and_no_cpu() -> None:
    assert "<h1>Overview: signal, lock, wakeup" in re.sub(r"<(?!h1)[^>]+>", "", made("minute"))
    assert "<h1>wakeup: duration of the call that wakes a thread<" in re.sub(r"<(?!/?h1)[^>]+>", "", made("calls"))
    noted = page_of([analyse(replace(RUN, note="Ended with its budget."), (), (), DECLARED)])
    assert "green" not in noted.partition("Ended with its budget.")[0].rpartition("<p>")[2]


def test_mechanisms_and_columns_have_definitions() -> None:
    defined = dict(re.findall(r'<abbr title="([^"]+)">([^<]+)</abbr>', made("minute")))
    assert {"p99", "vs top", "release-one-line", "mutex", "placement"} <= {*defined.values()}
    assert not any(re.search(r"docs/\S+\.md", title) for title in defined)


def test_a_page_of_the_documentation_is_a_link_where_its_address_is_known() -> None:
    link = '<a href="https://a.org/v1/docs/reference/queue.md" rel="noreferrer">queue</a>'
    for docs, page_name in (("", "the page 'queue' of the documentation"), ("https://a.org/v1", link)):
        html = as_html(["See docs/reference/queue.md."], words=Definitions(docs=docs))
        assert html == f"<p>See {page_name}.</p>"
    assert not re.search(r"docs/\S+\.md", made("minute"))
