import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["truth", "stage"])
def test_examples_in_docstrings_are_true(name):
    result = doctest.testmod(import_module(f"stratawatch.demo.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
