"""Names on the command line that are files of the user, and the names of their mechanisms."""

from pathlib import Path

import pytest

from threadping.model.errors import UsageError
from threadping.probes.builds import read_mechanisms


@pytest.fixture(autouse=True)
def headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file in (
        "my_queue.hpp",
        "mutex.hpp",
        "base/my_queue.hpp",
        "head/my_queue.hpp",
        "base/deep/q.h",
        "head/deep/q.h",
        "my_crate/Cargo.toml",
        "base/my.crate/Cargo.toml",
        "head/my.crate/Cargo.toml",
        "head/deep/q.hpp",
    ):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(*given: str) -> tuple[str, ...]:
    return read_mechanisms(given)[0]


def test_names_alone_are_read_as_they_are_and_once() -> None:
    assert read_mechanisms(("futex", "std::mutex")) == (("futex", "std::mutex"), ())


def test_a_header_is_called_by_its_stem_or_by_its_class_among_other_names() -> None:
    given, (own,) = read_mechanisms(("sequenced-ring", "./my_queue.hpp"))
    assert given == ("sequenced-ring", "my_queue")
    assert (own.language, own.file, own.chosen) == ("cpp", str(Path("my_queue.hpp").absolute()), "")
    assert names("my_queue.hpp:acme::Fast", "my_queue.hpp:Slow") == ("Fast", "Slow")


def test_two_of_one_name_are_told_apart_by_their_folders() -> None:
    assert names("base/my_queue.hpp", "head/my_queue.hpp") == ("base/my_queue", "head/my_queue")
    assert names("base/deep/q.h", "head/deep/q.h", "my_queue.hpp") == ("base/deep/q", "head/deep/q", "my_queue")
    assert names("base/my_queue.hpp:Q", "head/my_queue.hpp:Q") == ("base/my_queue/Q", "head/my_queue/Q")


@pytest.mark.parametrize(
    "given, called",
    [
        (("my_queue.hpp:a::Queue", "my_queue.hpp:b::Queue"), ("a/Queue", "b/Queue")),
        (("m.jar:com.v1.Queue", "m.jar:com.v2.Queue"), ("v1/Queue", "v2/Queue")),
        (("head/deep/q.h", "head/deep/q.hpp"), ("q.h", "q.hpp")),
        (("head/deep/q.h", "head/deep/q.hpp", "base/deep/q.h"), ("q.h", "q.hpp", "q")),
        (("./my_queue.hpp", "my_queue.hpp", "base/../my_queue.hpp"), ("my_queue",)),
        (("m.jar:Q", "./m.jar:Q"), ("Q",)),
    ],
)
def test_two_files_of_one_folder_are_named_by_their_difference(given: tuple[str, ...], called: tuple[str, ...]) -> None:
    assert names(*given) == called


def test_two_that_nothing_tells_apart_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'m.jar:a.Q' has no name of its own: give its file, or its class, another"):
        names("m.jar:a.Q", "m.jar:a$Q")


def test_a_name_that_threadping_has_is_taken(tmp_path: Path) -> None:
    assert names("./mutex.hpp", "mutex") == (f"{tmp_path.name}/mutex", "mutex")
    assert names("./mutex.hpp") == (f"{tmp_path.name}/mutex",)


def test_a_class_of_a_class_path_is_java() -> None:
    (name,), (own,) = read_mechanisms(("target/classes:lib/x.jar:com.acme.MyQueue",))
    assert (name, own.language, own.file, own.chosen) == (
        "MyQueue",
        "java",
        "target/classes:lib/x.jar",
        "com.acme.MyQueue",
    )


def test_a_folder_with_a_manifest_is_a_crate_and_a_word_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, (own,) = read_mechanisms(("./my_crate", "my_crate"))
    assert given == (f"{tmp_path.name}/my_crate", "my_crate")
    assert (own.language, own.file, own.chosen) == ("rust", str(tmp_path / "my_crate"), "")
    assert names("my_crate:Fast", "./my_crate/:deep::Slow") == ("Fast", "Slow")
    assert names("base/my.crate", "head/my.crate") == ("base/my.crate", "head/my.crate")
    monkeypatch.chdir("my_crate")
    assert names(".") == ("my_crate",)
    assert names(".:mutex") == ("my_crate/mutex",)


@pytest.mark.parametrize(
    "given, sentence",
    [("./gone.hpp", "No header at 'gone.hpp'."), ("base/my_queue", "There is no custom mechanism at 'base/my_queue'")],
)
def test_what_is_not_there_is_refused(given: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_mechanisms((given,))
