"""Second votes where an error costs most, by a rule that is fixed before the first label.

A classifier misses few of the many items that it calls negative, so that negatives which are labelled yes by mistake
soon outnumber the positives among them. By the rule `called_negative_yes` an item that some classifier calls negative
is *checked*: a first yes is put before a second person, and before a third one if the second says no. The majority
decides, so that a first yes falls where both others say no. A first no stands.

Let people say yes to a share x of items of one kind, independently of one another. A checked item of that kind has the
verdict yes with x (1 - (1 - x)^2): the first says yes (x), and not both others say no. With x the sensitivity se of one
vote, verdicts have se' = se^2 (2 - se); with x = 1 - sp they have sp' = 1 - (1 - sp)^2 (1 + sp), as
1 - sp^2 = (1 - sp)(1 + sp). Where only a share c of the two other answers came, a first yes falls with c (1 - x)^2.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from stratawatch.core.population import Floats
from stratawatch.core.verdicts import SaidWord, Verdict, Vote, resolve_votes, standing_words

SecondVotes = Literal["none", "called_negative_yes"]
NO_SECOND_VOTES: Final[SecondVotes] = "none"
CALLED_NEGATIVE_YES: Final[SecondVotes] = "called_negative_yes"


def yes_rate(rate: Floats, complete: Floats) -> Floats:
    """The share of verdicts yes among checked items to which a vote says yes at this rate.

    `complete` is the share of first yeses whose other votes came, where those were needed: 0 without a check.
    """
    return rate * (1 - complete * (1 - rate) ** 2)


def next_vote(words: Sequence[SaidWord]) -> int | None:
    """Which vote on a checked item is to be asked for next: the second, the third or none. `words` came in this order.

    >>> next_vote(["yes"]), next_vote(["yes", "no"]), next_vote(["yes", "yes"]), next_vote(["no"])
    (2, 3, None, None)
    """
    if list(words) in (["yes"], ["yes", "no"]):
        return len(words) + 1
    return None


def checked_verdict(words: Sequence[SaidWord]) -> Verdict:
    """What votes on a checked item say whose first is yes: that stands until more people say no than yes.

    >>> checked_verdict(["yes", "no"]), checked_verdict(["yes", "no", "no"]), checked_verdict(["yes", "no", "yes"])
    ('yes', 'no', 'yes')
    """
    return "no" if words.count("no") > words.count("yes") else "yes"


def resolve_checked(events: Iterable[Vote], *, has_ended: bool) -> Verdict | None:
    """The verdict of a checked item; None while votes are missing that may still come.

    >>> first = Vote("ann", "yes", 1)
    >>> resolve_checked([first], has_ended=False), resolve_checked([first], has_ended=True)
    (None, 'yes')
    """
    said = list(events)
    words = standing_words(said)
    if words[:1] != ["yes"]:
        return resolve_votes(said, 1)
    return None if next_vote(words) is not None and not has_ended else checked_verdict(words)
