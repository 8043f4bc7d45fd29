"""Stratawatch: precision, recall and false-omission rate of deployed classifiers from few human labels."""

__version__ = "0.1.0"
