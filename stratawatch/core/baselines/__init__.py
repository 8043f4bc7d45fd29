"""Baselines: what a classifier's metrics were on labelled data, with the uncertainty of that.

From labelled predictions (`labelled`), from estimates of past windows (`baseline_from_estimates`), or from many fits
(`held_out_predictions`); `drop` compares a baseline with a present estimate.
"""
