"""Second and third votes in the story: who gives them, when, and what of them was lost or asked for twice."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from benchmarks.chaos.places import Line
from benchmarks.chaos.world import Story
from stratawatch.engine.model.idempotency_keys import round_key_of_batch

COLLEAGUES: Final = ("ben", "cid", "dee")
"""Who give further votes, the first of them who has not spoken of the item."""
NOBODY_AROUND: Final = ("ask", "lose", "silent")
"""Steps at which they are away: deadlines pass while votes are missing."""
RULE: Final = 'second_votes = "called_negative_yes"'
"""What the panel's table then says."""
_MORE: Final = (2, 4, 6, 8)
"""Hours after the step "rest": its round gets its votes, then the next round its answers and votes."""
_VOTE: Final = re.compile(r"-r\d+-v(\d)-")

Vote = tuple[str, str, int]
"""Round, item and which vote it is."""


def with_votes(story: Story) -> Story:
    """The story with moments for further votes."""
    return tuple(
        tuple(
            moment
            for step, hours in steps
            for moment in ((step, hours), *(("votes", hours + more) for more in _MORE if step == "rest"))
        )
        for steps in story
    )


def vote_of(batch: str) -> int:
    """Which vote a batch asks for, by its key.

    >>> vote_of("spam-p00012-r1-v2-bf5cc79b39895eba"), vote_of("spam-p00012-r1-b2-130e6556")
    (2, 1)
    """
    found = _VOTE.search(batch)
    return int(found[1]) if found else 1


def further(lines: Iterable[Line]) -> Counter[Vote]:
    """The votes after the first that lines of batches ask for."""
    return Counter((round_key_of_batch(batch), key, vote_of(batch)) for _, batch, key in lines if vote_of(batch) > 1)
