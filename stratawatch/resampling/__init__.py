"""Baselines from a scikit-learn estimator and labelled data, by resampling. Nothing here runs in a cycle."""

from stratawatch.resampling.measure import Measured, measure_baselines
from stratawatch.resampling.methods import METHODS

__all__ = ["METHODS", "Measured", "measure_baselines"]
