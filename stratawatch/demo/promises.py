"""The demo's promises.

The degraded classifier is paged within two cycles, the healthy ones never; no week is BLIND; after a month what is
healthy is proven to be so, and recall is known well.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from stratawatch.core.estimate import Undefined
from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, HEALTHY_CLASSIFIERS

WEEKS_IN_TIME: Final = (BREAK_WEEK, BREAK_WEEK + 1)
PROVEN_WEEKS: Final = range(5, BREAK_WEEK)
"""Healthy weeks before which a month of labels has come."""
MOST_WIDE: Final = 0.043
"""Half the length of the interval of recall over the last four weeks, at most."""
MOST_UNPROVEN: Final = 1
"""Limits that may wait for their proof in such a week."""


@dataclass(frozen=True)
class PagedMetric:
    """The metric, classifier and week of a page."""

    classifier: str
    metric: str
    week: int

    def __str__(self) -> str:
        return f"{self.metric} of {self.classifier} in week {self.week}"


def break_was_paged(pages: Collection[PagedMetric]) -> bool:
    """Whether the loss of precision was paged in the week it began or in the next."""
    return any(
        page.classifier == DEGRADED_CLASSIFIER and page.metric == "precision" and page.week in WEEKS_IN_TIME
        for page in pages
    )


def false_pages(pages: Collection[PagedMetric]) -> tuple[PagedMetric, ...]:
    """Pages about classifiers whose metrics did not change."""
    return tuple(page for page in pages if page.classifier in HEALTHY_CLASSIFIERS)


def broken_promises(
    pages: Collection[PagedMetric],
    blind_weeks: Iterable[int],
    unproven: Mapping[int, int],
    recall_over_four: float | Undefined,
) -> tuple[str, ...]:
    """One sentence for each promise that was not kept; `unproven` are the limits by week whose metric is not OK.

    `recall_over_four` is the greatest half-width of recall over the last four weeks together.
    """
    broken = [f"a healthy classifier was paged: {page}" for page in false_pages(pages)]
    broken += [f"labels told too little of a metric: BLIND in week {week}" for week in blind_weeks]
    broken += [
        f"{limits} of the limits were not proven to be kept in week {week}"
        for week, limits in unproven.items()
        if week in PROVEN_WEEKS and limits > MOST_UNPROVEN
    ]
    if isinstance(recall_over_four, Undefined):
        broken.append(f"four weeks together do not tell recall: {recall_over_four.reason}")
    elif recall_over_four > MOST_WIDE:
        known, wanted = (f"±{100 * half:.2f}" for half in (recall_over_four, MOST_WIDE))
        broken.append(f"four weeks together know recall to {known} points, not to {wanted}")
    if not break_was_paged(pages):
        weeks = " or ".join(map(str, WEEKS_IN_TIME))
        broken.append(f"the lost precision of {DEGRADED_CLASSIFIER} was not paged in week {weeks}")
    return tuple(broken)
