from collections.abc import Callable
from pathlib import Path

import pytest

from threadping import extras
from threadping.errors import ExtraMissing
from threadping.views.charts import check_chart
from threadping.views.export.as_hdr import histogram


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: check_chart(Path("/nowhere/chart.svg")),
            "Charts need nothing_jinja2 and nothing_vl_convert, which not every machine has: "
            "pip install 'threadping[charts]'.",
        ),
        (
            lambda: histogram([]),
            "HdrHistogram's formats need nothing_hdrh, which not every machine has: "
            "pip install 'threadping[hdrhistogram]'.",
        ),
    ],
)
def test_what_is_not_installed_is_one_sentence(
    ask: Callable[[], object], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = {extra: tuple(f"nothing_{module}" for module in modules) for extra, modules in extras.EXTRAS.items()}
    monkeypatch.setattr(extras, "EXTRAS", lacking)
    with pytest.raises(ExtraMissing) as missing:
        ask()
    assert str(missing.value) == sentence
