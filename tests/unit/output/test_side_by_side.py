"""Runs side by side: what each run's fields are called."""

from threadping.output.run_records import side_by_side_sheet


def test_the_keys_of_many_runs_are_letters() -> None:
    keys = [field.key for field in side_by_side_sheet([], ["run"] * 28).fields if field.key]
    assert keys[-4:] == ["aa", "aa_to_a", "ab", "ab_to_a"]
