"""What a newcomer reads of the README is in words that an engineer knows; where the others stand is said."""

from pathlib import Path

from tests.support.method_words import method_words_in

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = README[: README.index("## What was measured")]


def test_the_readme_begins_without_words_of_the_method():
    assert method_words_in(FIRST) == []


def test_it_says_where_they_stand():
    assert "`--method`" in FIRST
    assert '"How this was counted"' in FIRST


def test_no_paragraph_stops_a_newcomer():
    """Above the figures a paragraph has eight lines at most."""
    text = FIRST.split("```")[::2]
    paragraphs = [part for one in text for part in one.split("\n\n") if not part.lstrip().startswith(("|", "-"))]
    assert max(len(part.strip().splitlines()) for part in paragraphs) <= 8
