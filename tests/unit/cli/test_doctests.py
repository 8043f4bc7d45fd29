"""Examples in docstrings are true."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import stratawatch.cli as room

MODULES = [module.name for module in pkgutil.iter_modules(room.__path__) if module.name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(import_module(f"{room.__name__}.{name}")).failed == 0
