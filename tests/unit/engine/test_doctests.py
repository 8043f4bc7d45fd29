import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["engine.model.idempotency_keys", "folder_names"])
def test_examples_hold(name):
    result = doctest.testmod(import_module(f"stratawatch.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
