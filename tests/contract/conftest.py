"""What is asserted of every real probe says what it found."""

import pytest

pytest.register_assert_rewrite("tests.contract.real_probes")
