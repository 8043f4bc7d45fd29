"""The examples in the docstrings of the study are true."""

import doctest
import importlib
import pkgutil

import pytest

import stratawatch.study

MODULES = [info.name for info in pkgutil.walk_packages(stratawatch.study.__path__, "stratawatch.study.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
