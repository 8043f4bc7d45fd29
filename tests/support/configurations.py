"""A configuration that is right, for tests to change line by line, and an environment that says nothing more."""

import os

import pytest

PANEL = """\
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
"""
RIGHT = f"""\
[store]
url = "sqlite:///stratawatch.db"

[queue]
root = "queue"

{PANEL}
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


def changed(text: str, *changes: tuple[str, str]) -> str:
    """A configuration with replacements, each of which must find its place."""
    for old, new in changes:
        assert old in text, f"the configuration has no {old!r}"
        text = text.replace(old, new, 1)
    return text


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in os.environ:
        if name.upper().startswith("STRATAWATCH"):
            monkeypatch.delenv(name)
