"""What every metric is by its textbook formula: an entry of `METRICS` has one here, written without looking at it."""

RATIOS = {
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),
    "false_omission_rate": lambda tp, fp, fn, tn: (fn, fn + tn),
    "f1": lambda tp, fp, fn, tn: (2 * tp, 2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: (tn, tn + fn),
    "prevalence": lambda tp, fp, fn, tn: (tp + fn, tp + fp + fn + tn),
}
"""(true positives, false positives, false negatives, true negatives) -> numerator and denominator."""


def closed_form(name, tp, fp, fn, tn):
    numerator, denominator = RATIOS[name](tp, fp, fn, tn)
    return numerator / denominator
