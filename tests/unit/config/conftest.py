"""A configuration that is right, and ways to break it."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems
from tests.support.configurations import RIGHT, _clean_environment, changed  # noqa: F401


@pytest.fixture
def write(tmp_path):
    """Write a configuration: the right one with replacements, and lines added at the end."""

    def writing(*changes: tuple[str, str], more: str = "", text: str = RIGHT):
        path = tmp_path / "stratawatch.toml"
        path.write_text(changed(text, *changes) + more, encoding="utf-8")
        return path

    return writing


@pytest.fixture
def problems(write):
    """The problems of a changed configuration, as text."""

    def finding(*changes: tuple[str, str], more: str = "") -> list[str]:
        with pytest.raises(ConfigProblems) as caught:
            load_configuration(write(*changes, more=more))
        return [str(problem) for problem in caught.value.problems]

    return finding


@pytest.fixture
def problem(problems):
    """The one problem of a changed configuration, as text."""

    def finding(*changes: tuple[str, str], more: str = "") -> str:
        (found,) = problems(*changes, more=more)
        return found

    return finding
