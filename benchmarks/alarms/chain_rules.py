"""Rules for pages on weeks as they come: the product's with its focus and its fallback, and without them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from benchmarks.alarms.chain import ByBet, ChainWeek, Stream
from benchmarks.alarms.panel_years import WEEKS_A_YEAR
from stratawatch.core.alarms.evidence.e_detector import evidence_of, log_e_by_bet, page_threshold
from stratawatch.core.alarms.evidence.suspicion import evidence_needed
from stratawatch.core.goals import Focus
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.evidence.window_rule import MOST_PERSISTING

BESIDE: Final = 1 - EVIDENCE.evidence_share
"""One window's part of the promise beside evidence."""
INSTEAD: Final = EVIDENCE.window_share
"""One window's part of the promise where it stands in for evidence."""

FIRST_USE, ALL_LABELS, ONE_WINDOW = "first use, no fallback", "all labels bet", "one window (ADR 6)"

ReadLogE = Callable[[ChainWeek], Mapping[Stream, ByBet]]


class ChainRule(Protocol):
    """A rule that is shown one week after the other."""

    def pages(self, week: ChainWeek) -> list[Stream]:
        """The streams that this week pages, the one that is named first in front."""
        ...


@dataclass
class EvidenceRule:
    """Evidence of all streams together, or one window beside it; everything begins at 0 after a page by evidence.

    `log_e` says which labels bet. `falls_back`: where items of earlier weeks come again, evidence stands still and one
    window decides. A page opens no incident here: its stream may gather anew.
    """

    log_e: ReadLogE
    falls_back: bool
    _weeks: dict[Stream, list[ByBet]] = field(default_factory=dict)
    _evidence: dict[Stream, float] = field(default_factory=dict)

    def pages(self, week: ChainWeek) -> list[Stream]:
        """The streams that this week pages, the leader of the evidence first."""
        if self.falls_back_in(week):
            return self._restart(sorted(week.outside[INSTEAD]))
        for stream, log_e in self.log_e(week).items():
            so_far = self._weeks.setdefault(stream, [])
            so_far.append(log_e)
            self._evidence[stream] = evidence_of(log_e_by_bet(so_far))
        alone = sorted(week.outside[BESIDE])
        if sum(self._evidence.values()) < self._threshold:
            return self._restart(alone)
        leader = max(self._evidence, key=lambda stream: self._evidence[stream])
        self._restart(list(self._evidence))
        return list(dict.fromkeys([leader, *alone]))

    def falls_back_in(self, week: ChainWeek) -> bool:
        """Whether one window decides this week."""
        return self.falls_back and week.persists > MOST_PERSISTING

    @property
    def focus(self) -> Focus | None:
        """What the labels of the next week follow."""
        streams = list(self._evidence)
        enough = evidence_needed([metric for _, metric in streams], self._threshold)
        needed = dict(zip(streams, enough, strict=True))
        leader = max(streams, key=lambda stream: self._evidence[stream] / needed[stream], default=None)
        return Focus(*leader) if leader and self._evidence[leader] >= needed[leader] else None

    @property
    def _threshold(self) -> float:
        return page_threshold(len(self._evidence), WEEKS_A_YEAR, 1.0)

    def _restart(self, streams: list[Stream]) -> list[Stream]:
        for stream in streams:
            self._weeks.pop(stream, None)
            self._evidence[stream] = 0.0
        return streams


@dataclass
class WindowRule:
    """Each week's interval by itself, at a share of the promise."""

    share: float

    def pages(self, week: ChainWeek) -> list[Stream]:
        """The streams that this week pages."""
        return sorted(week.outside[self.share])


def product_rule() -> EvidenceRule:
    """What the product does."""
    return EvidenceRule(lambda week: week.first_use, falls_back=True)


def other_rules() -> dict[str, ChainRule]:
    """What the product would be without its fallback, or without minding which labels are used a second time."""
    return {
        FIRST_USE: EvidenceRule(lambda week: week.first_use, falls_back=False),
        ALL_LABELS: EvidenceRule(lambda week: week.all_labels, falls_back=False),
        ONE_WINDOW: WindowRule(1.0),
    }
