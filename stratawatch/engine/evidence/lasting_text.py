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
"""Windows whose values are told one by one: the newest ones."""


def still_on_line(values: Sequence[IntervalEstimate], number: int, share: ErrorShare, unit: str, *, over: bool) -> str:
    """Whether a fall goes on in its `number`-th window, and how it went; `over`: the newest is inside its limit.

    >>> from stratawatch.core.alarms.error_shares import error_share
    >>> weeks = [IntervalEstimate(value, value - 0.03, value + 0.03, 300.0) for value in (0.7, 0.68)]
    >>> still_on_line(weeks, 2, error_share("precision"), "week", over=False)
    'Still on: yes, in week 2 of it; neither better nor worse beyond chance (30%, 32% wrong, week by week).'
    """
    shown = [share.number(one.value) for one in values[-MOST_VALUES:]]
    each = f" ({', '.join(shown)}{f' {share.word}' if share.word else ''}, {unit} by {unit})" if len(shown) > 1 else ""
    state = f"not proven over in {unit} {number} of it" if over else f"yes, in {unit} {number} of it"
    return f"Still on: {state}{_trend(values, share) if each else ''}{each}."


def _trend(values: Sequence[IntervalEstimate], share: ErrorShare) -> str:
    """Whether it got worse or better since its first window by more than both intervals leave open."""
    first, newest = values[0], values[-1]
    change = share.of(newest.value) - share.of(first.value)
    if abs(change) <= hypot(first.half_width, newest.half_width):
        return "; neither better nor worse beyond chance"
    more_is_worse = bool(share.word)
    return "; getting worse" if (change > 0) == more_is_worse else "; getting better"


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
        return "Sure: proven when it was paged."
    both = interval_text(*sorted((share.of(found.low), share.of(found.high))))
    for end in fixed_ends(limit, found.value):
        allowed = limit.floor if end.worse_is_lower else limit.ceiling
        if end.distance(found).is_outside and allowed is not None:
            most = exact_points(share.of(allowed))
            return f"Sure: yes, proven. All of this {unit}'s interval, {both}, is outside the {most}% allowed."
    return f"Sure: proven when it was paged. This {unit} alone, {both}, does not prove it again."
