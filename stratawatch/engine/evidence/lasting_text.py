"""The lines on a breach that lasts: whether it goes on, week by week, and how sure it still is."""

from collections.abc import Sequence
from typing import Final

from stratawatch.core.alarms.ends import fixed_ends
from stratawatch.core.alarms.error_shares import ErrorShare
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.formatting import exact_points, percent

MOST_VALUES: Final = 6
"""Windows whose values are told one by one: the newest ones."""


def still_on_line(values: Sequence[IntervalEstimate], number: int, share: ErrorShare, unit: str, *, over: bool) -> str:
    """Whether a fall goes on in its `number`-th window, and how it went; `over`: the newest is inside its limit.

    >>> from stratawatch.core.alarms.error_shares import error_share
    >>> weeks = [IntervalEstimate(value, value - 0.03, value + 0.03, 300.0) for value in (0.7, 0.68)]
    >>> still_on_line(weeks, 2, error_share("precision"), "week", over=False)
    'Still on: yes, in week 2 of it. Week by week: 30%, 32% wrong.'
    """
    shown = [share.number(one.value) for one in values[-MOST_VALUES:]]
    by_each = f" {unit.capitalize()} by {unit}: {', '.join(shown)}{f' {share.word}' if share.word else ''}."
    state = f"not proven over in {unit} {number} of it" if over else f"yes, in {unit} {number} of it"
    return f"Still on: {state}.{by_each if len(shown) > 1 else ''}"


def still_sure_line(found: IntervalEstimate | None, limit: Limit | None, share: ErrorShare, unit: str) -> str:
    """How sure it is that a limit is broken that was paged, by the newest window alone.

    >>> from stratawatch.core.alarms.error_shares import error_share
    >>> floor, found = Limit("precision", floor=0.788), IntervalEstimate(0.672, 0.631, 0.71, 300.0)
    >>> still_sure_line(found, floor, error_share("precision"), "week")
    "Sure: yes, proven. Even the good end of this week's interval, 29.0%, is outside the 21.2% allowed."
    >>> still_sure_line(IntervalEstimate(0.75, 0.7, 0.8, 300.0), floor, error_share("precision"), "week")
    'Sure: proven when it was paged. This week alone, 20.0% to 30.0%, does not prove it again.'
    """
    if found is None or limit is None:
        return "Sure: proven when it was paged."
    for end in fixed_ends(limit, found.value):
        good, allowed = (found.high, limit.floor) if end.worse_is_lower else (found.low, limit.ceiling)
        if end.distance(found).is_outside and allowed is not None:
            best, most = percent(share.of(good), found.half_width), exact_points(share.of(allowed))
            of_interval = f"Even the good end of this {unit}'s interval, {best}"
            return f"Sure: yes, proven. {of_interval}, is outside the {most}% allowed."
    low, high = sorted((share.of(found.low), share.of(found.high)))
    alone = f"This {unit} alone, {percent(low, found.half_width)} to {percent(high, found.half_width)}"
    return f"Sure: proven when it was paged. {alone}, does not prove it again."
