"""Controls: adapters that forget their keys or believe in any folder, which a campaign has to catch."""

import signal
from collections.abc import Sequence
from random import Random
from typing import Final

from benchmarks.chaos.campaign import Campaign
from benchmarks.chaos.children import EngineRunner
from benchmarks.chaos.faulter import Faulter
from benchmarks.chaos.faults import FAULTS
from benchmarks.chaos.faulty import credulous_queue, forgetful_channels, forgetful_inbox, forgetful_queue
from benchmarks.chaos.fuse import Orders
from benchmarks.chaos.installation import PlayedStory
from benchmarks.chaos.killer import Killer
from benchmarks.chaos.tick import Variant
from benchmarks.chaos.world import IN_FILES, PLAIN
from benchmarks.shape import Verdict

CONTROL_KILLS: Final = 14
CONTROL_FAULTS: Final = 8
CONTROL_PLAYS: Final = 6
SENT: Final = ("after link", "after put", "after send")
PUBLISH: Final = ".publish:"
"""How points are named at which a batch is in the queue, and the store has not heard of it."""


def controls(campaign: Campaign, rng: Random, peaceful: PlayedStory) -> list[Verdict]:
    """Faulty adapters must be caught: sent, and killed before that was written down."""
    points = {point for ending in peaceful.endings for point in ending.crossed}
    sent = {point for point in points if point.endswith(SENT) or (PUBLISH in point and point.endswith("after keep"))}
    posted = {point for point in points if point.endswith("after post")}
    played = [
        campaign.tell(
            name,
            (PLAIN[0],),
            EngineRunner(campaign.scratch, (variant,)),
            DiesAgain(rng, CONTROL_KILLS, 2, set(targets)),
            peaceful,
            variant,
        )
        for name, variant, targets in (
            ("control-queue", forgetful_queue, sent),
            ("control-channel", forgetful_channels, posted),
        )
    ]
    forgetful = _control_of_faults(campaign, rng, peaceful, "control-inbox", forgetful_inbox, "backup restored")
    twice, alerts = played[0].tally.items_dispatched_twice, played[1].tally.alerts_told_twice
    return [
        Verdict("control: a queue without keys dispatches items twice", "must", twice, 1, ">="),
        Verdict("control: a channel without keys tells twice", "must", alerts, 1, ">="),
        Verdict("control: an inbox that drops labels loses them", "must", len(forgetful.broken), 1, ">="),
        *(_control_of_places(campaign, rng, peaceful) if campaign.queue in IN_FILES else ()),
    ]


def _control_of_places(campaign: Campaign, rng: Random, peaceful: PlayedStory) -> list[Verdict]:
    """A queue of files that believes in any folder. One with a file of its own would not find that file there."""
    away = _control_of_faults(campaign, rng, peaceful, "control-place", credulous_queue, "queue emptied")
    return [
        Verdict("control: a queue that does not look where it is says nothing", "must", len(away.untold), 1, ">="),
        Verdict("control: a queue that does not look writes elsewhere", "must", len(away.broken), 1, ">="),
    ]


def _control_of_faults(
    campaign: Campaign, rng: Random, peaceful: PlayedStory, name: str, variant: Variant, kind: str
) -> Faulter:
    """What a faulty adapter makes of one kind of fault, played until it breaks something: not every backup hurts."""
    for play in range(1, CONTROL_PLAYS + 1):
        faulter = Faulter(rng, CONTROL_FAULTS, kinds=[fault for fault in FAULTS if fault.kind == kind])
        runner = EngineRunner(campaign.scratch, (variant,))
        campaign.tell(f"{name}-{play}", (PLAIN[0],), runner, None, peaceful, variant, faulter=faulter)
        if faulter.broken:
            break
    return faulter


class DiesAgain(Killer):
    """Dies at its targets again and again."""

    def orders(self, crossed: Sequence[str], seconds: float, attempt: int) -> Orders:
        del crossed, seconds
        if self.done or attempt >= self.most_a_tick:
            return Orders()
        return Orders(targets=frozenset(self.targets))

    def note(self, point: str, by: int = signal.SIGKILL) -> None:
        del by
        self.kills[point] += 1
