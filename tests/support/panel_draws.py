"""Draws of one panel, by the items of every pattern."""

import numpy as np

from stratawatch.literature.tripathi.mixing import UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns

PANEL = CallPatterns.of(["000", "100", "110", "111", "011", "001"], np.array([800, 10, 40, 90, 20, 5]), 3)


def draw(lengths=(60, 60, 60), parent=1, mixing=UNIFORM_SHUFFLE, seed=1, patterns=PANEL):
    return draw_panel(patterns, np.array(lengths), parent, np.random.default_rng(seed), mixing)


def patterns_of(calls):
    """The patterns of items in memory (a row an item, a column a classifier), and the row of each item's pattern."""
    names = ["".join("01"[int(call)] for call in row) for row in calls]
    patterns = CallPatterns.of(names, np.ones(len(names), dtype=np.int64), calls.shape[1])
    return patterns, np.array([patterns.names.index(name) for name in names], dtype=np.int64)


def rows_of(draw, cells, numbers):
    """The row of every item of a draw, given each row's pattern and permanent random number."""
    starts, first = (np.cumsum(sizes) - sizes for sizes in (draw.patterns.sizes, draw.totals))
    places = np.repeat(starts - first, draw.totals) + np.arange(draw.labels)
    return np.lexsort((numbers, cells))[places]
