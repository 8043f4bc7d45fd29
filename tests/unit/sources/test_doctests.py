import doctest
from importlib import import_module
from pathlib import Path

import pytest

from stratawatch.adapters import sources

MODULES = sorted(path.stem for path in Path(sources.__path__[0]).glob("*.py") if ">>> " in path.read_text("utf-8"))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"stratawatch.adapters.sources.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
