"""The default intervals without history's part: each window's labels say alone how far they scatter.

Pages rest on them in any case. For everything else the default borrows from history where goals decide how many labels
there are (`core.estimation.borrowed_variance`), and follows it where a budget is spent (`followed_variance`); this
method is there to compare with it.
"""

from typing import ClassVar

from stratawatch.core.estimation.variance_methods.variance_method import VarianceMethod
from stratawatch.core.goals import LABELS_ALONE


class LabelsAlone(VarianceMethod):
    """The intervals that the design's own estimates have, without history's part."""

    name: ClassVar[str] = LABELS_ALONE
