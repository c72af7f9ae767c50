"""A built-in file has the words about mechanisms."""

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.conftest import CONTRACT, ROOT
from threadping.model.contract import MechanismWords
from threadping.model.errors import ProbeUnusable
from threadping.probes.language import words

CRATE = ROOT / "probes" / "rust"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of that of the probes."""
    monkeypatch.setenv("THREADPING_PROBES", str(tmp_path))
    return tmp_path


def test_what_is_said_is_found_by_name_and_read_once(folder: Path) -> None:
    shutil.copy(CONTRACT / "words.json", folder)
    said = words()
    (folder / "words.json").unlink()
    assert words() is said
    assert said.timed["acquire"] == "wait for the lock"
    found = said.of("lock", "fetch-add")
    assert isinstance(found, MechanismWords)
    assert found.summary.startswith("One atomic add to a shared counter")
    assert (said.of("lock", "cas-one-line"), said.of("divination", "fetch-add")) == (None, None)


@pytest.mark.parametrize(("content", "why"), [(None, "No such file"), ("{", "truncated"), ("{}", "missing required")])
def test_where_nothing_can_be_read_the_remedy_is_named(folder: Path, content: str | None, why: str) -> None:
    if content is not None:
        (folder / "words.json").write_text(content)
    with pytest.raises(ProbeUnusable, match=rf"words\.json' .*{why}.*Run `make setup`, or reinstall threadping\."):
        words()


def test_every_library_that_rust_is_measured_with_is_named_with_its_version() -> None:
    """A row's words name the library that was built in."""
    crate = tomllib.loads((CRATE / "Cargo.toml").read_text())
    locked = (CRATE / "Cargo.lock").read_text()
    said = (CONTRACT / "words.json").read_text()
    names = {"disruptor": "disruptor-rs"}
    for name, wanted in crate["dependencies"].items():
        version = (wanted if isinstance(wanted, str) else wanted["version"]).removeprefix("=")
        assert f'name = "{name}"\nversion = "{version}"' in locked
        assert name == "libc" or f"{names.get(name, name)} {version}" in said, name
