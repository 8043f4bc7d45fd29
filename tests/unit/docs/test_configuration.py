"""The configuration of the README is one that loads, and knows no key that the full example does not show."""

import re
import tomllib
from pathlib import Path

import pytest

from stratawatch.config.loading import load_configuration

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "stratawatch/config/template.toml"


def readme_example() -> str:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    return blocks[0]


def keys(value, place=()):
    """Every key path; lists and named tables count by what is in them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            named = "*" if place[-1:] in (("panels",), ("classifiers",)) else key
            yield (*place, named)
            yield from keys(inner, (*place, named))
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, place)


@pytest.fixture
def loaded(tmp_path):
    path = tmp_path / "stratawatch.toml"
    path.write_text(readme_example(), encoding="utf-8")
    return load_configuration(path)


def test_it_loads_into_the_panel_it_describes(loaded):
    panel = loaded.panels["toxicity"]
    assert [classifier.name for classifier in panel.classifiers] == ["lr", "trees"]
    assert (panel.budget, panel.columns.payload, panel.columns.segments) == (900, ("text",), ("country",))
    assert [(goal.metric, goal.margin) for goal in panel.goals] == [("precision", 0.03)]
    assert [(limit.metric, limit.floor, limit.ceiling, limit.classifiers) for limit in panel.limits] == [
        ("precision", 0.80, None, ()),
        ("recall", 0.60, None, ("lr",)),
        ("false_omission_rate", None, 0.02, ()),
    ]


def test_its_keys_are_keys_of_the_full_example():
    ours = set(keys(tomllib.loads(readme_example())))
    theirs = set(keys(tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))))
    assert ours <= theirs


def test_what_both_set_they_set_alike():
    """Two examples that contradict each other teach nothing."""
    ours, theirs = tomllib.loads(readme_example()), tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    ours, theirs = ({**data, **data.pop("panels")["toxicity"]} for data in (ours, theirs))
    for key in ("store", "queue", "report", "question", "seed", "budget", "deadline", "source"):
        assert ours[key] == theirs[key], key
