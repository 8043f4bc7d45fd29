"""A metric as people hear it who know no statistics: the share of something that is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import metric_named
from stratawatch.formatting import estimate_text, exact_points, percent


@dataclass(frozen=True)
class ErrorShare:
    """What is wrong, in words that follow a percentage, and in one word where it is clear of what.

    `is_rest`: the share is one minus the metric. A metric that is no share of one thing, such as F1, has no words and
    is named itself.
    """

    title: str
    words: str = ""
    word: str = ""
    is_rest: bool = False

    def of(self, value: float) -> float:
        """The share that belongs to a value of the metric."""
        return 1 - value if self.is_rest else value

    def interval(self, found: ValueInterval) -> ValueInterval:
        """The share with its interval."""
        low, high = sorted((self.of(found.low), self.of(found.high)))
        return ValueInterval(self.of(found.value), low, high)

    def text(self, found: ValueInterval) -> str:
        """The share with its interval, in words.

        >>> found = ValueInterval(0.7, 0.66, 0.74)
        >>> error_share("precision").text(found), error_share("f1").text(found)
        ('30.0% of its flags are wrong (26.0 to 34.0)', 'F1 is 70.0% (66.0 to 74.0)')
        """
        value, interval = self._value_and_interval(found)
        return f"{value} {self.words} {interval}" if self.words else f"{self.title} is {value} {interval}"

    def brief(self, found: ValueInterval) -> str:
        """The share with its interval, in a word.

        >>> found = ValueInterval(0.7, 0.66, 0.74)
        >>> error_share("precision").brief(found), error_share("f1").brief(found)
        ('30.0% wrong (26.0 to 34.0)', 'F1 70.0% (66.0 to 74.0)')
        """
        value, interval = self._value_and_interval(found)
        return f"{value} {self.word} {interval}" if self.word else f"{self.title} {value} {interval}"

    def _value_and_interval(self, found: ValueInterval) -> tuple[str, str]:
        share = self.interval(found)
        value, interval = estimate_text(share.value, share.low, share.high).split(" ", 1)
        return value, interval

    def short(self, value: float) -> str:
        """The share in a headline.

        >>> error_share("recall").short(0.741), error_share("false_omission_rate").short(0.0164)
        ('26% of what it should flag is missed', '1.6% of what it passes should be flagged')
        """
        return f"{self.number(value)} {self.words}" if self.words else f"{self.title} is {self.number(value)}"

    def number(self, value: float) -> str:
        """The share alone, in few digits.

        >>> error_share("precision").number(0.844), error_share("false_omission_rate").number(0.004)
        ('16%', '0.40%')
        """
        share = self.of(value)
        return f"{share:.{0 if share >= 0.1 else 1}%}" if share >= 0.01 else percent(share)

    def allowed(self, limit: Limit) -> str:
        """How much of it a limit's floor and ceiling allow; empty where it has neither.

        >>> error_share("precision").allowed(Limit("precision", floor=0.788))
        'at most 21.2% allowed'
        >>> error_share("f1").allowed(Limit("f1", floor=0.7))
        'at least 70% allowed'
        """
        ends = ((limit.floor, self.is_rest), (limit.ceiling, not self.is_rest))
        said = [
            f"at {'most' if is_most else 'least'} {exact_points(self.of(end))}%"
            for end, is_most in ends
            if end is not None
        ]
        return f"{' and '.join(said)} allowed" if said else ""


_WORDS: Final[Mapping[str, tuple[str, str, bool]]] = {
    "precision": ("of its flags are wrong", "wrong", True),
    "recall": ("of what it should flag is missed", "missed", True),
    "false_omission_rate": ("of what it passes should be flagged", "passed wrongly", False),
    "negative_predictive_value": ("of what it passes should be flagged", "passed wrongly", True),
    "specificity": ("of what it should pass is flagged", "flagged wrongly", True),
    "accuracy": ("of its calls are wrong", "wrong", True),
}


def error_share(metric: str) -> ErrorShare:
    """The words for a metric."""
    return ErrorShare(metric_named(metric).title, *_WORDS.get(metric, ()))
