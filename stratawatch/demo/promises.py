"""The demo's promises: the degraded classifier is paged within two cycles, the healthy ones never; no week is BLIND."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, HEALTHY_CLASSIFIERS

WEEKS_IN_TIME: Final = (BREAK_WEEK, BREAK_WEEK + 1)


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


def broken_promises(pages: Collection[PagedMetric], blind_weeks: Iterable[int]) -> tuple[str, ...]:
    """One sentence for each promise that was not kept."""
    broken = [f"a healthy classifier was paged: {page}" for page in false_pages(pages)]
    broken += [f"labels told too little of a metric: BLIND in week {week}" for week in blind_weeks]
    if not break_was_paged(pages):
        weeks = " or ".join(map(str, WEEKS_IN_TIME))
        broken.append(f"the lost precision of {DEGRADED_CLASSIFIER} was not paged in week {weeks}")
    return tuple(broken)
