"""Temporary folders: gone with their process, or cleared by the next one; never another's, never through a link."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from threadping.probes import process as scratch
from threadping.probes.process import PREFIX, clear_abandoned, scratch_folder

HOLD = "import sys; from threadping.probes.process import scratch_folder\nwith scratch_folder(sys.argv[1]) as folder:\n"
HOLD += " (folder / 'log').touch(); print(folder, flush=True); sys.stdin.read()"


@contextmanager
def holding(parent: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """Another process with a folder of its own, and that."""
    command = [sys.executable, "-c", HOLD, str(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.fixture(autouse=True)
def _as_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_cleared", set())


def test_a_folder_is_gone_afterwards_whatever_it_holds(tmp_path: Path) -> None:
    with scratch_folder(str(tmp_path)) as folder:
        (folder / "0").mkdir()
        (folder / "0" / "log").write_text("a line")
        assert [*tmp_path.iterdir()] == [folder]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGQUIT])
def test_what_a_killed_process_left_is_cleared_by_the_next_and_that_of_a_living_one_is_not(
    tmp_path: Path, end: signal.Signals
) -> None:
    with holding(tmp_path) as (killed, left), holding(tmp_path) as (_, kept):
        killed.send_signal(end)
        killed.wait()
        assert left.exists()
        with scratch_folder(str(tmp_path)) as mine:
            assert {*tmp_path.iterdir()} == {kept, mine}
        assert (kept / "log").exists()


def test_links_other_names_and_files_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (tmp_path / f"{PREFIX}1-link").symlink_to(precious)
    (tmp_path / f"{PREFIX}1-file").touch()
    (tmp_path / "threadping-older").mkdir()
    (abandoned := tmp_path / f"{PREFIX}1-folder").mkdir()
    (abandoned / "link").symlink_to(precious)
    before = {*tmp_path.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # of another user
        clear_abandoned(tmp_path)
    assert {*tmp_path.iterdir()} == before
    clear_abandoned(tmp_path)
    assert {*tmp_path.iterdir()} == before - {abandoned}
    assert (precious / "file").exists()


@pytest.mark.parametrize(("of", "step"), [(os, "open"), (fcntl, "flock")])
def test_a_folder_that_was_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: ModuleType, step: str
) -> None:
    usual, taken = getattr(of, step), iter(range(99))

    def late(*arguments: Any, **named: Any) -> Any:
        if next(taken) == 0:
            clear_abandoned(tmp_path)
        return usual(*arguments, **named)

    scratch._cleared.add(tmp_path)
    monkeypatch.setattr(of, step, late)
    with scratch_folder(str(tmp_path)) as folder:
        assert [*tmp_path.iterdir()] == [folder]
