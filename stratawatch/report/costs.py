"""How many labels simple random sampling would have needed for the same half-widths.

For a share theta of a domain D with the half-width h: n = z^2 theta (1 - theta) / h^2, or what Wilson's interval needs
if that is more, as near 0 and 1, with the correction for a
finite domain n / (1 + (n - 1) / D). One sample of the whole population of N items meets D only with the share D / N,
so it must be N / D times as large. The domain of precision are the items that are called positive, of the
false-omission rate those called negative, of recall the true positives.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from stratawatch.core.designs import design_class
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.estimation.effective_sample_size import labels_as_narrow
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.metrics import METRICS, MetricDomain
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.population import NEGATIVE, POSITIVE, Atom
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.report.table_rows import Cost, LabelOutcomes, PlainNeed
from stratawatch.report.view_models import interval_of

Estimated = Mapping[str, Estimate]
"""A classifier's estimates over everything, by metric."""
# How many items a classifier calls positive and negative, and the positives it met, if that can be told.
_Calls = tuple[float, float, float | None]


def plain_cost(
    spec: PanelSpec, atoms: Sequence[Atom], estimates: Sequence[Estimate], labels: LabelOutcomes
) -> Cost | None:
    """Compare the labels of a cycle with simple random sampling.

    None where the design is simple random sampling itself, and where no goal has an estimate.

    `spec` is the specification that the cycle was drawn with: its classifiers are the letters of the atoms' patterns.
    """
    if design_class(spec.design).is_simple_random:
        return None
    asked, needs = 0, []
    for place, classifier in enumerate(spec.classifiers):
        mine = {e.metric: e for e in estimates if e.classifier == classifier.name and e.segment is None}
        metrics = _metrics_with_goal(spec, classifier.name)
        asked += len(metrics)
        needs += [need for metric in metrics if (need := _need(metric, atoms, place, mine))]
    if not needs:
        return None
    return Cost(used=labels.used, new=labels.new, needs=tuple(needs), undefined_goals=asked - len(needs))


def domain_labels(interval: IntervalEstimate, domain: float, confidence: float) -> float:
    """Labels that a simple random sample of a domain needs for the half-width of an interval.

    >>> round(domain_labels(IntervalEstimate(.5, .47, .53, 0), 1e9, .95))
    1067
    >>> domain_labels(IntervalEstimate(.5, .5, .5, 0), 40, .95)
    40
    >>> round(domain_labels(IntervalEstimate(.999, .865, 1, 0), 1e9, .95))
    25
    """
    if interval.half_width == 0:
        return domain
    normal = normal_quantile(confidence) ** 2 * interval.value * (1 - interval.value) / interval.half_width**2
    # Near 0 and 1 the normal law would ask for hardly a label.
    wilson = labels_as_narrow(np.array(interval.value), np.array(interval.half_width), confidence)
    n = max(normal, float(wilson))
    return min(domain, n / (1 + max(n - 1, 0) / domain))


def _metrics_with_goal(spec: PanelSpec, classifier: str) -> list[str]:
    goals = spec.goals or DEFAULT_GOALS
    return list(dict.fromkeys(goal.metric for goal in goals if goal.is_for(classifier)))


def _need(metric: str, atoms: Sequence[Atom], place: int, estimated: Estimated) -> PlainNeed | None:
    interval, domain = interval_of(estimated.get(metric)), _domain(metric, _called(atoms, place, estimated))
    if interval is None or domain is None or not domain.size:
        return None
    everything = sum(atom.size for atom in atoms)
    n = domain_labels(interval, domain.size, estimated[metric].confidence)
    shared = min(everything, n * everything / domain.size)
    # A domain without a list, as the true positives, can only be sampled through the whole population.
    separate = n if domain.listed else shared
    return PlainNeed(estimated[metric].classifier, metric, interval.half_width, round(separate), round(shared))


def _domain(metric: str, called: _Calls) -> MetricDomain | None:
    """The items that the metric is a share of; None where undefined, as for a metric that is no longer registered."""
    return METRICS[metric].denominator_size(*called) if metric in METRICS else None


def _called(atoms: Sequence[Atom], place: int, estimated: Estimated) -> _Calls:
    """A classifier's calls, and its positives by precision and false-omission rate of the two kinds of calls."""
    positive, negative = (
        sum(atom.size for atom in atoms if atom.pattern[place] == letter) for letter in (POSITIVE, NEGATIVE)
    )
    right, missed = interval_of(estimated.get("precision")), interval_of(estimated.get("false_omission_rate"))
    positives = right.value * positive + missed.value * negative if right and missed else None
    return positive, negative, positives
