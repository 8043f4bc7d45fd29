"""A project of Label Studio for each test."""

import pytest

from tests.support.label_studio import LabelStudioBackend


@pytest.fixture
def backend(tmp_path):
    return LabelStudioBackend(tmp_path / "queue")
