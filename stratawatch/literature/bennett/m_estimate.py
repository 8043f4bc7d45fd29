"""The m-estimate: a share that is never quite 0 or 1, as no handful of labels can prove it to be."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def m_estimate(yes: Counts, labels: Counts) -> Floats:
    """The smoothed share p = (h + m/2)/(n + m), m = 2 where there is no label, else 1/sqrt(n) (section 5).

    >>> m_estimate(np.array([0, 1, 4]), np.array([0, 1, 4])).round(4).tolist()
    [0.5, 0.75, 0.9444]
    """
    m = np.where(labels > 0, 1 / np.sqrt(np.maximum(labels, 1)), 2.0)
    return np.asarray((yes + m / 2) / (labels + m), dtype=np.float64)
