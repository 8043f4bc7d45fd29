"""The examples in the docstrings of the core are true."""

import doctest
import importlib
import pkgutil

import pytest

import stratawatch.core

MODULES = [info.name for info in pkgutil.walk_packages(stratawatch.core.__path__, "stratawatch.core.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    found = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in MODULES]
    assert sum(bool(example.examples) for module in found for example in module) >= 8
