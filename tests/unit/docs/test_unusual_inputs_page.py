"""The page on unusual inputs has the lines that `check` is held against; they are written by the module that has them."""

from pathlib import Path

from tests.support.unusual_inputs import PAGE, UNUSUAL, page


def test_is_what_its_module_writes():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.support.unusual_inputs writes it anew"


def test_has_sixty_lines_and_no_two_alike():
    assert len({one.typed for one in UNUSUAL}) == len(UNUSUAL) >= 60


def test_lies_where_the_other_pages_are():
    assert Path("docs/unusual-inputs.md").parts == PAGE.parts[-2:]
