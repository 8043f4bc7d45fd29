"""Estimates as they are put into MLflow."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

KEY: Final = "stratawatch.key"
"""The tag by which a run is known again."""
PANEL: Final = "stratawatch.panel"


@dataclass(frozen=True)
class RunMetric:
    """One number of a run; `step` is the number of its window."""

    name: str
    value: float
    at: datetime
    step: int


@dataclass(frozen=True)
class MlflowRun:
    """A run as it is to be."""

    key: str
    name: str
    panel: str
    tags: Mapping[str, str]
    metrics: tuple[RunMetric, ...]
    began: datetime
    ended: datetime
