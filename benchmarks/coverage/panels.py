"""Populations of a panel: classifiers that see one signal, each with noise of its own."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.coverage.distortions import DISTORTIONS
from benchmarks.coverage.population import Flags, Items, Letters
from benchmarks.coverage.shapes import expit
from stratawatch.core.population import NEGATIVE, POSITIVE, UNSCORED, Floats

_CLUSTERS: Final = 120
_HARD: Final = 0.4
"""How far hard positives stand out, of what other positives do."""
_MIDDLE: Final = 0.5
"""From where on a helper leans to yes."""
_SHARED: Final = 0.5
"""The part of the noise that all classifiers have in common."""


@dataclass(frozen=True)
class Member:
    """One classifier: how far apart it sees the classes, the precision that its cut-off buys, how its score speaks."""

    separation: float
    precision: float
    score: str = "calibrated"
    unjudged: float = 0.0

    def cut(self, prevalence: float) -> float:
        """The signal above which a call has the wanted precision, for normal noise."""
        from scipy.optimize import brentq
        from scipy.stats import norm

        odds = self.precision * (1 - prevalence) / ((1 - self.precision) * prevalence)
        wanted = np.log(odds)
        return float(brentq(lambda x: norm.logsf(x - self.separation) - norm.logsf(x) - wanted, -8, 12))


@dataclass(frozen=True)
class Panel:
    """A family with several classifiers, and maybe helpers whose score guides only.

    `hard`: the share of positives that stand out less than the others. `broken`: the share of clusters whose labels
    have nothing to do with the signal.
    """

    name: str
    prevalence: float
    members: tuple[Member, ...]
    ranks: bool = True
    hard: float = 0.0
    broken: float = 0.0
    helpers: tuple[Member, ...] = ()
    size: int = 30_000

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Numbered."""
        return tuple(f"c{number}" for number in range(1, len(self.members) + 1))

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Numbered as well."""
        return tuple(f"judge{number}" for number in range(1, len(self.helpers) + 1))

    def items(self, rng: np.random.Generator, size: int) -> Items:
        """Items with a label, a signal, and every member's sight of it."""
        labels = rng.random(size) < self.prevalence
        outstanding = np.where(labels, np.where(rng.random(size) < self.hard, _HARD, 1.0), 0.0)
        common = rng.normal(size=size)
        seen = [self._seen(member, outstanding, common, rng) for member in self.members]
        seen += [self._seen(helper, outstanding, common, rng, leaning=True) for helper in self.helpers]
        scores = np.stack([score for _, score in seen], axis=1)
        own, helped = _means(scores[:, : len(self.members)]), _means(scores[:, len(self.members) :])
        z = np.where(np.isnan(own), helped, own)
        labels = self._with_broken_clusters(labels, rng)
        return Items(np.stack([letters for letters, _ in seen], axis=1), np.clip(z, 0, 1), labels)

    def _seen(
        self, member: Member, outstanding: Floats, common: Floats, rng: np.random.Generator, *, leaning: bool = False
    ) -> tuple[Letters, Floats]:
        own = rng.normal(size=len(common))
        x = member.separation * outstanding + np.sqrt(_SHARED) * common + np.sqrt(1 - _SHARED) * own
        odds = np.log(self.prevalence / (1 - self.prevalence))
        chance = expit(odds + member.separation * (x - member.separation / 2))
        score = DISTORTIONS[member.score](chance, rng)
        calls = score >= _MIDDLE if leaning else x >= member.cut(self.prevalence)
        letters = np.where(calls, POSITIVE, NEGATIVE)
        silent = rng.random(len(x)) < member.unjudged
        return np.where(silent, UNSCORED, letters), np.where(silent, np.nan, score)

    def _with_broken_clusters(self, labels: Flags, rng: np.random.Generator) -> Flags:
        cluster = rng.integers(_CLUSTERS, size=len(labels))
        broken = cluster < round(self.broken * _CLUSTERS)
        return np.where(broken, rng.random(len(labels)) < 3 * self.prevalence, labels)

    def fresh(self, rng: np.random.Generator) -> "Panel":
        """The same kind of panel with other numbers."""
        prevalence = float(np.exp(rng.uniform(np.log(0.005), np.log(0.1))))
        members = tuple(
            replace(member, separation=float(rng.uniform(2.2, 4.0)), precision=float(rng.uniform(0.5, 0.99)))
            for member in self.members
        )
        return replace(self, prevalence=prevalence, members=members, size=int(rng.integers(20_000, 50_001)))


def _means(scores: Floats) -> Floats:
    """The mean of the scores that are there, NaN where there is none."""
    filled = (~np.isnan(scores)).sum(axis=1)
    return np.where(filled > 0, np.nansum(scores, axis=1) / np.maximum(filled, 1), np.nan)


def _panel(*precisions: float, separation: float = 3.0, score: str = "calibrated") -> tuple[Member, ...]:
    return tuple(
        Member(separation + 0.2 * (number % 3 - 1), precision, score) for number, precision in enumerate(precisions)
    )


PANELS: Final = (
    Panel("panel of four", 0.06, _panel(0.75, 0.8, 0.85, 0.9)),
    Panel("panel, rare positives", 0.005, _panel(0.6, 0.7, 0.8, separation=3.4)),
    Panel("panel of six", 0.03, _panel(0.6, 0.7, 0.75, 0.8, 0.85, 0.9)),
    Panel("panel of all precisions", 0.08, _panel(0.5, 0.7, 0.9, 0.95, 0.99)),
    Panel("panel, overconfident", 0.05, (*_panel(0.8, 0.7, score="overconfident"), Member(3, 0.9, "silent"))),
    Panel("panel, tied and constant", 0.04, (*_panel(0.7, 0.9, score="tied"), Member(2.8, 0.8, "constant"))),
    Panel("panel, shuffled", 0.06, _panel(0.7, 0.8, 0.9, score="shuffled"), ranks=False),
    Panel("panel, inverted", 0.03, _panel(0.65, 0.8, 0.95, score="inverted"), ranks=False),
    Panel("panel, hard positives", 0.08, _panel(0.7, 0.8, 0.85, 0.9), hard=0.25),
    Panel("panel, broken clusters", 0.04, _panel(0.8, 0.85, 0.9), broken=0.1, ranks=False),
    Panel(
        "panel, a judge that lies", 0.05, _panel(0.75, 0.85, 0.9), helpers=(Member(3, 0.8, "inverted"),), ranks=False
    ),
    Panel("panel, a judge that helps", 0.03, _panel(0.7, 0.8, 0.85, separation=2.4), helpers=(Member(3.6, 0.8),)),
    Panel("panel with gaps", 0.07, (*_panel(0.7, 0.9), Member(3, 0.8, unjudged=0.3), Member(2.6, 0.97, "waving"))),
)
"""Named beforehand: a panel does not rank when its scores say nothing or the opposite, or labels defy the signal."""
