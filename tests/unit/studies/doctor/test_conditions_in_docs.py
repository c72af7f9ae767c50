"""The table of planted conditions in docs/doctor.md. `UPDATE_GOLDEN=1 pytest` writes it anew."""

from tests.conftest import ROOT
from tests.golden.test_exports import expect
from tests.unit.studies.doctor.conditions import CONDITIONS, REMARK

PAGE = ROOT / "docs" / "doctor.md"
HEADING = "| planted | found | layer | |\n|---|---|---|---|\n"


def table() -> str:
    lines = (
        f"| {one.name} | `{one.code}` | {one.layer} | {'remark' if one.levels == REMARK else 'finding'} |"
        for one in CONDITIONS
    )
    return HEADING + "\n".join(lines) + "\n"


def test_every_condition_that_is_planted_stands_in_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before = page.partition(HEADING)[0]
    expect(PAGE, before + table())
