"""What every host of a fleet is sent."""

import pytest

from threadping.model.errors import UsageError
from threadping.studies.fleet.command import checked

WORDS = ["signal", "--budget", "1s", "--mechanism", "steady"]


def test_hosts_are_sent_the_words_whole_and_run_where_no_command_is_named() -> None:
    assert checked(WORDS) == (WORDS, 1.0)
    assert checked(["--budget", "2s"]) == (["run", "--budget", "2s"], 2.0)


@pytest.mark.parametrize("option", [["--format", "json"], ["--strict"], ["--store", "x.db"]])
def test_what_is_made_of_one_hosts_run_is_refused(option: list[str]) -> None:
    with pytest.raises(UsageError, match=f"{option[0]} is for the run of one host: leave it out of a fleet's"):
        checked([*WORDS, *option])
