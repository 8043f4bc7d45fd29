"""Baselines from a scikit-learn estimator and labelled data, by resampling. Nothing here runs in a cycle."""

from stratawatch.resampling.measure import ResampledBaselines, measure_baselines
from stratawatch.resampling.methods import METHODS

__all__ = ["METHODS", "ResampledBaselines", "measure_baselines"]
