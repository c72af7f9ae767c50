"""Commands that are proposed name the store that was named, and can be typed as they stand."""

import pytest

from tests.commands import commands_in, parsed
from threadping.cli.app import PROGRAM
from threadping.model.cases import Runtime
from threadping.model.proposals import STORELESS, keep_store, made_literal, proposed
from threadping.options.shared import LOCATION
from threadping.studies.fleet.command import checked


def test_a_command_names_the_store_that_was_named() -> None:
    assert proposed("show", "7") == "threadping show 7"
    keep_store("my runs.db")
    assert proposed("show", "7") == "threadping show 7 --store 'my runs.db'"
    assert parsed(proposed("show", "7")).params["location"] == "my runs.db"
    assert proposed("ping", "0,1") == "threadping ping 0,1", "it has no store"
    assert made_literal("`threadping advise --help` lists them") == "`threadping advise --help` lists them"
    keep_store(None)
    assert proposed("show", "7") == "threadping show 7"


def test_no_command_tells_the_password_of_a_store() -> None:
    keep_store("postgresql://me:se:cr@et@host/db")
    assert proposed("show") == "threadping show --store postgresql://me@host/db"


def test_only_the_option_is_kept_and_not_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADPING_STORE", "environment.db")
    assert parsed("threadping show").params["location"] == "environment.db"
    assert proposed("show") == "threadping show"
    parsed("threadping show --store named.db")
    assert proposed("show") == "threadping show --store named.db"


def test_a_command_of_another_host_has_no_store_of_ours() -> None:
    parsed("threadping fleet resume last --store fleet.db")
    checked(["signal", "--budget", "2s"])
    assert proposed("fleet", "resume", "1") == "threadping fleet resume 1 --store fleet.db"


def test_the_commands_without_a_store_are_those_that_have_no_such_option() -> None:
    without = {name for name, one in PROGRAM.commands.items() if LOCATION not in one.params}
    assert without == {*STORELESS, "fleet"}, "each command of fleet has one of its own"


def test_a_text_is_literal_with_a_run_or_the_newest() -> None:
    text = "See `threadping show RUN --trials`; `threadping ping A,B` too, and `RUN`."
    assert made_literal(text, 7) == "See `threadping show 7 --trials`; `threadping ping A,B` too, and `RUN`."
    assert "`threadping show last --trials`" in made_literal(text)
    keep_store("x.db")
    assert made_literal(made_literal(text, 7)) == made_literal(text, 7)
    assert made_literal("`threadping 'unbalanced`") == "`threadping 'unbalanced`"


def test_a_runtime_is_found_by_its_label_unless_it_was_named_by_a_path() -> None:
    def is_found(label: str, probe: str, program: str = "/probes/threadping-probe") -> bool:
        return Runtime(label, probe, (program,), "").is_found

    assert is_found("cpp", "cpp") and is_found("cpp -march=native", "cpp") and is_found("java-17 -Xint", "java")
    assert is_found("rust", "rust", "/probes/threadping-probe-rust") and is_found("java-17", "java", "/jdk/bin/java")
    assert not is_found("mine", "cpp") and not is_found("java-17-Fake -Xint", "java")
    assert not is_found("probe", "probe") and not is_found("probe-2", "probe")
    assert not is_found("cpp-2", "cpp", "/dir/cpp") and not is_found("rust", "rust", "/dir/rust")


def test_commands_are_found_in_what_is_printed() -> None:
    text = "also: a · threadping explain a 1\nNext:  threadping show 1 --outliers  why\nSee `threadping show\nlast`."
    assert [*commands_in(text)] == ["threadping show last", "threadping explain a 1", "threadping show 1 --outliers"]
