"""Plain random samples, one for each classifier and goal: nothing is shared, nothing is stratified."""

import numpy as np

from benchmarks.labels.baselines.truth import RECALL, Truth, Z


def labels(truth: Truth) -> float:
    """Labels of a week: for precision a sample of A_c, for recall another one of B_c, classifier by classifier.

    Precision: n1 = z^2 p (1 - p)/.03^2. Recall is r = p|A|/(p|A| + f|B|); by the delta method
    V = (r (1 - r))^2 [(1 - p)/(p n1) + (1 - f)/(f n0)], and n0 is the least that makes z sqrt(V) <= .05.
    """
    return float(truth.precision_labels.sum() + omission_labels(truth).sum())


def omission_labels(truth: Truth) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """n0 of every classifier, rounded up."""
    p, f, r = truth.precision, truth.omission, truth.recall
    left = (RECALL / Z / (r * (1 - r))) ** 2 - (1 - p) / (p * truth.precision_labels)
    return np.ceil((1 - f) / (f * left))


def recall_from_everything(truth: Truth) -> float:
    """Labels if recall is sampled from everything instead: z^2 r (1 - r)/.05^2 positives, over the prevalence."""
    r = truth.recall
    return float(np.ceil((Z / RECALL) ** 2 * r * (1 - r) * len(truth.items) / truth.positives).sum())
