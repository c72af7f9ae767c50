"""What a probe's timed loops became, as the build wrote it beside its program."""

from pathlib import Path

import pytest

from threadping.model.cases import OwnMechanism, Runtime
from threadping.probes.builds import loops_of

OWN = OwnMechanism("mine", "mine.hpp", ("mine",), "d" * 16, "g++")


def runtime(folder: Path, *command: str) -> Runtime:
    return Runtime("cpp", "cpp", (*command, str(folder / "probe")), "fake 1", own=(OWN,))


def test_a_digest_is_a_mechanisms_or_that_of_its_experiment_and_none_of_a_users_own(tmp_path: Path) -> None:
    (tmp_path / "probe.loops.json").write_text('{"signal steady": "aa", "lock": "bb"}')
    for one in (runtime(tmp_path), runtime(tmp_path, "java", "-jar")):
        loops = loops_of(one)
        assert [loops.of("signal", name) for name in ("steady", "slow", "mine")] == ["aa", "", ""]
        assert [loops.of("lock", name) for name in ("steady", "slow", "mine")] == ["bb", "bb", ""]
        assert loops.of("ring", "steady") == ""


def test_loops_that_an_option_brings_have_a_digest_behind_the_others(tmp_path: Path) -> None:
    digests = '{"lock --writers": "dd", "lock": "cc", "signal a": "aa", "signal a --writers": "bb", "signal a-b": "x"}'
    (tmp_path / "probe.loops.json").write_text(digests)
    loops = loops_of(runtime(tmp_path))
    assert (loops.of("signal", "a"), loops.of("lock", "a"), loops.of("signal", "b")) == ("aa bb", "cc dd", "")


@pytest.mark.parametrize("content", [None, b"", b"[]", b'{"signal steady": 7}', b"\xff", b"{" * 100_000])
def test_of_a_program_that_nothing_readable_stands_beside_nothing_is_known(
    content: bytes | None, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "probe.loops.json").write_bytes(content)
    assert loops_of(runtime(tmp_path)).of("signal", "steady") == ""
