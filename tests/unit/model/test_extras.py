from collections.abc import Callable

import pytest

from tests.golden.fixture import ANSWER
from threadping.model import errors
from threadping.model.errors import ExtraMissing
from threadping.options import measuring as commands
from threadping.output.run_records import hlog

CHARTS = "Charts need nothing_jinja2 and nothing_vl_convert, which not every machine has: pip install "
FORMATS = (
    "HdrHistogram's formats need nothing_hdrh, which not every machine has: pip install 'threadping[hdrhistogram]'."
)


def measuring(*arguments: str) -> Callable[[], object]:
    """Read these options, before anything is measured."""
    return lambda: commands.measuring("signal").make_context("signal", [*arguments])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (measuring("-o", "/nowhere/chart.svg"), CHARTS + "'threadping[charts]'."),
        (measuring("--format", "hlog"), FORMATS),
        (measuring("-o", "/tmp/run.hlog"), FORMATS),
        (lambda: hlog(ANSWER, False), FORMATS),
    ],
)
def test_what_is_not_installed_is_one_sentence(
    ask: Callable[[], object], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = {extra: tuple(f"nothing_{module}" for module in modules) for extra, modules in errors.EXTRAS.items()}
    monkeypatch.setattr(errors, "EXTRAS", lacking)
    with pytest.raises(ExtraMissing) as missing:
        ask()
    assert str(missing.value) == sentence
