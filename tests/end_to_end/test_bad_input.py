"""What a person can get wrong: one clear sentence, exit code 2 or 1, never a traceback, nothing lost."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import THREADPING, Command


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("signal", "--mechanism", "stedy"), "Unknown mechanism 'stedy'. Did you mean steady?"),
        (("signal", "--cpus", "0"), "--cpus"),
        (("signal", "--mechanism", "steady", "--budget", "0.2s"), "too small"),
        (("signal", "--param", "puases=3"), "and 2 more. Did you mean pauses?"),
        (("signal", "--between", "processes"), "Unknown parameter 'between'"),
        (("signal", "--lines", "0"), "--lines"),
        (("signal", "--threads", "3"), "--threads"),
        (("lock", "--no-coarsening"), "is for Java virtual machines, but none was selected"),
        (("show", "--chart", "scaling"), "scaling"),
        (("signal", "--format", "xml"), "xml"),
        (("signal", "--seed", "-1"), "--seed"),
        (("signal", "--wiat", "spin"), "'--wait'?) `threadping signal --help` lists the options."),
        (("sginal",), "No such command 'sginal'"),
        (("mechanisms", "--store", "runs"), "No such option '--store'"),
    ],
)
def test_a_usage_error_is_one_sentence_and_exit_code_2(
    with_fake: Command, arguments: tuple[str, ...], sentence: str
) -> None:
    env = {"FAKE_LOCKS": "mutex,ticket-lock,fetch-add,unprotected"}
    with_fake(*arguments, mechanisms="steady,slow,tunable,floating,newer", env=env).refuses(sentence)


BAD = {"crashes": "SIGSEGV", "writes-garbage": "no valid result"}
BROKEN = {"loses-updates": "(count-wrong): 17 of 97,000 increments were lost"}


@pytest.mark.parametrize(
    ("command", "good", "bad"),
    [(("signal",), "steady", BAD), (("lock", "--threads", "2"), "mutex", BROKEN)],
    ids=["signal", "lock"],
)
def test_a_bad_probe_costs_its_own_cases_only(
    with_fake: Command, command: tuple[str, ...], good: str, bad: dict[str, str]
) -> None:
    names = ",".join([good, *bad])
    asked = (*command, "--budget", "60s", "--placement", "same-l3", "--mechanism", names, "--format", "json")
    done = with_fake(*asked, mechanisms=f"steady,{names}", env={"FAKE_LOCKS": names} if good == "mutex" else {})
    assert done.returncode == 1
    assert f"{len(bad)} of {len(bad) + 1} cases could not be measured" in done.stderr
    rows = {row["mechanism"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows[good]["ops_per_s"] == pytest.approx({"steady": 1e7, "mutex": 12e6}[good])
    for mechanism, sentence in bad.items():
        assert f"{mechanism} cpp same-l3" in done.stderr
        assert (rows[mechanism]["ops_per_s"], rows[mechanism]["latency_ns"]) == (None, None)
        assert sentence in rows[mechanism]["warnings"][0]["message"]
    assert "Traceback" not in done.stderr


def test_a_hung_probe_is_killed_and_the_other_cases_go_on(with_fake: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.runner.runner.START_SECONDS", 0.5)
    monkeypatch.setattr("threadping.runner.runner.HOPELESS_AFTER", 1)  # each time takes five seconds
    done = with_fake(
        *("signal", "--budget", "5s", "--placement", "same-l3", "--format", "json"), mechanisms="steady,hangs"
    )
    assert done.returncode == 1
    rows = {row["mechanism"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows["steady"]["latency_ns"]["typical"] == 100.0
    assert "was killed" in rows["hangs"]["warnings"][0]["message"]


def test_a_trial_that_fails_once_is_a_warning_which_strict_objects_to(with_fake: Command, tmp_path: Path) -> None:
    done = with_fake(
        *("signal", "--budget", "5s", "--placement", "same-l3", "--format", "json", "--strict"),
        mechanisms="fails-once",
        env={"FAKE_MARKER": str(tmp_path / "marker")},
    )
    assert (done.returncode, "threadping: --strict: " in done.stderr) == (1, True)
    (row,) = json.loads(done.stdout)["rows"]
    assert row["failed_trials"] == 1
    assert ("trial-failed", "warning") in [(one["code"], one["level"]) for one in row["warnings"]]


def test_a_probe_that_describes_itself_in_foreign_words_is_named(with_fake: Command) -> None:
    env, sentence = (
        {"FAKE_DESCRIPTION": '{"schema": 4}'},
        "answers 'describe' in words that this threadping cannot read",
    )
    for command in ("signal", "mechanisms"):
        with_fake(command, env=env).refuses(f"Runtime cpp {sentence}", 1)
    listed = with_fake("runtimes", env=env)
    assert listed.returncode == 0
    assert sentence in " ".join(listed.stdout.split())


def test_an_unbuilt_probe_names_the_remedy(threadping: Command, tmp_path: Path) -> None:
    done = threadping("run", env={"THREADPING_PROBES": str(tmp_path)})
    assert done.returncode != 0
    assert "make setup" in done.stderr


@pytest.mark.parametrize("arguments", [("--help",), ("signal", "--mechanism", "steady", "--budget", "0.5s")])
def test_a_reader_who_has_seen_enough_is_no_error(
    environment: dict[str, str], fake_probes: Path, arguments: tuple[str, ...]
) -> None:
    """As `threadping show | head` is; the end of the pipe is closed before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    env = {**environment, "THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady", "FAKE_PAUSE": "0.05"}
    done = subprocess.run([THREADPING, *arguments], env=env, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert "Broken" not in done.stderr
    assert "Traceback" not in done.stderr


# ---- the store ----


def test_a_corrupt_store_is_refused_before_measuring(with_fake: Command, store: Path) -> None:
    store.write_bytes(b"this is no database at all" * 1000)
    for arguments in (("run", "--budget", "5s"), ("list",), ("show", "last")):
        with_fake(*arguments).refuses(str(store), 1)
