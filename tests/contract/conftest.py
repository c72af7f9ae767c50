"""Assertions in the shared checks of real probes explain themselves."""

import pytest

pytest.register_assert_rewrite("tests.contract.real_probes")
