"""`compare` through the real command, with the fake probe: every figure exact, every exit code seen."""

import csv
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from tests.conftest import ROOT
from tests.end_to_end.conftest import JSON, Command, Done, fake_jvm
from tests.fakes.answers import put_fake_probe
from threadping.model.run import Comparing, Stored
from threadping.store.store import open_store
from threadping.studies.compare.blocks import order

SLOWER = ("compare", "signal", "--mechanism", "steady,slow", "--placement", "same-l3", "--budget", "30s", "--seed", "3")
SAME = ("compare", "signal", "--mechanism", "xadd-one-line", "--wait", "spin,pause", "--budget", "30s", "--seed", "3")
BOTH = "steady,slow,xadd-one-line,crashes"
LOCKS = {"FAKE_LOCKS": "mutex,ticket-lock"}


@pytest.fixture
def compare(with_fake: Command) -> Command:
    """Let trials of one case differ by up to 1%: if all are equal, a figure moves in steps."""

    def run(*arguments: str, mechanisms: str = BOTH, env: dict[str, str] | None = None) -> Done:
        return with_fake(*arguments, mechanisms=mechanisms, env={"FAKE_NOISE": "0.01", **(env or {})})

    return run


def test_a_b_that_is_slower_has_its_ratio_and_an_exit_code_now_and_from_the_store(
    compare: Command, store: Path
) -> None:
    answer = compare(*SLOWER, "--margin", "20%", "--metric", "mean", *JSON).parsed(3)
    (one,) = answer["comparisons"]
    assert (answer["what"], answer["a"], answer["b"], answer["margin"]) == ("mechanism", "steady", "slow", 0.2)
    assert (one["metric"], one["answer"], one["blocks"]) == ("latency_ns.mean", "slower", 4)
    assert (one["a_value"], one["b_value"]) == (pytest.approx(100.5, abs=0.5), pytest.approx(2010, abs=10))
    assert 19.8 < one["ratio_ci99"][0] <= one["ratio"] <= one["ratio_ci99"][1] < 20.2
    again = compare("compare last", *JSON)
    stored = again.json
    assert (again.returncode, stored["comparisons"], stored["margin"]) == (3, answer["comparisons"], 0.2)
    schema = ROOT / "docs" / "reference" / "schemas" / "compare.schema.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(answer)
    assert compare("compare 1 --fail-above 100%").returncode == 3
    other = compare("compare 1 --metric rate", *JSON).json["comparisons"][0]
    assert (other["metric"], other["answer"]) == ("ops_per_s", "slower") and other["ratio"] < 0.1
    with open_store(str(store)) as opened:
        run = opened.run("last")
        trials = opened.observations(run)
    assert isinstance(run.study, Comparing)
    assert run.study.pairs == ((0, 1),)
    blocks = [tuple(one.side for one in trials if one.round == block) for block in range(trials[-1].round + 1)]
    assert blocks == [order(3, 0, block) for block in range(len(blocks))]
    assert {(one.side, one.case.mechanism) for one in trials} == {("a", "steady"), ("b", "slow")}
    assert one["blocks"] == len(blocks) - 1  # the first is thrown away


def test_b_that_is_the_same_passes_in_every_format(compare: Command, tmp_path: Path) -> None:
    done = compare(*SAME, "-o", "same.svg").ended()
    assert "same within 3%\n\nrun 1" in done.stdout and "same.svg: " in done.stderr
    assert "same within 3%" in (tmp_path / "same.svg").read_text()
    (line,) = csv.DictReader(compare("compare 1 --format csv").stdout.splitlines())
    assert (line["answer"], line["a"], line["b"], line["a_value"][:3]) == ("same", "spin", "pause", "100")
    comment = compare("compare 1 --format markdown").stdout
    assert "### threadping: same within 3%\n" in comment and "A spin · B pause · signal" in comment
    assert "| xadd-one-line | 100 ns | 100 ns |" in comment.replace("101 ns", "100 ns")


def test_two_probes_of_a_language_are_compared_by_the_names_of_their_files(
    compare: Command, fake_probes: Path, tmp_path: Path
) -> None:
    base, change = tmp_path / "base", tmp_path / "change"
    base.symlink_to(fake_probes / "threadping-probe")
    (tmp_path / "apart").write_text("120")
    put_fake_probe(change, FAKE_APART=str(tmp_path / "apart"))
    asked = shlex.split("signal --mechanism cas-one-line --placement same-l3 --fail-above 5% --budget 60s")
    sides = ("--runtime", f"cpp={base}", "--runtime", f"cpp={change}")
    compare("compare", *asked, *sides, mechanisms="cas-one-line").ended(3)
    comment = compare("compare last --format markdown").stdout
    assert "🔴 slower" in comment and "A base · B change · " in comment


