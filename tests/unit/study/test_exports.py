"""Notebooks import from `stratawatch` itself; the command line does not pay for that."""

import subprocess
import sys

import pytest

import stratawatch


@pytest.mark.parametrize("name", stratawatch.__all__)
def test_every_name_is_there(name):
    assert getattr(stratawatch, name).__name__ == name
    assert name in dir(stratawatch)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Sturdy'"):
        stratawatch.Sturdy  # noqa: B018


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import stratawatch", ("numpy", "pandas", "scipy")),
        ("from stratawatch import Goal, Study", ("pandas", "pyarrow", "polars", "scipy", "stratawatch.engine")),
    ],
)
def test_nothing_heavy_is_loaded(code, heavy):
    program = f"import sys\n{code}\nprint('loaded:', *[name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "loaded:"
