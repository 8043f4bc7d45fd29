"""Design effects of shares of labels are those of Cochran's ratio estimator (1977, 6.4), worked out label by label."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Census, Segment
from stratawatch.core.verdicts import VerdictsByItem
from tests.support.closed_forms import RATIOS
from tests.support.design_cycle import design_of

NORTH = Segment("region", "north")
CENSUS = Census(
    ("a", "b"),
    ("00", "01", "10", "11"),
    np.array([100, 400, 600, 900]),
    np.array([600, 200, 200, 400]),
    {NORTH: np.array([300, 100, 100, 200])},
)


def ratio(metric, calls, yes):
    """Numerator and denominator of each item."""
    return RATIOS[metric](calls * yes, calls * (1 - yes), (1 - calls) * yes, (1 - calls) * (1 - yes))


class Labelled:
    """A drawn and labelled window of customers who differ in what is called positive, and in what is."""

    def __init__(self, design: str, budget: int = 500, **options) -> None:
        survey = SurveySpec(budget=budget, design=design, options=options)
        plain = design_of(CENSUS, survey)
        rng = np.random.default_rng(11)
        patterns = np.array([plain.atoms[atom].pattern for atom in plain.candidates.atoms.tolist()])
        kinds = np.array([int(pattern, 2) for pattern in patterns])
        customer = np.where(rng.random(len(kinds)) < 0.5, 10 * kinds, 0) + rng.integers(10, size=len(kinds))
        yes = rng.random(len(kinds)) < np.where(patterns == "11", 0.7, 0.3) - 0.2 * (customer % 2)
        self.design = replace(plain, candidates=replace(plain.candidates, clusters=tuple(map(str, customer.tolist()))))
        rows = plain.draw(plain.plan(survey, VerdictsByItem({}), (), ordinal=1))
        self.drawn = {plain.candidates.items[row] for row in rows}
        names = [plain.candidates.items[row] for row in rows]
        self.ledger = VerdictsByItem({name: "yes" if yes[row] else "no" for name, row in zip(names, rows, strict=True)})
        rows = np.array(rows)
        self.calls = {c: np.array([p[i] == "1" for p in patterns[rows]], float) for i, c in enumerate("ab")}
        self.yes, self.customer = yes[rows].astype(float), customer[rows]
        self.north = np.array([plain.candidates.segments["region"][row] == "north" for row in rows], float)
        self.stratum = np.array([plain.atoms[atom].stratum for atom in plain.candidates.atoms[rows].tolist()])

    def told(self, metrics, segments=()):
        return self.design.estimate(self.ledger, self.drawn, metrics=metrics, segments=segments)

    def effect(self, e: np.ndarray) -> float:
        """V by customers over V label by label, of deviations whose mean is 0."""
        n, c = len(e), len(np.unique(self.customer))
        together = np.bincount(self.customer, e)
        return (c / (c - 1)) * float(together @ together) / ((n / (n - 1)) * float(e @ e))


@pytest.fixture(scope="module")
def sample():
    return Labelled("srs")


def test_the_hand_arithmetic_knows_every_metric():
    assert set(METRICS) == set(RATIOS)


@pytest.mark.parametrize("metric", METRICS)
def test_of_a_plain_random_sample_a_label_moves_the_ratio(sample, metric):
    found = {one.classifier: one for one in sample.told((metric,))}
    for name in "ab":
        above, below = ratio(metric, sample.calls[name], sample.yes)
        assert found[name].result.value == pytest.approx(above.sum() / below.sum())
        assert found[name].deff == pytest.approx(sample.effect(above - above.sum() / below.sum() * below))


@pytest.mark.parametrize("metric", ["recall", "accuracy", "prevalence", "precision"])
def test_in_a_segment_the_share_is_that_of_the_segment(sample, metric):
    found = {(one.classifier, one.segment): one for one in sample.told((metric,), (NORTH,))}
    above, below = (sample.north * each for each in ratio(metric, sample.calls["b"], sample.yes))
    assert found["b", NORTH].deff == pytest.approx(sample.effect(above - above.sum() / below.sum() * below))


def test_customers_who_differ_in_what_is_called_are_counted(sample):
    """About the means of either side they would not be: that many calls are one customer's moves recall too."""
    (a, y), r = (sample.calls["a"], sample.yes), sample.told(("recall",))[0]
    on_a, on_b = y[a == 1].mean(), y[a == 0].mean()
    value = r.result.value
    beside = (1 - value) * a * (y - on_a) - value * (1 - a) * (y - on_b)
    assert r.deff > 1.2 * sample.effect(beside)


@pytest.mark.parametrize("metric", ["accuracy", "prevalence"])
def test_of_a_stratified_share_a_label_moves_the_share_of_its_stratum(metric):
    window = Labelled("kumar", strata=3, allocation="PRO")
    found = next(one for one in window.told((metric,)) if one.classifier == "a")
    counts, _ = ratio(metric, window.calls["a"], window.yes)
    together, alone = np.zeros(len(counts)), np.zeros(len(counts))
    for stratum in np.unique(window.stratum):
        here = window.stratum == stratum
        n, c = here.sum(), len(np.unique(window.customer[here]))
        size = sum(atom.size for atom in window.design.atoms if atom.stratum == stratum)
        e = size / n * (counts[here] - counts[here].mean()) * (1 - n / size) ** 0.5
        together[here], alone[here] = e * (c / (c - 1)) ** 0.5, e * (n / (n - 1)) ** 0.5
    by_customer = np.bincount(window.customer, together)
    assert found.deff == pytest.approx(float(by_customer @ by_customer) / float(alone @ alone), rel=1e-9)
