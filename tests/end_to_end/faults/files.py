"""Folders and files that are missing, full, or may not be written; and other people's measurements."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from tests.conftest import largest_file
from tests.end_to_end.conftest import Done
from tests.end_to_end.faults.fault import (
    ALL_3,
    ANSWER,
    NOTHING,
    STORED,
    UNCHANGED,
    Before,
    Bench,
    Fault,
    How,
    Kept,
    in_shell,
    read_faults,
    trials,
)
from threadping.probes.owner import machine_lock

HEADING = "Files, folders, disks, and the machine's lock"
ABOUT = (
    "Where an answer is to be written is looked at before anything is measured. Two threadpings never measure at "
    "once unaware."
)


def with_small_files(bench: Bench, command: str) -> Done:
    with largest_file(10 << 10):
        return bench.run(command)


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
    file = bench.write("lock", '[1, "\\u001b[31mred", "09:30:00"]').open("r+")
    fcntl.flock(file, fcntl.LOCK_EX)
    bench.holds.callback(file.close)


def a_link_for_a_lock(bench: Bench) -> None:
    """The lock is a link to a file of somebody's."""
    (bench.folder / "lock").symlink_to(bench.write("theirs", "precious"))


def lock(make: Callable[[Path], object]) -> Before:
    """The lock is something else than the file it should be."""
    return lambda bench: make(bench.folder / "lock")


WHILE_BUSY = How(NOTHING, run=beside_another)

FAULTS = (
    *read_faults(
        __file__,
        {
            "an answer where a folder is": How(NOTHING, folder("answer.json")),
            "trials of a format that is of rows": STORED,
            "a page where a folder is": How(NOTHING, folder("page.html")),
            "no space for a page": How(UNCHANGED, a_page, with_small_files),
            "no file may grow": How(NOTHING, run=in_shell('ulimit -f 0; exec "$@"')),
            "the temporary folder goes while it is measured": How(trials(3, of=5), temporary_folder_goes),
            "no temporary folder": ALL_3,
            "the current folder is gone": STORED._replace(
                run=in_shell('mkdir gone; cd gone; rmdir ../gone; exec "$@"')
            ),
            "no home": ALL_3,
            "no PATH": ALL_3,
            "another threadping measures": WHILE_BUSY,
            "another threadping measures, and that does not matter": How(trials(3), run=beside_another),
            "a ping while another threadping measures": WHILE_BUSY,
            "published figures while another threadping measures": WHILE_BUSY,
            "a search while another threadping measures": WHILE_BUSY,
            "a mistyped mechanism while another threadping measures": WHILE_BUSY,
            "a mistyped value while another threadping measures": WHILE_BUSY,
            "a mistyped runtime while another threadping measures": WHILE_BUSY,
            "a CPU that is not here, for a check-up while another threadping measures": WHILE_BUSY,
            "a CPU that is not here, for a ping while another threadping measures": WHILE_BUSY,
            "a list while another threadping measures": WHILE_BUSY,
            "the lock is a folder": How(NOTHING, lock(lambda path: path.mkdir())),
            "the lock is a link to a file of somebody": How(UNCHANGED, a_link_for_a_lock),
            "no space for a page where another was": How(UNCHANGED, a_page_and_an_old_one, with_small_files),
            "a page through a link": How(
                Kept("the link, and the page where it leads to", _keeps_the_link), a_page_and_a_link
            ),
            "the lock is a FIFO": How(trials(3), lock(os.mkfifo)),
            "somebody's words in the lock": How(NOTHING, held_by_a_stranger),
        },
    ),
    Fault(
        "a file whose name is not UTF-8",
        "show -o '\udcff.json'",
        0,
        ANSWER,
        Kept("the file of that name", _keeps_that_name),
        Bench.store_a_run,
    ),
)
