import doctest
from importlib import import_module

import pytest

MODULES = ("stratum_quotas", "single_scan", "json_values", "quoting", "packed_codes")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"stratawatch.adapters.sources.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