THREADPING = """#!/bin/sh
[ "$1 $2" = "compare last" ] && echo "a comment" && exit 3
echo "$@" > {asked}
exit {code}
"""


@pytest.mark.parametrize(("code", "commented"), [(0, True), (3, True), (4, True), (1, False), (2, False)])
def test_the_gate_of_ci_ends_as_compare_does(tmp_path: Path, code: int, commented: bool) -> None:
    """And writes a comment where there is an answer."""
    threadping, asked, comment = tmp_path / "threadping", tmp_path / "asked", tmp_path / "comment.md"
    threadping.write_text(THREADPING.format(asked=asked, code=code))
    threadping.chmod(0o755)
    known = {**os.environ, "THREADPING": str(threadping), "COMMENT": str(comment)}
    done = subprocess.run([ROOT / "tools" / "gate", "one", "other", "lock", "--margin", "2%"], env=known, check=False)
    assert (done.returncode, comment.exists()) == (code, commented)
    assert re.fullmatch(
        r"compare lock --margin 2% --runtime cpp=\S+/base --runtime cpp=\S+/change\n", asked.read_text()
    )


BRIEF = ("--placement", "same-l3", "--budget", "5s", "--trial", "50ms", *JSON)


def test_the_programs_of_two_named_sides_are_two(compare: Command, store: Path, tmp_path: Path) -> None:
    for place in ("base", "head"):
        (probe := tmp_path / place / "probe").parent.mkdir()
        put_fake_probe(probe)
    sides = ("--a", "cpp=base/probe steady", "--b", "cpp=./head/probe steady")
    done = compare("compare signal", *sides, *BRIEF)
    answer = done.json
    assert (answer["a"], answer["b"]) == ("probe steady", "probe-2 steady")
    with open_store(str(store)) as opened:
        commands = [one.command[0] for one in opened.run("1").runtimes]
    assert commands == [str(tmp_path / place / "probe") for place in ("base", "head")]


def test_sides_keep_their_runtimes_whatever_flags_every_jvm_gets(
    compare: Command, fake_probes: Path, tmp_path: Path
) -> None:
    java = fake_jvm(tmp_path / "jdk", fake_probes, 25)
    sides = ("--a", f"{java} mutex", "--b", "cpp ticket-lock")
    locks = {"FAKE_LOCKS": "mutex,ticket-lock"}
    answer = compare("compare lock", *sides, "--no-coarsening", "--threads", "2", *BRIEF, env=locks).parsed()
    assert answer["a"].startswith("java-25") and answer["a"].endswith(" -XX:-EliminateLocks mutex"), answer["a"]
    assert answer["b"] == "cpp ticket-lock"


def test_each_side_is_one_runtime(compare: Command, fake_probes: Path, tmp_path: Path) -> None:
    for version in (17, 25):
        fake_jvm(tmp_path / "jdks" / str(version), fake_probes, version)
    jvms = {"JDK_HOME": str(tmp_path / "jdks" / "17"), "GRAALVM_HOME": str(tmp_path / "jdks" / "25")}
    sides = ("--a", "java steady", "--b", "java-17 steady")
    compare("compare signal", *sides, env=jvms).refuses("runtimes: ")
    compare("compare signal", *sides, env=jvms).refuses("Name one runtime for each of A and B.")
    compare("compare signal --runtime cpp --runtime java", env=jvms).refuses("'java' is ")


def test_two_runs_are_laid_side_by_side_and_what_was_compiled_differently_is_said(
    compare: Command, fake_probes: Path
) -> None:
    for digest in ("aa", "ab"):
        loops = {"signal steady": digest, "signal slow": "cc"}
        (fake_probes / "threadping-probe.loops.json").write_text(json.dumps(loops))
        done = compare("run signal --mechanism steady,slow --placement same-l3 --budget 3s", *JSON)
        assert done.json["run"]["loops"] == {"signal slow cpp": "cc", "signal steady cpp": digest}
    note = "Compiled differently in run 2 than in run 1, of the same version: steady (cpp)."
    shown = compare("compare 1 2").ended().flat
    assert note in shown and "measured apart" in shown
    found = compare("compare 1 2", *JSON).json
    assert (found["compiled_differently"], found["not_compared"], found["measured_apart"]) == ([note], [], True)
    ratios = {one["mechanism"]: one["b_to_a"] for one in found["cases"]}
    assert ratios == pytest.approx({"steady": 1, "slow": 1}, rel=0.01)
    done = compare("compare --history 9 2", *JSON)
    assert done.stdout, done.stderr
    nights = done.json
    assert nights["compiled_differently"] == [note.replace("run 2 than in run 1", "run 1 than in run 2")]
    listed = {one["mechanism"]["name"]: one["loop"] for one in compare("info mechanisms", *JSON).json["mechanisms"]}
    assert (listed["steady"], listed["slow"], listed["crashes"]) == ("ab", "cc", "")


