"""Baselines from a scikit-learn estimator and labelled data, by resampling. Nothing here runs in a cycle."""

from stratawatch.baselines.measure import Measured, measure_baselines
from stratawatch.baselines.methods import METHODS

__all__ = ["METHODS", "Measured", "measure_baselines"]
