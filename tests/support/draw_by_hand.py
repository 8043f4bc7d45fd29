"""Probabilities and random numbers one by one, as the documents say them: what SQL and NumPy are compared with."""

from math import exp

from stratawatch.core.score_bins import ScoreKind


def score_to_probability(score: float, kind: ScoreKind) -> float:
    """A score as a probability: itself, or 1 / (1 + exp(-margin)).

    >>> score_to_probability(0.25, "probability"), score_to_probability(0.0, "margin")
    (0.25, 0.5)
    """
    if kind == "probability":
        return score
    if -score > 709:  # exp would overflow; the limit is 0
        return 0.0
    return 1 / (1 + exp(-score))


def uniform(digest: str) -> float:
    """The number u in [0, 1): the first 52 bits of a digest, divided by 2**52.

    >>> uniform("8" + "0" * 31)
    0.5
    """
    return int(digest[:13], 16) / float(1 << 52)
