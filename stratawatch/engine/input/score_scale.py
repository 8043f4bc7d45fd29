"""What scale scores seem to be on, from their smallest and their largest value."""

from typing import Final

Range = tuple[float, float]

TENFOLD: Final = 10.0
_PERCENT: Final = 100.0
_MOST_MARKS: Final = 20.0


def scale_of(low: float, high: float) -> str:
    """The scale in words.

    >>> scale_of(0.02, 0.99), scale_of(1.5, 99.0), scale_of(-7.3, 6.1)
    ('probabilities', 'percentages', 'logits or margins')
    """
    if low < 0:
        return "logits or margins"
    if high <= 1:
        return "probabilities"
    return "percentages" if high <= _PERCENT else "numbers on a scale of their own"


def looks_like_percentages(low: float, high: float) -> bool:
    """Whether scores that are no probabilities go so far up that they can hardly be marks or stars.

    >>> looks_like_percentages(0.0, 99.2), looks_like_percentages(1.0, 5.0), looks_like_percentages(-4.0, 50.0)
    (True, False, False)
    """
    return high > _MOST_MARKS and scale_of(low, high) == "percentages"


def changed_scale(kind: str, was: Range, now: Range) -> str:
    """What the scores look like now, if that is not what they looked like; else nothing.

    >>> changed_scale("margin", (-8.0, 9.0), (0.01, 0.99))
    'they look like probabilities now'
    >>> changed_scale("probability", (0.01, 0.99), (0.0001, 0.0099))
    'they are more than ten times smaller'
    """
    if kind == "margin" and scale_of(*was) != (looks := scale_of(*now)) and "probabilities" in (scale_of(*was), looks):
        return f"they look like {looks} now"
    before, after = _size(was), _size(now)
    if before and after >= TENFOLD * before:
        return "they are more than ten times larger"
    return "they are more than ten times smaller" if after and after * TENFOLD <= before else ""


def _size(scores: Range) -> float:
    return max(abs(scores[0]), abs(scores[1]))
