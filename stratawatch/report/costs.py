"""What plain random sampling would have cost for the same half-widths.

For a share theta of a domain D, known to the half-width h: n = z^2 theta (1 - theta) / h^2, with the correction for a
finite domain n / (1 + (n - 1) / D). One sample of the whole population of N items meets D only with the share D / N,
so it must be N / D times as large. The domain of precision are the items that are called positive, of the
false-omission rate those called negative, of recall the true positives.
"""

from collections.abc import Mapping, Sequence
from statistics import NormalDist

from stratawatch.core.estimate import Estimate, Known
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.estimation.metrics.metric import Called, Domain
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.population import NEGATIVE, POSITIVE, Atom
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.report.model import Cost, LabelCounts, PlainNeed, known_of

Told = Mapping[str, Estimate]
"""A classifier's estimates over everything, by metric."""


def plain_cost(
    spec: PanelSpec, atoms: Sequence[Atom], estimates: Sequence[Estimate], labels: LabelCounts
) -> Cost | None:
    """Compare the labels of a cycle with plain random sampling; None when nothing was told, or when it was that.

    `spec` is the specification that the cycle was drawn with: its classifiers are the letters of the atoms' patterns.
    """
    if spec.design == "srs":
        return None
    wanted, needs = 0, []
    for place, classifier in enumerate(spec.classifiers):
        mine = {e.metric: e for e in estimates if e.classifier == classifier.name and e.segment is None}
        metrics = _metrics_with_goal(spec, classifier.name)
        wanted += len(metrics)
        needs += [need for metric in metrics if (need := _need(metric, atoms, place, mine))]
    if not needs:
        return None
    return Cost(used=labels.used, new=labels.new, needs=tuple(needs), untold=wanted - len(needs))


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


def _metrics_with_goal(spec: PanelSpec, classifier: str) -> list[str]:
    goals = spec.goals or DEFAULT_GOALS
    return list(dict.fromkeys(goal.metric for goal in goals if not goal.classifiers or classifier in goal.classifiers))


def _need(metric: str, atoms: Sequence[Atom], place: int, told: Told) -> PlainNeed | None:
    known, domain = known_of(told.get(metric)), _domain(metric, _called(atoms, place, told))
    if known is None or domain is None or not domain.size:
        return None
    everything = sum(atom.size for atom in atoms)
    n = domain_labels(known, domain.size, told[metric].confidence)
    shared = min(everything, n * everything / domain.size)
    # What nobody has a list of can only be met in a sample of the whole population.
    separate = n if domain.listed else shared
    return PlainNeed(told[metric].classifier, metric, known.half_width, round(separate), round(shared))


def _domain(metric: str, called: Called) -> Domain | None:
    """What the metric is a share of; None where that cannot be said, as of a metric that nobody knows any more."""
    return METRICS[metric].domain(called) if metric in METRICS else None


def _called(atoms: Sequence[Atom], place: int, told: Told) -> Called:
    """A classifier's calls; the positives it met are told by the shares among its two kinds of calls."""
    positive, negative = (
        sum(atom.size for atom in atoms if atom.pattern[place] == letter) for letter in (POSITIVE, NEGATIVE)
    )
    right, missed = known_of(told.get("precision")), known_of(told.get("false_omission_rate"))
    positives = right.value * positive + missed.value * negative if right and missed else None
    return Called(positive, negative, positives)
