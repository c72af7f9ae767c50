"""Folders and files that are missing, full, or may not be written; and other people's measurements."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import (
    ANSWER,
    MEASURE,
    NOTHING,
    SILENCE,
    UNCHANGED,
    Before,
    Bench,
    Fault,
    Kept,
    in_shell,
    trials,
    typed,
)
from threadping.probes.owner import machine_lock

HEADING = "Files, folders, disks, and the machine's lock"
ABOUT = (
    "Where an answer is to be written is looked at before anything is measured. Two threadpings never measure at "
    "once unaware."
)


def folder(name: str) -> Before:
    """There is a folder of this name."""
    return lambda bench: (bench.folder / name).mkdir()


def temporary_folder_goes(bench: Bench) -> None:
    """After a few starts of a probe the folder for them is gone."""
    from threadping.probes import trial

    left, run_trials = bench.folder / "temporary", trial.run_trials
    left.mkdir()
    trials_begun = iter(range(100))

    def run_in_what_is_left(*arguments: object, **options: object) -> object:
        if next(trials_begun) == 3:
            left.rmdir()
        return run_trials(*arguments, **options)  # type: ignore[arg-type]

    bench.rounds = 6
    bench.patch.setattr("tempfile.tempdir", str(left))
    bench.patch.setattr("threadping.conduct.runner.run_trials", run_in_what_is_left)


def a_page(bench: Bench) -> None:
    """A page with a run."""
    bench.store_a_run()
    assert bench.run("report 1 -o theirs.html").returncode == 0


def beside_another(bench: Bench, command: str) -> Done:
    """Another threadping has the turn until the command has ended."""
    with bench.patch.context() as patch:
        patch.setattr("sys.argv", ["threadping", "ping"])
        with machine_lock():
            return bench.run(command)


def a_page_and_an_old_one(bench: Bench) -> None:
    """A page with a run, and one that is to be written anew."""
    a_page(bench)
    bench.write("page.html", "the old page")


def a_page_and_a_link(bench: Bench) -> None:
    """A page with a run, and a link of the user's own to where the other is kept."""
    a_page(bench)
    (bench.folder / "page.html").symlink_to(bench.write("kept.html", "the old page"))


def _keeps_the_link(bench: Bench) -> None:
    assert (bench.folder / "page.html").is_symlink()
    assert (bench.folder / "kept.html").read_text().endswith("</html>")


def _keeps_that_name(bench: Bench) -> None:
    assert (bench.folder / "\udcff.json").read_text().startswith("{")


def held_by_a_stranger(bench: Bench) -> None:
    """Another user holds the lock, and wrote escape codes into it."""
    file = bench.write("lock", '{"pid": 1, "command": "\\u001b[31mred", "since": "09:30:00"}').open("r+")
    fcntl.flock(file, fcntl.LOCK_EX)
    bench.holds.callback(file.close)


def lock(make: Callable[[Path], object]) -> Before:
    """The lock is something else than the file it should be."""
    return lambda bench: make(bench.folder / "lock")


BUSY = (
    "Another threadping is measuring on this machine: process \N{HORIZONTAL ELLIPSIS}, `threadping ping`, "
    "since \N{HORIZONTAL ELLIPSIS}. Two at once disturb each other. Wait until it has ended, or measure at the "
    "same time with --anyway."
)
TUNABLE = {"FAKE_MECHANISMS": "tunable"}

