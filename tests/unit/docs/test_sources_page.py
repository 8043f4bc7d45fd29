"""The tables of docs/sources.md, put into the example, are configurations that load."""

import re
import tomllib
from pathlib import Path

import pytest

from stratawatch.adapters.sources import REGISTRY
from stratawatch.config.settings import Settings
from tests.support.predictions.golden_draw import DIALECTS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/sources.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "stratawatch/config/template.toml"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_is_right(block):
    data = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    data["panels"]["toxicity"] |= tomllib.loads(block)["panels"]["toxicity"]
    panel = Settings(**data).panels["toxicity"]
    assert set(panel.classifiers) == {"lr", "trees"}


def test_there_are_blocks_of_all_that_needs_explaining():
    assert len(BLOCKS) == 10


def test_every_kind_of_source_and_every_dialect_is_named():
    assert [kind for kind in REGISTRY if f'| `"{kind}"` |' not in PAGE] == []
    assert [name for name in DIALECTS if name not in PAGE.casefold()] == []
