"""Labelled items for fitting, and a rule that is quick to fit."""

import numpy as np
from sklearn.linear_model import LogisticRegression

RULE = LogisticRegression()


def items(n=120, prevalence=0.4, seed=3):
    """Two features, of which the first tells the classes apart; labels 1 and 0, each of them at least ten times."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(round(n * prevalence)), np.zeros(n - round(n * prevalence))].astype(int)
    return rng.normal(size=(n, 2)) + np.c_[1.2 * y, 0 * y], y
