"""The lines on a breach that lasts: whether it goes on, week by week, and how sure it still is."""

from collections.abc import Sequence
from math import hypot
from typing import Final

from stratawatch.core.alarms.ends import fixed_ends
from stratawatch.core.alarms.error_shares import ErrorShare
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.formatting import exact_points, interval_text

MOST_VALUES: Final = 6
"""Windows whose values are told one by one: the first and the newest ones."""
_AT_THE_PAGE: Final = "Sure: proven when it was paged."


def still_on_line(
    values: Sequence[IntervalEstimate | None], share: ErrorShare, unit: str, *, is_inside: bool | None
) -> str:
    """Whether a fall goes on, and how it went, window by window since its first; None where nothing could be told.

    `is_inside`: whether the newest is inside its limit; None where it alone does not say, as of a largest fall.

    >>> from stratawatch.core.alarms.error_shares import error_share
    >>> weeks = [IntervalEstimate(value, value - 0.03, value + 0.03, 300.0) for value in (0.7, 0.68)]
    >>> still_on_line(weeks, error_share("precision"), "week", is_inside=False)
    'Still on: yes, in week 2 of it; no clear change since it began (30%, 32% wrong).'
    """
    number = len(values)
    state = {True: "not proven over", False: "yes,", None: "not ended"}[is_inside]
    told = f"Still on: {state} in {unit} {number} of it"
    if number < 2 or values[0] is None or values[-1] is None:
        return f"{told}."
    shown = ["?" if one is None else share.number(one.value) for one in values]
    if number > MOST_VALUES:
        shown = [shown[0], "...", *shown[-MOST_VALUES + 1 :]]
    each = f" ({', '.join(shown)}{f' {share.word}' if share.word else ''})"
    return f"{told}; {_trend(values[0], values[-1], share)}{each}."


def _trend(first: IntervalEstimate, newest: IntervalEstimate, share: ErrorShare) -> str:
    """Whether the newest window is worse or better than the first by more than both intervals leave open."""
    change = share.of(newest.value) - share.of(first.value)
    if abs(change) <= hypot(first.half_width, newest.half_width):
        return "no clear change since it began"
    more_is_worse = bool(share.word)
    return f"{'worse' if (change > 0) == more_is_worse else 'better'} than in the first"


def still_sure_line(found: IntervalEstimate | None, limit: Limit | None, share: ErrorShare, unit: str) -> str:
    """How sure it is that a limit is broken that was paged, by the newest window alone.

    >>> from stratawatch.core.alarms.error_shares import error_share
    >>> floor, found = Limit("precision", floor=0.788), IntervalEstimate(0.672, 0.631, 0.71, 300.0)
    >>> still_sure_line(found, floor, error_share("precision"), "week")
    "Sure: yes, proven. All of this week's interval, 29.0% to 36.9%, is outside the 21.2% allowed."
    >>> still_sure_line(IntervalEstimate(0.75, 0.7, 0.8, 300.0), floor, error_share("precision"), "week")
    'Sure: proven when it was paged. This week alone, 20.0% to 30.0%, does not prove it again.'
    """
    if found is None or limit is None:
        return _AT_THE_PAGE
    both = interval_text(*sorted((share.of(found.low), share.of(found.high))))
    for end in fixed_ends(limit, found.value):
        allowed = limit.floor if end.worse_is_lower else limit.ceiling
        if end.distance(found).is_outside and allowed is not None:
            word = "allowed" if share.word else "that its limit asks for"
            edge = f"{exact_points(share.of(allowed))}% {word}"
            return f"Sure: yes, proven. All of this {unit}'s interval, {both}, is outside the {edge}."
    if limit.max_drop is not None:  # this window alone says nothing of a fall from a baseline
        return _AT_THE_PAGE
    return f"{_AT_THE_PAGE} This {unit} alone, {both}, does not prove it again."
