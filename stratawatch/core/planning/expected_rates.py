"""The share of positives that the next labels are expected to have in every cell, and its variance."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.history.model import known_share, past_label_counts, prior_rate
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.history.working_model import linear_features, logistic, offset_correction, score_logit
from stratawatch.core.population import Floats
from stratawatch.core.tuning import PLANNER


@dataclass(frozen=True)
class ExpectedRates:
    """Expected shares of positives by cell, and the variance of one item's label that plans count with."""

    rate: Floats
    variance: Floats


def prior_rates(cells: Cells, history: History = NO_HISTORY) -> ExpectedRates:
    """Rates before any label of this period: those of history's model, or else the scores; variances are never 0.

    No rate is below the share that became known by itself. It steers plans only: estimates read `cells.prior_rate`.
    """
    plain = prior_rate(cells, history) if cells.prior_rate is None else cells.prior_rate
    if plain is None:
        plain = cells.imputed_scores
    return expected_at(cells, np.maximum(plain, known_share(cells, history)))


def rates_without_scores(cells: Cells) -> ExpectedRates:
    """The rates if scores said nothing: half of what anybody calls is right, and as many positives are missed.

    Items that nobody judged hold none of them.
    """
    quiet = cells.has_call & ~cells.called_by_any
    found = PLANNER.unscored_precision * float(cells.sizes[cells.called_by_any].sum())
    missed = found * (1 - PLANNER.unscored_recall) / PLANNER.unscored_recall
    among = missed / max(float(cells.sizes[quiet].sum()), 1.0)
    rates = np.select([cells.called_by_any, quiet], [PLANNER.unscored_precision, min(among, 0.5)], 0.0)
    return expected_at(cells, rates)


def expected_at(cells: Cells, rate: Floats) -> ExpectedRates:
    """These rates, with variances that are held off certainty."""
    floored = _floored(cells, rate)
    return ExpectedRates(rate, floored * (1 - floored))


def shrunk_prior_rates(cells: Cells, history: History) -> ExpectedRates:
    """The rates of history's model, shrunk towards each stratum's own earlier labels, with half a positive on top.

    p = (20 m + yes + (1 - 2m)/2)/(20 + n) in every stratum, counts discounted: insurance against positives that
    history could not show.
    """
    first = prior_rates(cells, history)
    yes, answered = past_label_counts(cells, history)
    usual = np.clip(_means(cells, first.rate), 1e-6, 1 - 1e-6)
    updated = (PLANNER.prior_labels * usual + yes + (1 - 2 * usual) / 2) / (PLANNER.prior_labels + answered)
    scale = updated * (1 - updated) / (usual * (1 - usual))
    plain = np.minimum(first.rate * (updated / usual)[cells.strata], 1.0)
    return ExpectedRates(plain, np.maximum(first.rate * (1 - first.rate), 1e-6) * scale[cells.strata])


def model_rates(cells: Cells, history: History) -> ExpectedRates:
    """The rates of history's model as they are."""
    first = prior_rates(cells, history)
    return ExpectedRates(first.rate, np.maximum(first.rate * (1 - first.rate), 1e-6))


def updated_rates(cells: Cells, yes: Floats, answered: Floats, *, by_votes: bool = False) -> ExpectedRates:
    """After the first labels: logit p = (1 + beta) logit z + alpha, then p~ = (k p + yes)/(k + n) by stratum.

    Scores are taken at their word but for what the labels correct; a ridge of .1 holds both corrections at 0.
    `by_votes` corrects calls as well, gamma (2 votes - 1), all with a ridge of 1: where scores say nothing, the line
    through them cannot tell what is called from what is not, and would take the quiet for half positive; and where the
    first labels met no miss, that is held to be luck in part.
    k = 2/min(p, 1 - p) pseudo labels hold two positives: a rare stratum is not called empty for want of labels.
    """
    if answered.sum() == 0:
        return prior_rates(cells)
    word, columns = score_logit(cells), linear_features(cells)
    penalty = PLANNER.score_ridge
    if by_votes:
        columns, penalty = np.column_stack([columns, 2 * cells.votes - 1]), PLANNER.cold_ridge
    fitted = logistic(word + columns @ offset_correction(word, columns, yes, answered, penalty=penalty))
    floored = _floored(cells, fitted)
    usual = _means(cells, floored)
    k = 2 / np.minimum(usual, 1 - usual)
    updated = (k * usual + cells.by_stratum(yes)) / (k + cells.by_stratum(answered))
    scale = updated * (1 - updated) / (usual * (1 - usual))
    plain = np.minimum(fitted * (updated / usual)[cells.strata], 1.0)
    return ExpectedRates(plain, floored * (1 - floored) * scale[cells.strata])


def _means(cells: Cells, values: Floats) -> Floats:
    return np.asarray(cells.by_stratum(cells.sizes * values) / np.maximum(cells.stratum_sizes, 1), dtype=np.float64)


def _floored(cells: Cells, p: Floats) -> Floats:
    """Held off certainty: a tenth of the usual share of surprises is added, apart for called positives and others."""
    called, quiet = cells.has_call & cells.called_by_any, cells.has_call & ~cells.called_by_any
    missed = np.clip(p + PLANNER.surprise_share * _usual(cells, p, quiet), 1e-6, 0.95)
    mistaken = np.clip(1 - p + PLANNER.surprise_share * _usual(cells, 1 - p, called), 1e-6, 0.95)
    return np.where(cells.called_by_any, 1 - mistaken, missed)


def _usual(cells: Cells, share: Floats, among: Flags) -> float:
    items = float(cells.sizes[among].sum())
    return float(cells.sizes[among] @ share[among]) / items if items else 0.0
