"""The exit code of a budget that is too small: before anything was done, and after a mechanism was built."""

from contextlib import nullcontext
from typing import Any

import pytest

from threadping.conduct import conduct as module
from threadping.conduct.environment import Environment
from threadping.model.cases import Runtime
from threadping.model.errors import BudgetTooSmall, ThreadpingError, UsageError
from threadping.probes.runtimes import Found


class TooSmall:
    def __init__(self, *built: str) -> None:
        self.built = built

    def prepare(self, _asked: object, environment: Environment) -> None:
        environment.built.extend(self.built)
        raise BudgetTooSmall("A budget of 4 s is too small.")


@pytest.mark.parametrize(("built", "code"), [((), 2), (("./mine.hpp",), 1)])
def test_a_budget_is_wrong_usage_only_before_anything_is_built(
    built: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpp = Runtime("cpp", "cpp", ("/probe",), "")
    monkeypatch.setattr(module, "check_format", lambda *_: None)
    monkeypatch.setattr(module, "find_runtimes", lambda _: Found((cpp,), ()))
    monkeypatch.setattr(module, "machine_lock", lambda **_: nullcontext())
    study: Any = TooSmall(*built)
    output: Any = None
    with pytest.raises(ThreadpingError, match="too small") as error:
        module.conduct(study, None, output, anyway=True)
    assert (error.value.exit_code, isinstance(error.value, UsageError)) == (code, code == 2)