def test_a_history_places_a_run_among_earlier_ones(compare: Command, store: Path, tmp_path: Path) -> None:
    (apart := tmp_path / "apart").write_text("26")
    asked = ("run", "signal", "--mechanism", "cas-one-line", "--budget", "2s", "--trial", "50ms")
    done = compare(*asked, mechanisms="cas-one-line", env={"FAKE_APART": str(apart)}).ended()
    with open_store(str(store)) as opened:  # other nights are like this one, but for their distance
        run = opened.run("1")
        trials, pings = opened.observations(run), opened.pings(run)
        run = replace(run, machine=replace(run.machine, governor="conservative"))
        for ns in (26.1, 26.2, 26.3, 26.2, 26.1, 26.0, 26.1, 26.2, 28.9):
            seen = (replace(one, figures={**one.figures, "latency_ns.typical": ns}) for one in trials)
            opened.take(Stored(run, tuple(seen), tuple(replace(one, ns=ns) for one in pings)))
    done = compare("compare --history 30 -o nights.svg")
    assert (done.returncode, done.stdout.count("outside this machine's history")) == (3, 1)
    assert "26.0 ns to 26.3 ns above all 9" in done.flat
    assert "This host changed since run 1: governor conservative, was " in done.flat
    assert (tmp_path / "nights.svg").exists()
    assert "cannot tell: 9 runs are needed before it, and there " in compare("compare --history 9 9").stdout
    assert compare("compare --history 9 9 --strict").returncode == 4


def test_a_thing_is_the_same_as_itself_and_what_is_planted_is_seen(compare: Command) -> None:
    selected = ("--mechanism", "xadd-one-line", "--runtime", "cpp", "--budget", "2.5s")
    (one,) = compare("compare signal --self", *selected, *JSON).parsed()["aa_tests"]
    assert 0 <= one["false_alarms"] <= one["comparisons"] > 0  # one in a hundred may be
    assert one["mechanism"] == "xadd-one-line"
    assert [name for name in one["seen"] if "ci90" not in name] == ["1%", "2%", "3%", "5%"]
    assert "found a thing to differ from itself" in compare("compare last").stdout


def test_of_many_pairs_the_corners_are_compared_and_the_verdict_says_how_many_and_what_covers_all(
    compare: Command,
) -> None:
    """One of eight was compared, with one thread, 49 s of 90 were left, and the verdict said none of it."""
    asked = ("compare", "lock", "--mechanism", "mutex,ticket-lock", "--threads", "1-4", "--seed", "1", "--budget")
    shown = compare(*asked, "7s", env=LOCKS).stdout
    answer = compare("compare last", *JSON).json
    coverage, threads = answer["coverage"], [one["threads"] for one in answer["comparisons"]]
    assert 2 <= len(threads) < 4 and threads == sorted([1, 4, 2, 3][: len(threads)])
    assert (coverage["asked"], coverage["measured"], len(coverage["left_out"])) == (4, len(threads), 4 - len(threads))
    assert shown.startswith(f"Measured {len(threads)} of 4: 1") and "\nLeft out\n-  " in shown
    assert answer["verdict"].startswith(f"Measured {len(threads)} of 4: 1")
    assert re.search(r"--threads 1-4 --seed 1 --budget \d+s  to compare all 4 cases", shown)
    assert all(row["trials"] for row in compare("show 1", *JSON).json["rows"]), "one that waited is no error"


def test_what_is_compared_by_a_percentile_has_trials_that_are_long_enough_for_it(compare: Command, store: Path) -> None:
    for metric in ("headline", "p99"):
        compare(*SAME[:-4], "--budget", "4s", "--metric", metric, *JSON).ended()
    with open_store(str(store)) as opened:
        lengths = [run.premises.lengths[0][1] for run in (opened.run("1"), opened.run("2")) if run.premises]
    assert lengths == pytest.approx([0.035, 0.0867], rel=0.01)
