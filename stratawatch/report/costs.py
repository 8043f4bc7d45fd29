"""What plain random sampling would have cost for the same half-widths.

For a share theta of a domain D, known to the half-width h: n = z^2 theta (1 - theta) / h^2, with the correction for a
finite domain n / (1 + (n - 1) / D). One sample of the whole population of N items meets D only with the share D / N,
so it must be N / D times as large. The domain of precision are the items that are called positive, of the
false-omission rate those called negative, of recall the true positives.
"""

from collections.abc import Sequence
from statistics import NormalDist

from stratawatch.core.population import NEGATIVE, POSITIVE, Atom
from stratawatch.core.results import Known
from stratawatch.engine.records import PanelSpec
from stratawatch.report.model import Cost, LabelCounts, PlainNeed, Score


def plain_cost(spec: PanelSpec, atoms: Sequence[Atom], scores: Sequence[Score], labels: LabelCounts) -> Cost | None:
    """Compare the labels of a cycle with plain random sampling; None when nothing was told."""
    wanted = [score for score in scores if _has_goal(spec, score)]
    needs = [need for score in wanted if (need := _need(spec, atoms, scores, score))]
    if not needs:
        return None
    return Cost(used=labels.used, new=labels.new, needs=tuple(needs), untold=len(wanted) - len(needs))


def domain_labels(known: Known, domain: float, confidence: float) -> float:
    """Labels that a simple random sample of a domain needs for the half-width of `known`.

    >>> round(domain_labels(Known(.5, .47, .53, 0), 1e9, .95))
    1067
    >>> domain_labels(Known(.5, .5, .5, 0), 40, .95)
    40
    """
    if known.half_width == 0:
        return domain
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    spread = known.value * (1 - known.value)
    # At 0 or 1 the binomial variance is 0 and would ask for no label at all; n_eff comes from the interval's width.
    n = z * z * spread / known.half_width**2 if spread > 0 else known.n_eff
    return min(domain, n / (1 + max(n - 1, 0) / domain))


def _has_goal(spec: PanelSpec, score: Score) -> bool:
    if not spec.goals:
        return score.metric in ("precision", "recall")
    return any(goal.metric == score.metric and (not goal.of or score.classifier in goal.of) for goal in spec.goals)


def _need(spec: PanelSpec, atoms: Sequence[Atom], scores: Sequence[Score], score: Score) -> PlainNeed | None:
    domain = _domain(spec, atoms, scores, score)
    if score.known is None or not domain:
        return None
    everything = sum(atom.size for atom in atoms)
    n = domain_labels(score.known, domain, spec.confidence)
    shared = min(everything, n * everything / domain)
    # Nobody has a list of the true positives, so recall's own sample is one of the whole population.
    separate = shared if score.metric == "recall" else n
    return PlainNeed(score.classifier, score.metric, score.known.half_width, round(separate), round(shared))


def _domain(spec: PanelSpec, atoms: Sequence[Atom], scores: Sequence[Score], score: Score) -> float | None:
    """Size of the set of items that the metric is a share of; None where it cannot be said."""
    place = [classifier.name for classifier in spec.classifiers].index(score.classifier)
    called = {
        letter: sum(atom.size for atom in atoms if atom.pattern[place] == letter) for letter in (POSITIVE, NEGATIVE)
    }
    if score.metric == "precision":
        return called[POSITIVE]
    if score.metric == "false_omission_rate":
        return called[NEGATIVE]
    if score.metric != "recall":
        return None
    shares = {s.metric: s.known.value for s in scores if s.classifier == score.classifier and s.known}
    if "precision" not in shares or "false_omission_rate" not in shares:
        return None
    return shares["precision"] * called[POSITIVE] + shares["false_omission_rate"] * called[NEGATIVE]
