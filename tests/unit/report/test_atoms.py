"""The picture of a window: the same census gives the same bytes, and everything large enough is named."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from stratawatch.core.population import NO_BIN, Atom, Census
from stratawatch.engine.records import Window
from stratawatch.report.atoms import MOST_PATTERNS, draw_atoms

START = datetime(2026, 1, 5, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=7))


def census(*cells):
    """A census of (pattern, bin, count)."""
    patterns, bins, counts = zip(*sorted(cells), strict=True)
    return Census(("lr",), patterns, np.array(bins), np.array(counts))


@pytest.fixture
def drawn(tmp_path):
    def draw(counted, *atoms, name="atoms.svg"):
        draw_atoms(tmp_path / name, "spam", WINDOW, counted, atoms)
        return (tmp_path / name).read_bytes()

    return draw


TWO = census(("0", 300, 90), ("1", 700, 10))
ATOMS = (Atom("0", 280, 320, 90, 0.1, stratum=7), Atom("1", 690, 710, 10, 0.9, stratum=8))


class TestDrawAtoms:
    def test_patterns_shares_and_strata_can_be_read(self, drawn):
        svg = drawn(TWO, *ATOMS).decode()
        assert "spam, 2026-01-05 to 2026-01-12: 100 items" in svg
        assert all(f">{text}<" in svg for text in ("90.0%", "10.0%", "7", "8", "0.1", "0.5", "0.9"))

    @pytest.mark.parametrize("name", ["atoms.svg", "atoms.png"])
    def test_the_same_census_gives_the_same_bytes(self, drawn, name):
        assert drawn(TWO, *ATOMS, name=name) == drawn(TWO, *ATOMS, name=name)

    def test_items_without_a_score_stand_apart(self, drawn):
        unscored = Atom("-", NO_BIN, NO_BIN, 5, None, stratum=9)
        assert ">none<" not in drawn(TWO, *ATOMS).decode()
        assert ">none<" in drawn(census(("0", 300, 90), ("-", NO_BIN, 5)), ATOMS[0], unscored).decode()
        assert ">none<" in drawn(census(("-", NO_BIN, 5)), unscored).decode()

    def test_small_patterns_are_counted_together(self, drawn):
        many = [(f"{number:06b}", 300, 1000 - number) for number in range(MOST_PATTERNS + 3)]
        atoms = [Atom(pattern, 300, 300, size, 0.1) for pattern, _, size in many]
        svg = drawn(census(*many), *atoms).decode()
        assert "3 more patterns hold 15.7% of the items" in svg
        assert f">{MOST_PATTERNS:06b}<" not in svg
