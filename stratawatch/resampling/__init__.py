"""Baselines of a scikit-learn classifier from labelled data, by resampling; cycles do not use it."""

from stratawatch.resampling.methods import METHODS
from stratawatch.resampling.resampled_baselines import ResampledBaselines, measure_baselines

__all__ = ["METHODS", "ResampledBaselines", "measure_baselines"]
