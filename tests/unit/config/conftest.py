"""A configuration that is right, and ways to break it."""

import os

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems

RIGHT = """\
[store]
url = "sqlite:///stratawatch.db"

[queue]
root = "queue"

[panels.spam]
question = "Is it spam?"
guideline = "Spam is what nobody asked for."
seed = "s1"
budget = 120
deadline = "3d"

[panels.spam.source]
kind = "files"
path = "predictions/*.parquet"

[panels.spam.columns]
item = "id"
time = "at"
payload = ["text"]
segments = ["country"]

[panels.spam.schedule]
start = 2026-01-05T00:00:00Z
every = "7d"

[panels.spam.classifiers.lr]
score = "score_lr"
call = "pred_lr"

[panels.spam.classifiers.rf]
score = "score_rf"
cut_off = 0.6

[[panels.spam.goals]]
metric = "precision"
margin = 0.05

[[panels.spam.limits]]
metric = "precision"
floor = 0.8
classifiers = ["lr"]
"""


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in os.environ:
        if name.upper().startswith("STRATAWATCH"):
            monkeypatch.delenv(name)


@pytest.fixture
def write(tmp_path):
    """Write a configuration: the right one with replacements, and lines added at the end."""

    def writing(*changes: tuple[str, str], more: str = "", text: str = RIGHT):
        for old, new in changes:
            assert old in text, f"the right configuration has no {old!r}"
            text = text.replace(old, new, 1)
        path = tmp_path / "stratawatch.toml"
        path.write_text(text + more, encoding="utf-8")
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
