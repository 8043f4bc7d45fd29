"""Baselines: how good a classifier was where its labels were known, and how sure of that one can be.

From labelled predictions (`labelled`), from estimates of past windows (`past_estimates`), or from many fits
(`resampled`); `drop` sets one beside today.
"""
