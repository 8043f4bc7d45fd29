"""Draws of one panel, by the items of every pattern."""

import numpy as np

from stratawatch.literature.tripathi.call_patterns import CallPatterns
from stratawatch.literature.tripathi.mixing import UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.panel_draw import draw_panel

PANEL = CallPatterns.of(["000", "100", "110", "111", "011", "001"], np.array([800, 10, 40, 90, 20, 5]), 3)


def draw(wanted=(60, 60, 60), parent=1, option=UNIFORM_SHUFFLE, seed=1, patterns=PANEL):
    return draw_panel(patterns, np.array(wanted), parent, np.random.default_rng(seed), option)
