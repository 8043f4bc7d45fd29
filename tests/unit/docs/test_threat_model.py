"""Every attack that the threat model names is tried by a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def test_every_named_test_exists():
    missing = [
        f"{path}::{name}"
        for path, name in NAMED
        if not (ROOT / path).exists() or not re.search(rf"def {name}\(", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert len(NAMED) > 40
    assert missing == []


def test_every_attack_has_one():
    rows = [line for line in PAGE.partition("## Label files")[2].splitlines() if line.startswith("| ")]
    attacks = [row for row in rows if not row.startswith(("| attack |", "|---"))]
    assert [row for row in attacks if "`tests/" not in row] == []
