"""The picture of a window: the same census gives the same bytes, and everything large enough is named."""

import io
import re
from datetime import UTC, datetime, timedelta

import matplotlib.image
import numpy as np
import pytest

from stratawatch.core.population import NO_BIN, Atom, Census
from stratawatch.engine.model.panel_spec import Window
from stratawatch.report.population_chart import MOST_PATTERNS, draw_atoms

START = datetime(2026, 1, 5, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=7))


def census(*cells):
    """A census of (pattern, bin, count)."""
    patterns, bins, counts = zip(*sorted(cells), strict=True)
    return Census(("lr",), patterns, np.array(bins), np.array(counts))


def collection(svg):
    """The shades, as text."""
    return svg.partition('id="PatchCollection_1"')[2].partition("</g>")[0]


def corners(svg, style):
    """Left and right end of every rectangle of this look."""
    found = re.findall(r'<path d="([^"]*)"[^>]*' + style, svg)
    return [(min(places), max(places)) for places in ([float(x) for x in re.findall(r"[ML] (\S+)", d)] for d in found)]


def shades(svg):
    """Left and right end of every shade."""
    return corners(collection(svg), "")


def caption(svg):
    """The lines below, as one."""
    return " ".join(re.findall(r"font-size: 7.5px[^>]*translate[^>]*>([^<]*)<", svg))


def margin(png):
    """White columns at the right end of a picture."""
    dark = (matplotlib.image.imread(io.BytesIO(png))[:, :, :3] < 0.9).any(axis=(0, 2))
    return int(dark[::-1].argmax())


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
        assert all(f">{text}<" in svg for text in ("3 others", "15.7%", f"{MOST_PATTERNS - 1:06b}"))
        assert "The last row holds the 3 smaller patterns together" in caption(svg)
        assert f">{MOST_PATTERNS:06b}<" not in svg

    def test_small_patterns_without_a_score_are_in_the_last_row_too(self, drawn):
        many = [(f"{number:06b}", 300, 1000) for number in range(MOST_PATTERNS)]
        atoms = [Atom(pattern, 300, 300, size, 0.1) for pattern, _, size in many]
        svg = drawn(census(*many, ("------", NO_BIN, 9)), *atoms, Atom("------", NO_BIN, NO_BIN, 9, None)).decode()
        assert ">1 other<" in svg
        assert len(shades(svg)) == MOST_PATTERNS + 1

    def test_thousands_have_separators(self, drawn):
        many = [(f"{number:011b}", 300, 1) for number in range(1200)]
        svg = drawn(census(*many), *(Atom(pattern, 300, 300, 1, 0.1) for pattern, _, _ in many)).decode()
        assert ">1,184 others<" in svg

    def test_shade_stays_within_its_frame(self, drawn):
        svg = drawn(census(("0", 301, 9), ("0", 302, 5), ("0", 309, 3)), Atom("0", 301, 309, 17, 0.1)).decode()
        (frame,) = corners(svg, "fill: none; stroke: #24292f")
        assert [brick[0] for brick in shades(svg)] == [frame[0], pytest.approx(frame[0] + (frame[1] - frame[0]) / 3)]
        assert shades(svg)[-1][1] == frame[1]

    def test_a_step_is_as_dark_as_it_is_dense(self, drawn):
        """Nine items in the three bins before a brick's end and 24 in the next eight: three a bin in both."""
        svg = drawn(census(("0", 301, 9), ("0", 304, 24)), Atom("0", 301, 311, 33, 0.1)).decode()
        assert len(set(re.findall(r"fill: (#\w{6})", collection(svg)))) == 1

    def test_twenty_classifiers_are_all_named_within_the_picture(self, drawn):
        names = tuple(f"a_rather_long_name_of_number_{number}" for number in range(20))
        counted = Census(names, ("0" * 20,), np.array([300]), np.array([1000]))
        atom = Atom("0" * 20, 300, 300, 1000, 0.1)
        told = caption(drawn(counted, atom).decode())
        assert f"{', '.join(names)}: 1 yes, 0 no, - nothing. Frames are atoms" in told
        assert margin(drawn(counted, atom, name="atoms.png")) > 10