FAULTS = (
    *typed(__file__),
    Fault(
        "an answer where a folder is",
        f"{MEASURE} -o answer.json",
        1,
        "The output could not be written to answer.json: it is a folder. Name a file in it.",
        NOTHING,
        folder("answer.json"),
    ),
    Fault(
        "trials of a format that is of rows",
        "show 1 --trials --format bencher",
        2,
        "--format bencher writes rows, not trials: leave --trials out.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "a page where a folder is",
        f"{MEASURE} -o page.html",
        1,
        "The output could not be written to page.html: it is a folder. Name a file in it.",
        NOTHING,
        folder("page.html"),
    ),
    Fault(
        "no space for a page",
        "report theirs.html -o new.html",
        1,
        "The page could not be written to new.html: File too large. Name another place with -o.",
        UNCHANGED,
        a_page,
        in_shell('ulimit -f 10; exec "$@"'),
    ),
    Fault(
        "no file may grow",
        MEASURE,
        1,
        "Runtime cpp cannot be used. The temporary folder cannot be used: No usable temporary directory found in "
        "[\N{HORIZONTAL ELLIPSIS}]. Free some space there, see that files may be written (`ulimit -f`), or name "
        "another folder in TMPDIR.",
        NOTHING,
        run=in_shell('ulimit -f 0; exec "$@"'),
    ),
    Fault(
        "the temporary folder goes while it is measured",
        MEASURE,
        0,
        "The temporary folder cannot be used: there is no such file or folder.",
        trials(3, of=5),
        temporary_folder_goes,
    ),
    Fault("no temporary folder", MEASURE, 0, ANSWER, trials(3), env={"TMPDIR": "/nowhere"}),
    Fault(
        "the current folder is gone",
        "runs list",
        0,
        ANSWER,
        UNCHANGED,
        Bench.store_a_run,
        in_shell('mkdir gone; cd gone; rmdir ../gone; exec "$@"'),
    ),
    Fault("no home", MEASURE, 0, ANSWER, trials(3), env={"HOME": "/nowhere"}),
    Fault("no PATH", MEASURE, 0, ANSWER, trials(3), env={"PATH": ""}),
    Fault("another threadping measures", MEASURE, 1, BUSY, NOTHING, run=beside_another),
    Fault(
        "another threadping measures, and that does not matter",
        f"{MEASURE} --anyway",
        0,
        "Measured while another threadping was measuring: process \N{HORIZONTAL ELLIPSIS}, `threadping ping`, "
        "since \N{HORIZONTAL ELLIPSIS}.",
        trials(3),
        run=beside_another,
    ),
    *(
        Fault(f"{title} while another threadping measures", command, 1, BUSY, NOTHING, run=beside_another)
        for title, command in (
            ("a ping", "ping 0,1 -c 1"),
            ("published figures", "reproduce articles"),
            ("a search", "recommend wait --rate 10k --latency p99=25us"),
        )
    ),
    *(
        Fault(f"{title} while another threadping measures", command, 2, says, NOTHING, run=beside_another, env=TUNABLE)
        for title, command, says in (
            (
                "a mistyped mechanism",
                "compare signal --mechanism cas-one-lime,condvar",
                "Unknown mechanism 'cas-one-lime'. Did you mean cas-one-line, add-one-line or xadd-one-line? "
                "`threadping info mechanisms` lists them all.",
            ),
            (
                "a mistyped value",
                "run signal --wait pauze",
                "wait of tunable must be spin, pause or yield, not 'pauze'. Did you mean pause?",
            ),
            ("a mistyped runtime", "run --runtime jav-17", "Unknown runtime 'jav-17'. Known: cpp."),
            (
                "a CPU that is not here, for a check-up",
                "doctor --cpus 0,99",
                "CPU 99 does not exist here. Write --cpus 0. This process may use CPUs 0-1.",
            ),
            (
                "a CPU that is not here, for a ping",
                "ping 1,98",
                "CPU 98 does not exist here. Name others. This process may use CPUs 0-1.",
            ),
        )
    ),
    Fault("a list while another threadping measures", "info mechanisms", 0, "steady", NOTHING, run=beside_another),
    Fault(
        "the lock is a folder",
        MEASURE,
        1,
        "The lock \N{HORIZONTAL ELLIPSIS}/lock, which THREADPING_LOCK names, cannot be opened: it is a folder. "
        "Name a file that can be written, such as THREADPING_LOCK=\N{HORIZONTAL ELLIPSIS}, or unset it.",
        NOTHING,
        lock(lambda path: path.mkdir()),
    ),
    Fault(
        "the lock is a link to a file of somebody",
        MEASURE,
        1,
        "The lock \N{HORIZONTAL ELLIPSIS}/lock, which THREADPING_LOCK names, cannot be opened: it is a symbolic "
        "link. Name a file that can be written, such as THREADPING_LOCK=\N{HORIZONTAL ELLIPSIS}, or unset it.",
        UNCHANGED,
        lambda bench: (bench.folder / "lock").symlink_to(bench.write("theirs", "precious")),
    ),
    Fault(
        "no space for a page where another was",
        "report theirs.html -o page.html",
        1,
        "The page could not be written to page.html: File too large. Name another place with -o.",
        UNCHANGED,
        a_page_and_an_old_one,
        in_shell('ulimit -f 10; exec "$@"'),
    ),
    Fault(
        "a page through a link",
        "report theirs.html -o page.html",
        0,
        SILENCE,
        Kept("the link, and the page where it leads to", _keeps_the_link),
        a_page_and_a_link,
    ),
    Fault(
        "a file whose name is not UTF-8",
        "show -o '\udcff.json'",
        0,
        ANSWER,
        Kept("the file of that name", _keeps_that_name),
        Bench.store_a_run,
        in_shell('exec "$@"'),
    ),
    Fault("the lock is a FIFO", MEASURE, 0, ANSWER, trials(3), lock(os.mkfifo)),
    Fault(
        "somebody's words in the lock",
        MEASURE,
        1,
        "Another threadping is measuring on this machine: process \N{HORIZONTAL ELLIPSIS}, `?[31mred`, since "
        "\N{HORIZONTAL ELLIPSIS}. Two at once disturb each other. Wait until it has ended, or measure at the same "
        "time with --anyway.",
        NOTHING,
        held_by_a_stranger,
    ),
)
