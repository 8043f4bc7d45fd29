"""Baselines: how good a classifier was where its labels were known, and how sure of that one can be.

From labelled predictions (`labelled`, `drawn_apart`) or from resampling (`resampled`); `drop` sets them beside today.
"""
