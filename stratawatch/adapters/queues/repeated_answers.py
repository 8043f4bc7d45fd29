"""Counts equal answers of one file that have neither an id nor a time: each is told apart by its turn."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from stratawatch.adapters.queues.label_line import turn_id
from stratawatch.engine.model.label_events import LabelEvent

Place = tuple[str, int, int]
"""A file, and how far it was read: the offset and the checksum of the bytes before it."""
_Answer = tuple[str, str, str]


class RepeatedAnswers:
    """Gives events without an id theirs, and remembers the counts of the file that was read last.

    A file that grows is so counted on from where the last reading ended. Where that was not read by this process,
    what stands before is read again, but only for the items that are asked about.
    """

    def __init__(self) -> None:
        self._place: Place | None = None
        self._counts: Counter[_Answer] = Counter()

    def numbered(
        self,
        events: Sequence[LabelEvent],
        start: Place,
        end: Place,
        before: Callable[[frozenset[str]], Iterable[LabelEvent]],
        *,
        unfinished: bool = False,
    ) -> tuple[LabelEvent, ...]:
        """The events that stand between two places of a file, each with an id.

        `before` reads the events of some items that stand before `start`. With `unfinished` the last event is of a line
        that goes on behind `end` and will be read again.
        """
        counts = self._counts_at(start)
        complete = counts is not None
        if counts is None:
            without_id = frozenset(event.item_key for event in events if not event.event_id)
            earlier = before(without_id) if without_id else ()
            counts = Counter(_answer(event) for event in earlier if not event.event_id)
        found = []
        for event in events:
            if event.event_id:
                found.append(event)
                continue
            counts[_answer(event)] += 1
            found.append(replace(event, event_id=turn_id(*_answer(event), counts[_answer(event)])))
        if unfinished and events and not events[-1].event_id:
            counts[_answer(events[-1])] -= 1
        self._place, self._counts = (end if complete else None), counts
        return tuple(found)

    def _counts_at(self, place: Place) -> Counter[_Answer] | None:
        """All counts up to a place; None where they are not at hand."""
        if place[1] == 0:
            return Counter()
        return self._counts if self._place == place else None


def _answer(event: LabelEvent) -> _Answer:
    return event.item_key, event.annotator, event.value
