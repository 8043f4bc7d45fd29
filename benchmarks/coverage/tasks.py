"""Which populations are simulated, with how many labels, and how."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from benchmarks.coverage.findings import Found
from benchmarks.coverage.panels import PANELS
from benchmarks.coverage.persistence import simulate_persisting
from benchmarks.coverage.population import Family
from benchmarks.coverage.simulation import Task, simulate
from benchmarks.coverage.singles import SINGLES

LABELS: Final = (100, 300, 1000)
FIXED: Final[tuple[Family, ...]] = (*SINGLES, *PANELS)
_FIXED_SEED: Final = 1934
PERSISTING: Final = {"a past": 0.0, "50% persist": 0.5, "75% persist": 0.75}
GROUPS: Final = ("fixed", "fresh", *PERSISTING)
SECOND_LABELS: Final = (300, 1000)
"""Numbers of labels that make a history."""
SECOND: Final = (
    "overconfident",
    "clustered errors",
    "hidden misses",
    "panel of four",
    "panel, rare positives",
    "panel, hard positives",
)
"""Populations that live through a second period."""


def tasks_of(seed: int, runs: int, groups: Sequence[str]) -> Iterator[Task]:
    """Fixed populations do not depend on the seed; their draws do."""
    for number, family in enumerate(FIXED):
        for labels in LABELS:
            if "fixed" in groups:
                yield Task("fixed", family, labels, runs, (_FIXED_SEED, number), seed)
    for number, family in enumerate(FIXED):
        fresh = family.fresh(np.random.default_rng([seed, number]))
        for labels in LABELS:
            if "fresh" in groups:
                yield Task("fresh", fresh, labels, runs, (seed, number), seed)
    for group, share in PERSISTING.items():
        for number, family in enumerate(FIXED):
            for labels in SECOND_LABELS:
                if group in groups and family.name in SECOND:
                    yield Task(group, family, labels, runs, (_FIXED_SEED, number), seed, share)


def simulated(task: Task) -> Found:
    """One period, or two."""
    return simulate(task) if task.persisting is None else simulate_persisting(task)
