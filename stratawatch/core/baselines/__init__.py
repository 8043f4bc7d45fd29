"""Baselines: what a classifier's metrics were on labelled data, with the uncertainty of that.

From labelled predictions (`labelled`), from estimates of past windows (`baseline_from_estimates`), or from many fits
(`resampled`); `drop` compares a baseline with a present estimate.
"""
