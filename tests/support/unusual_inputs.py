"""Wrong and unusual inputs and settings, and the page docs/unusual-inputs.md, which shows the same lines.

What is said is a part of the answer, word by word.
"""

from pathlib import Path
from typing import Final

from tests.support.unusual.changes import CHANGES
from tests.support.unusual.data import DATA
from tests.support.unusual.one_input import UnusualInput
from tests.support.unusual.settings import SETTINGS

UNUSUAL: Final[tuple[UnusualInput, ...]] = (*DATA, *SETTINGS, *CHANGES)
PAGE: Final = Path(__file__).parents[2] / "docs" / "unusual-inputs.md"
_TOP: Final = """\
# Unusual inputs and wishes

What `stratawatch check` says of data and configurations that are wrong or rare. What it says is a part of its answer, word by word: each line is
tried on an installation with 2,000 rows of two classifiers, `lr` with a column of calls and `rf` with a cut-off of 0.6. Where the status is 1, `plan`
and `advance` would refuse the same; where it is 0, they go on. [Every key](../stratawatch/config/template.toml) and [the input](input.md) say more.
"""
_PARTS: Final = (
    ("The data", "the data", DATA),
    ("The configuration", "typed", SETTINGS),
    ("What changed since the newest cycle", "changed", CHANGES),
)


def page() -> str:
    """The page docs/unusual-inputs.md."""
    parts = [_TOP]
    for title, what, cases in _PARTS:
        lines = [f"| {what} | what is said | status |", "|---|---|---|"]
        lines += [f"| {_cell(one.typed)} | {_cell(one.said)} | {0 if one.fine else 1} |" for one in cases]
        parts.append(f"## {title}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
