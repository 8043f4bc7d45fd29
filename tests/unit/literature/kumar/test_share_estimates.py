import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.difference_estimator import ItemSubset
from stratawatch.core.labelled_sample import LabelCounts
from stratawatch.core.metrics import metric_named
from stratawatch.literature.kumar.share_estimates import estimate_share


def estimate(patterns, sizes, labelled, positive, metric="precision"):
    """One cell a stratum."""
    columns = (np.array(counts, dtype=float) for counts in (sizes, labelled, positive))
    sizes, labelled, positive = columns
    cells = Cells.of(("a",), patterns, sizes, np.full(len(sizes), 0.5))
    items = ItemSubset(sizes, LabelCounts(labelled[None], positive[None]))
    return estimate_share(cells, 0, metric_named(metric), items, 0.95)


def test_strata_outside_the_domain_do_not_count():
    """Precision: a stratum in which nothing is called positive."""
    assert estimate(["0", "1"], [50, 100], [0, 20], [0, 15]) == estimate(["1"], [100], [20], [15])


def test_a_domain_without_items_is_undefined():
    assert estimate(["0"], [50], [20], [3]) == (Undefined("there is no item that it calls positive"), 0)


def test_a_stratum_without_a_label_is_undefined():
    why = "no label among the items that it calls positive in 1 of 2 strata"
    assert estimate(["1", "1"], [50, 100], [0, 20], [0, 15]) == (Undefined(why), 20)
