"""A probe of another build is named as such, whatever else it says."""

from pathlib import Path

import pytest

from threadping.model.cases import Runtime
from threadping.model.errors import ProbeUnusable
from threadping.probes.description import describe, read_topology
from threadping.probes.trial import other_schema

DEEP = '{"schema": 1, "deep": ' + 100_000 * "["
REMEDY = "they come from different builds. Build it anew with `make setup`, or reinstall threadping."


@pytest.mark.parametrize(
    ("raw", "spoken"),
    [
        ('{"schema": 1, "probe": "cpp"}', 1),
        ('{"schema": 1', None),
        ('{"probe": {"schema": 2}, "schema": 5}', 5),
        (b'{"schema":1,"error":{"code":"bad-request","message":"schema: 2 instead of 1"}}', 1),
        *((raw, None) for raw in ('{"schema": 4}', '{"probe": "cpp"}', '{"schema": "1"}', b"\xff", "[]", DEEP)),
    ],
)
def test_another_version_is_distinguished_from_ours_and_from_no_message(raw: str | bytes, spoken: int | None) -> None:
    expected = spoken and f"speaks schema {spoken} of the contract, threadping speaks 4: {REMEDY}"
    assert other_schema(raw) == expected


@pytest.mark.parametrize("ask", [describe, read_topology])
def test_what_is_nested_deeply_is_read_by_nobody(tmp_path: Path, ask: object) -> None:
    (tmp_path / "said").write_text('{"schema": 4, "deep": ' + 20_000 * "[" + "\n")
    with pytest.raises(ProbeUnusable, match="in words that this threadping cannot read"):
        ask(Runtime("cpp", "cpp", ("sh", "-c", f"cat {tmp_path / 'said'}"), ""))  # type: ignore[operator]


@pytest.mark.parametrize("ask", [describe, read_topology])
def test_a_probe_of_another_version_is_named_with_the_remedy(tmp_path: Path, ask: object) -> None:
    probe = tmp_path / "probe"
    probe.write_text("#!/bin/sh\necho 'Picked up JAVA_TOOL_OPTIONS'\necho '{\"schema\": 1, \"cpu_cost\": 0}'\n")
    probe.chmod(0o755)
    with pytest.raises(ProbeUnusable) as caught:
        ask(Runtime("java-17", "java", (str(probe),), ""))  # type: ignore[operator]
    sentence = f"Runtime java-17: its probe speaks schema 1 of the contract, threadping speaks 4: {REMEDY}"
    assert (str(caught.value), caught.value.exit_code) == (sentence, 1)
