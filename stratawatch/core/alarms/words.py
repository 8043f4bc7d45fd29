"""Shares, points and confidences as the sentences of a judgement write them."""

from math import floor, log10

from stratawatch.core.estimate import Known


def told(known: Known, confidence: float) -> str:
    """A value with its interval.

    >>> told(Known(0.712, 0.66, 0.76, 300), 0.95)
    '71.2% (66.0 to 76.0, 95%)'
    """
    low, high = (percent(end, known.half_width).rstrip("%") for end in (known.low, known.high))
    return f"{percent(known.value, known.half_width)} ({low} to {high}, {plain(confidence)})"


def plain(confidence: float) -> str:
    """A confidence with as many digits as tell it from certainty: 95%, 99.52%, 99.9999%."""
    digits = max(0, 1 - floor(log10(100 * (1 - confidence))))
    text = f"{100 * confidence:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def percent(value: float, half_width: float) -> str:
    """A percentage with the digits that the interval beside it deserves."""
    return f"{points(value, half_width)}%"


def points(value: float, half_width: float) -> str:
    """The same for a difference of two shares: points, without a sign for nothing.

    >>> points(0.031, 0.02), points(-0.0004, 0.001), points(-0.00001, 0.02)
    ('3.1', '-0.04', '0.0')
    """
    digits = 1 if half_width >= 0.005 else 2 if half_width >= 0.0005 else 3
    text = f"{100 * value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text
