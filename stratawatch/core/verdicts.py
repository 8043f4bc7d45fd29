"""From what annotators said about one item to its verdict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["yes", "no", "unresolved"]
"""The resolved label of an item; one that people could not decide is `unresolved`."""
SaidWord = Literal["yes", "no", "skip"]
VoteValue = Literal["yes", "no", "skip", "retract"]


@dataclass(frozen=True)
class VerdictsByItem:
    """Verdicts by item id. An item that is missing has no answer yet."""

    verdicts: Mapping[str, Verdict]


class Vote(NamedTuple):
    """One statement of one annotator on one item; a larger `order` came later."""

    annotator: str
    value: VoteValue
    order: int


def standing_words(events: Iterable[Vote]) -> list[SaidWord]:
    """The latest word of every annotator who has not taken it back, in the order in which they first spoke."""
    latest: dict[str, SaidWord] = {}
    for vote in sorted(events, key=lambda vote: vote.order):
        if vote.value == "retract":
            latest.pop(vote.annotator, None)
        else:
            latest[vote.annotator] = vote.value
    return list(latest.values())


def resolve_votes(events: Iterable[Vote], votes: int, *, has_ended: bool = False) -> Verdict | None:
    """The verdict of one item: the majority of at least `votes` annotators; None while votes are missing.

    The latest event of an annotator counts, and a retraction withdraws it. A skip is a vote for neither side; enough
    votes without a majority leave the item unresolved. Where the time for votes `has_ended`, those that are missing are
    not waited for if they could not have changed the majority.

    >>> resolve_votes([Vote("ann", "yes", 1), Vote("bob", "skip", 2), Vote("ann", "no", 3)], votes=1)
    'no'
    >>> two_of_three = [Vote("ann", "yes", 1), Vote("bob", "yes", 2)]
    >>> resolve_votes(two_of_three, votes=3), resolve_votes(two_of_three, votes=3, has_ended=True)
    (None, 'yes')
    """
    words = standing_words(events)
    if len(words) < votes and not has_ended:
        return None
    yes, no = words.count("yes"), words.count("no")
    needed = max(votes, yes + no)
    if 2 * yes > needed:
        return "yes"
    if 2 * no > needed:
        return "no"
    return "unresolved" if len(words) >= votes else None
