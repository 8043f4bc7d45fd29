"""A label page for each test."""

import pytest

from tests.support.label_pages import Page


@pytest.fixture
def page(tmp_path):
    return Page(tmp_path / "queue")
