import pytest

from threadping.conduct import environment
from threadping.model.cases import Runtime
from threadping.model.errors import ProbeUnusable
from threadping.probes.description import Described

JAVA = Runtime("java-17 \x1b[31m[red]", "java", ("java", "-jar", "probe.jar"), "")


def test_what_is_said_before_an_archive_is_made_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    environment._tell_making(JAVA)
    assert " ".join(capsys.readouterr().err.split()).startswith("java-17 \\x1b[31m[red]: archiving the classes of its")


def test_a_runtime_that_does_not_answer_is_asked_once_and_has_no_archive_made(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Runtime] = []

    def unusable(wanted: list[Runtime]) -> list[Described | ProbeUnusable]:
        asked.extend(wanted)
        return [ProbeUnusable("It hangs.") for _ in wanted]

    monkeypatch.setattr("threadping.probes.description.describe_each", unusable)
    monkeypatch.setattr(environment, "_tell_making", pytest.fail)
    described, errors = environment.describe_each([JAVA], prepare=True)
    assert (described, [str(error) for error in errors.values()], len(asked)) == ([], ["It hangs."], 1)
