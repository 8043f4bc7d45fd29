"""Labelled items as flags."""

import numpy as np


def flags(*counts):
    """Calls and truth with so many true and false positives, false and true negatives."""
    calls = np.repeat([True, True, False, False], counts)
    return calls, np.repeat([True, False, True, False], counts)
